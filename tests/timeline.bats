#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# timeline - the command line of `cipherwatt timeline`: usage, formats, cut and damaged files, and a
# live capture of our own server and client.

load helpers

setup() {
	setup_common
	PCAP="${CIPHERWATT_SHARED:-$BATS_TEST_DIRNAME/../../shared}/data/pcap"
}

teardown() {
	teardown_common
}

need_captures() {
	[ -r "$PCAP/zeek-hrr.pcap" ] || skip "the shared captures are not there"
}

# refused STATUS WORD ARG...
refused() {
	local want=$1 word=$2
	shift 2
	"$CIPHERWATT" timeline "$@" >"$T/out" 2>"$T/err" </dev/null && status=0 || status=$?
	[ "$status" -eq "$want" ] || { show "$T/err"; echo "exit status $status" >&2; return 1; }
	grep -qF -e "$word" "$T/err" || { show "$T/err"; return 1; }
}

@test "help names every option; wrong usage is refused" {
	run "$CIPHERWATT" timeline --help
	[ "$status" -eq 0 ]
	local word
	for word in --json --csv --svg --live --filter --duration --count; do
		grep -qF -e "$word" <<<"$output" || { echo "no $word" >&2; return 1; }
	done
	refused 2 "no FILE"
	refused 2 "one of the two" --json --csv x.pcap
	refused 2 "--live takes no FILE" --live lo x.pcap
	refused 2 "go with --live" --count 3 x.pcap
}

@test "what is absent or no capture is named, with exit status 1" {
	refused 1 "absent.pcap: No such file" "$T/absent.pcap"
	echo "hello, this is text" >"$T/text.pcap"
	refused 1 "neither pcap nor pcapng" "$T/text.pcap"
	refused 1 "neither pcap nor pcapng" --json "$T/text.pcap"
	jq -e '.files[0].damage | contains("neither")' "$T/out"
	jq -e '.connections == []' "$T/out"
}

@test "a directory is no short file, and keys that open nothing are said" {
	need_captures
	refute "$CIPHERWATT" timeline "$T" >"$T/out" 2>"$T/err"
	grep -q 'cannot be read: Is a directory' "$T/err"
	: >"$T/keys"
	"$CIPHERWATT" timeline --keys "$T/keys" "$PCAP/zeek-hrr.pcap" >"$T/out" 2>"$T/err"
	grep -q 'none of its 0 secrets is of a connection seen here; expected lines' "$T/err"
	printf 'CLIENT_RANDOM %064d %096d\n' 1 2 >"$T/keys"
	"$CIPHERWATT" timeline --keys "$T/keys" "$PCAP/zeek-hrr.pcap" >"$T/out" 2>"$T/err"
	grep -q 'none of its 1 secrets' "$T/err"
	# Secrets that the capture carries itself are not those of --keys.
	"$CIPHERWATT" timeline --keys "$T/keys" "$PCAP/ndpi-dtls-dsb.pcap" >"$T/out" 2>"$T/err"
	grep -q 'none of its 1 secrets' "$T/err"
	"$CIPHERWATT" timeline "$PCAP/zeek-hrr.pcap" >"$T/out" 2>"$T/err"
	refute grep -q secrets "$T/err"
}

