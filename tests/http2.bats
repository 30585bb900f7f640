#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# http2 - HTTP/2 as other people's clients speak it: curl, nghttp, h2load and a browser against
# our server with each engine, by ALPN and by prior knowledge, beside HTTP/1.1.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

SUITE=tls1.3:AES128-GCM-SHA256:x25519:p256
SUITE12=tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256

# serve_counted ARG...: start_serve, with counters asked for through descriptor 7.
serve_counted() {
	mkfifo "$T/ask"
	SERVE_INPUT=$T/ask
	# Read and write: opening must not wait for the server.
	exec 7<>"$T/ask"
	start_serve --counters "$@"
}

counters_came() {
	[ "$(grep -c '^{' "$T/serve.out")" -gt "$1" ]
}

# counted FILTER...: each must be true of the server's counters now.
counted() {
	local had filter
	had=$(grep -c '^{' "$T/serve.out" || true)
	echo >&7
	wait_until 5 counters_came "$had"
	tail -n 1 "$T/serve.out" >"$T/counters.json"
	for filter in "$@"; do
		jq -e "$filter" "$T/counters.json" >/dev/null || {
			echo "not true: $filter" >&2
			show "$T/counters.json" "$T/serve.err"
			return 1
		}
	done
}

serve_h2() { # ENGINE SUITE
	need_engine "$1"
	make_certificate server p256
	serve_counted https://127.0.0.1:0 --http 2 --engine "$1" --suite "$2" \
		--cert "$T/server.pem" --key "$T/server.key"
}

fetch() { # CURL_OPTION... URL: "VERSION STATUS BYTES"
	curl -sS --cacert "$T/server.pem" -o "$T/body" \
		-w '%{http_version} %{http_code} %{size_download}\n' "$@"
}

use_curl() { # ENGINE SUITE
	need curl jq openssl
	serve_h2 "$1" "$2"
	[ "$(fetch --http2 "$URL/page/512")" = "2 200 512" ]
	[ "$(fetch --http2 "$URL/page/3000000/random")" = "2 200 3000000" ]
	[ "$(fetch --http2 "$URL/no-such-page")" = "2 404 $(wc -c <"$T/body")" ]
	[ "$(fetch --http2 --compressed "$URL/page/20000/text")" != "2 200 20000" ]
	[ "$(wc -c <"$T/body")" -eq 20000 ]
	[ "$(fetch --http1.1 "$URL/page/512")" = "1.1 200 512" ]
	[ "$(fetch --no-alpn "$URL/page/512")" = "1.1 200 512" ]
	[ "$(fetch --http2 -X POST -d abc "$URL/page/512" | cut -d' ' -f1)" = 2 ]
	counted '.http2.connections == 5' '.http2.streams == 5' '.http2.resets == 0' \
		'.connections == 7' '.handshakes.full == 7'
}

@test "curl --http2, openssl, TLS 1.3" { use_curl openssl $SUITE; }
@test "curl --http2, openssl, TLS 1.2" { use_curl openssl $SUITE12; }
@test "curl --http2, wolfssl, TLS 1.3" { use_curl wolfssl $SUITE; }
@test "curl --http2, wolfssl, TLS 1.2" { use_curl wolfssl $SUITE12; }

@test "http2 without TLS, by prior knowledge, beside HTTP/1.1" {
	need curl jq
	serve_counted http://127.0.0.1:0 --http 2
	run curl -sS --http2-prior-knowledge -o /dev/null -w '%{http_version} %{http_code}' "$URL/page/9"
	[ "$output" = "2 200" ]
	# An Upgrade header is not taken up: the answer is one of HTTP/1.1.
	run curl -sS --http2 -o /dev/null -w '%{http_version} %{http_code}' "$URL/page/9"
	[ "$output" = "1.1 200" ]
	counted '.http2.connections == 1' '.requests == 2'
}

@test "http2 is off unless asked for" {
	need curl openssl
	make_certificate server p256
	start_serve https://127.0.0.1:0 --suite $SUITE --cert "$T/server.pem" --key "$T/server.key"
	[ "$(fetch --http2 "$URL/page/512")" = "1.1 200 512" ]
}

@test "--streams and --window are what the server announces" {
	need nghttp openssl jq
	make_certificate server p256
	serve_counted https://127.0.0.1:0 --http 2 --streams 7 --window 70000 --suite $SUITE \
		--cert "$T/server.pem" --key "$T/server.key"
	run nghttp -nv "$URL/page/10"
	[ "$status" -eq 0 ]
	[[ $output == *"SETTINGS_MAX_CONCURRENT_STREAMS(0x03):7"* ]]
	[[ $output == *"SETTINGS_INITIAL_WINDOW_SIZE(0x04):70000"* ]]
}

use_nghttp() { # ENGINE
	need nghttp openssl jq
	serve_h2 "$1" $SUITE
	local target targets=()
	for target in 0 1 512 16384 100000; do
		targets+=("$URL/page/$target/text")
	done
	run nghttp --stat -n "${targets[@]}"
	[ "$status" -eq 0 ]
	[ "$(grep -c ' 200 ' <<<"$output")" -eq 5 ]
	nghttp "$URL/page/100000/text" >"$T/nghttp.body"
	[ "$(wc -c <"$T/nghttp.body")" -eq 100000 ]
	counted '.http2.connections == 2' '.http2.streams == 6' '.requests == 6'
}

