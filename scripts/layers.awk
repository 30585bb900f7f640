# layers.awk - fail when an #include points up the layer order, or when a
# library's headers leave the one file that may know them.
# Usage: awk -f scripts/layers.awk $(git ls-files '*.[ch]')
BEGIN {
	allow["lib"] = "lib"
	allow["ciphers"] = "lib ciphers"
	allow["protocols"] = "lib protocols"
	allow["power"] = "lib power"
	allow["capture"] = "lib ciphers protocols capture"
	allow["solar"] = "lib solar"
	allow["results"] = "lib solar power results"
	allow["workloads"] = "lib ciphers protocols workloads"
	allow["servers"] = "lib ciphers protocols workloads servers"
	allow["clients"] = "lib ciphers protocols workloads clients"
	allow["testbed"] = "lib ciphers protocols power capture solar results workloads servers clients testbed"

	# header pattern -> the only files that may include it
	only["^ev\\.h$"] = "^lib/loop\\.c$"
	only["^openssl/"] = "^(capture/talk|ciphers/(engine_openssl|openssl_[a-z]+|credential_x509)(_test)?)\\.[ch]$"
	only["^nghttp2/"] = "^protocols/http2(_[a-z]+)*\\.[ch]$"
	only["^wolfssl/"] = "^ciphers/(engine_wolfssl|wolfssl_[a-z]+)(_test)?\\.[ch]$"
	only["^(i2c/smbus|linux/i2c.*)\\.h$"] = "^power/i2c_dev\\.c$"
	only["^pcap"] = "^capture/(pcap_live|file)\\.c$"
	only["^iio\\.h$"] = "^power/iio_capture\\.c$"
	only["^libfyaml\\.h$"] = "^lib/yaml\\.c$"
	only["^microhttpd\\.h$"] = "^results/watch_library\\.h$"
	only["^gsl/"] = "^results/student_gsl\\.c$"
	only["^sqlite3\\.h$"] = "^(results/(store|store_[a-z]+|db|old_database)|workloads/access_(db|users))(_test)?\\.c$"
	only["^cbor"] = "^(workloads|ciphers)/[a-z_]+\\.c$"
	only["^(xmlsec|libxml)/"] = "^workloads/(xml|message_xml)[a-z_]*\\.[ch]$"
}
function complain(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
	bad = 1
}
/^#[ \t]*include[ \t]*"/ {
	split(FILENAME, from, "/")
	split($0, quoted, "\"")
	split(quoted[2], to, "/")
	if (from[1] == "results" && to[1] == "power" && from[2] !~ /^report_trace(_test)?\.c$/)
		complain("of results only report_trace.c may include " quoted[2])
	if (!index(" " allow[from[1]] " ", " " to[1] " "))
		complain(from[1] " may not include " quoted[2])
}
/^#[ \t]*include[ \t]*</ {
	header = $0
	sub(/^[^<]*</, "", header)
	sub(/>.*$/, "", header)
	for (pattern in only)
		if (header ~ pattern && FILENAME !~ only[pattern])
			complain("only " only[pattern] " may include <" header ">")
}
END { exit bad }