@test "JSON has the keys of the contract, with times from the SYN" {
	need_captures
	"$CIPHERWATT" timeline --json "$PCAP/zeek-hrr.pcap" "$PCAP/zeek-https-to-http.pcap" >"$T/out.json"
	jq -e '.schema == "cipherwatt/1" and (.connections | length) == 2' "$T/out.json"
	jq -e '.connections[0] | .proto == "tls" and .version == "TLS1.3" and .complete
		and .suite == "TLS_AES_256_GCM_SHA384" and .client == "10.192.48.168:63564"
		and .server == "64.233.185.139:443" and .handshake_us == 47158
		and .extra_round_us == 29532 and .hello_retries == 1' "$T/out.json"
	jq -e '.connections[0].messages | map(.type) == ["client_hello", "hello_retry_request",
		"server_change_cipher_spec", "client_change_cipher_spec", "client_hello", "server_hello",
		"server_protected_record", "client_protected_record"]' "$T/out.json"
	jq -e '.connections[0].messages[5] | .from == "server" and .t_us == 1059721 and .bytes == 155' "$T/out.json"
	jq -e '.connections[0] | .waiting_for_client_us + .waiting_for_server_us +
		.waiting_for_network_us == .handshake_us' "$T/out.json"
	jq -e '.connections[1] | .outcome == "not-tls-reply" and (.complete | not)
		and .handshake_us == null and .version == null' "$T/out.json"
	jq -e '.summary | .connections == 2 and .complete == 1 and .outcomes["not-tls-reply"] == 1
		and (.steps[] | select(.step == "handshake") | .count == 1)' "$T/out.json"
}

@test "CoAP has a list of its own" {
	need_captures
	"$CIPHERWATT" timeline --json "$PCAP/ttproto-TD_COAP_CORE_01_PASS.pcap" >"$T/out.json"
	jq -e '.connections == [] and (.coap | length) == 1 and .coap[0].complete' "$T/out.json"
	jq -e '.coap[0].messages | map(.type) == ["CON GET", "ACK 2.05"] and .[1].t_us == 21244' "$T/out.json"
}

@test "text, CSV and SVG say the same" {
	need_captures
	"$CIPHERWATT" timeline --svg "$T/out.svg" "$PCAP/zeek-hrr.pcap" >"$T/out.txt"
	grep -q 'handshake 47.158 ms, 2 round trips' "$T/out.txt"
	grep -q '1059.721  server  server_hello ' "$T/out.txt"
	grep -q '<title>server_hello 44.772 ms</title>' "$T/out.svg"
	"$CIPHERWATT" timeline --csv "$PCAP/zeek-hrr.pcap" >"$T/out.csv"
	[ "$(wc -l <"$T/out.csv")" -eq 9 ]
	grep -q ',47158.000,server_hello,server,1059721.000,155$' "$T/out.csv"
}

@test "a file cut short is read up to the cut" {
	need_captures
	head -c 3000 "$PCAP/zeek-hrr.pcap" >"$T/cut.pcap"
	"$CIPHERWATT" timeline --json "$T/cut.pcap" >"$T/out.json" 2>"$T/err"
	grep -q 'cut short' "$T/err"
	jq -e '.files[0].cut and .connections[0].messages[0].t_us == 1014949' "$T/out.json"
	"$CIPHERWATT" timeline --json - <"$PCAP/zeek-hrr.pcap" >"$T/out.json"
	jq -e '.connections[0].complete' "$T/out.json"
}

@test "--live sees the handshakes of our own client and server" {
	need jq
	need_capture
	start_serve https://127.0.0.1:0 --suite tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256
	local port=${URL##*:}
	: >"$T/err"
	"$CIPHERWATT" timeline --live lo --filter "tcp port ${port%%/*}" --duration 60s --json >"$T/out.json" 2>"$T/err" 3>&- &
	local capture=$!
	PIDS+=("$capture")
	capture_says_or_ended() { grep -q 'capturing on' "$T/err" || ended "$capture"; }
	wait_until 10 capture_says_or_ended
	grep -q 'capturing on' "$T/err" || { show "$T/err"; return 1; }
	"$CIPHERWATT" load "$URL" --count 3 --connection full --insecure --suite tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256 --json >"$T/load.json" 2>"$T/load.err" ||
		{ show "$T/load.err"; return 1; }
	kill -INT "$capture"
	wait "$capture"
	# The load generator's warm-up is on the wire too, and it may break one off at its end.
	jq -e '.summary | .complete >= 3' "$T/out.json" || { jq .summary.outcomes "$T/out.json" >&2; return 1; }
	jq -e 'all(.connections[] | select(.complete); .version == "TLS1.2" and .round_trips == 2 and .handshake_us > 0
		and .suite == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")' "$T/out.json"
}