@test "nghttp, openssl" { use_nghttp openssl; }
@test "nghttp, wolfssl" { use_nghttp wolfssl; }

use_h2load() { # ENGINE
	need h2load openssl jq
	serve_h2 "$1" $SUITE
	run h2load -n 5000 -c 5 -m 30 "$URL/page/700"
	[ "$status" -eq 0 ]
	[[ $output == *"5000 succeeded, 0 failed, 0 errored, 0 timeout"* ]]
	run h2load -n 60 -c 3 -m 10 -w 20 "$URL/page/300000/random"
	[[ $output == *"60 succeeded, 0 failed, 0 errored, 0 timeout"* ]]
	run h2load --h1 -n 500 -c 5 "$URL/page/700"
	[[ $output == *"500 succeeded, 0 failed"* ]]
	counted '.http2.streams == 5060' '.requests == 5560' '.http2.connections == 8' '.rejected == 0'
}

@test "h2load, openssl" { use_h2load openssl; }
@test "h2load, wolfssl" { use_h2load wolfssl; }

# A browser trusts no stranger's CA: it is told which key to expect instead of being told to
# believe everything.
use_chromium() { # ENGINE
	need chromium openssl jq
	serve_h2 "$1" $SUITE
	local pin
	pin=$(openssl x509 -in "$T/server.pem" -pubkey -noout | openssl pkey -pubin -outform der |
		openssl dgst -sha256 -binary | base64)
	timeout -k 5 60 chromium --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-background-networking --disable-dev-shm-usage \
		--user-data-dir="$T/chromium" --ignore-certificate-errors-spki-list="$pin" \
		--dump-dom "$URL/page/512/text" >"$T/dom" 2>"$T/chromium.err" </dev/null 3>&- 7>&- ||
		{ show "$T/chromium.err"; return 1; }
	curl -sS --cacert "$T/server.pem" "$URL/page/512/text" >"$T/page"
	[ "$(wc -c <"$T/page")" -eq 512 ]
	# The page as text is in the document, whole.
	sed 's/<[^>]*>//g' "$T/dom" | tr -d '\n' | grep -qF -- "$(tr -d '\n' <"$T/page" | head -c 400)"
	counted '.http2.connections >= 2' '.http2.streams >= 2' '.handshakes.failed == 0'
}

@test "chromium, openssl" { use_chromium openssl; }
@test "chromium, wolfssl" { use_chromium wolfssl; }

# h2load's clients leave in the middle again and again; what they asked for is dropped.
@test "clients that leave in the middle of answers leave nothing behind" {
	need h2load openssl jq
	serve_h2 openssl $SUITE
	local i first last
	for i in 1 2 3 4 5 6; do
		timeout -s KILL 0.5 h2load -n 100000 -c 10 -m 50 -w 30 -W 30 "$URL/page/200000/random" \
			>/dev/null 2>&1 || true
		counted '.connections > 0'
		[ "$i" -ne 3 ] || first=$(jq .rss_peak_kib "$T/counters.json")
	done
	last=$(jq .rss_peak_kib "$T/counters.json")
	echo "peak $first KiB, then $last KiB"
	((last < first + first / 2 + 16384))
	[ "$(fetch --http2 "$URL/page/512")" = "2 200 512" ]
}

# --- others' servers, and h2load as our load -----------------------------------

others_speak_it() { # SERVER PROGRAM
	PATH=$PATH:/usr/sbin need jq "$2"
	need_engine openssl
	chmod a+x "$T" # it may give up root
	TMPDIR=$T start_serve https://127.0.0.1:0 --server "$1" --http 2 --threads 1
	"$CIPHERWATT" load "$URL/page/512/json" --insecure --engine openssl --http 2 --streams 5 \
		--connection keepalive --clients 3 --count 300 --warmup 0 --json >"$T/cell" \
		2>"$T/load.err" || { show "$T/load.err" "$T/serve.err"; return 1; }
	jq -e '.requests.succeeded == 300 and .connections.established == 3 and .payload_bytes == 512' \
		"$T/cell" >/dev/null
	# HTTP/1.1 is beside it.
	"$CIPHERWATT" load "$URL/page/512/json" --insecure --engine openssl --count 10 --warmup 0 \
		>/dev/null 2>"$T/load.err" || { show "$T/load.err" "$T/serve.err"; return 1; }
}

@test "nginx is started for HTTP/2" { others_speak_it nginx nginx; }

@test "httpd is started for HTTP/2" { others_speak_it apache-event apache2; }

@test "lighttpd is started for HTTP/2" { others_speak_it lighttpd lighttpd; }

@test "haproxy is started for HTTP/2" { others_speak_it haproxy haproxy; }

@test "load --driver h2load over HTTP/2" {
	need jq h2load
	serve_h2 openssl $SUITE
	"$CIPHERWATT" load "$URL/page/512" --insecure --driver h2load --http 2 --streams 8 \
		--connection keepalive --clients 4 --count 500 --warmup 0 --json >"$T/cell" 2>"$T/load.err" ||
		{ show "$T/load.err" "$T/serve.err"; return 1; }
	jq -e '.requests.succeeded == 500 and .body_bytes == 256000' "$T/cell" >/dev/null
	counted '.http2.connections == 4' '.http2.streams == 500'
}
