#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# coap_tcp - CoAP over TCP and TLS (RFC 8323): our load against our server, with each engine and
# ways to keep or end a connection, and libcoap's client.

load helpers

setup() {
	setup_common
	need jq
}

teardown() {
	teardown_common
}

asks() { # ARG...
	"$CIPHERWATT" load "$URL/page/700" --warmup 0 --clients 3 --count 90 --json "$@" >"$T/cell" \
		2>"$T/load.err" || { show "$T/load.err" "$T/serve.err"; return 1; }
	jq -e '.requests.succeeded == 90 and .payload_bytes == 700 and .connections.closed_first == 0' \
		"$T/cell" >/dev/null || { jq -c '.requests, .connections, .payload_bytes' "$T/cell"; return 1; }
}

established() { # AT_LEAST
	[ "$(jq .connections.established "$T/cell")" -ge "$1" ]
}

@test "coap+tcp: kept, with many requests at once, and a connection for each" {
	start_serve coap+tcp://127.0.0.1:0 --threads 1
	asks --connection keepalive
	established 3
	asks --connection keepalive:10
	established 9
	asks --connection keepalive --streams 8
	established 3
	asks --connection full
	established 90
	end_process "$SERVE_PID"
	grep -qF '360 requests answered and 0 rejected' "$T/serve.err" || { show "$T/serve.err"; return 1; }
}

over_tls() { # ENGINE
	need_engine "$1"
	start_serve coaps+tcp://127.0.0.1:0 --threads 1 --engine "$1"
	asks --insecure --engine "$1" --connection keepalive --streams 4
	asks --insecure --engine "$1" --connection full
	jq -e '.handshakes.full == 90 and .negotiated == "tls1.3:AES128-GCM-SHA256:x25519:p256"' \
		"$T/cell" >/dev/null
}

@test "coaps+tcp over openssl" {
	over_tls openssl
}

@test "coaps+tcp over wolfssl" {
	over_tls wolfssl
}

# Longer than what a peer takes that has not greeted yet.
says() { # ARG...
	load_cell "$URL/message" --workload message --profile cose --credentials "$T/keys" \
		--clients 3 --count 30 --warmup 0s --payload 3000B "$@"
	check '.requests.succeeded == 30 and .requests.failed == 0' '.first_failure == null'
}

@test "a request that is longer than a server takes at first waits for its greeting" {
	need_messages
	start_serve coap+tcp://127.0.0.1:0 --workload message --profile cose --credentials "$T/keys"
	says --connection full
	says --connection keepalive:5
	says --connection keepalive --streams 4
	end_process "$SERVE_PID"
	start_serve coaps+tcp://127.0.0.1:0 --workload message --profile cose --credentials "$T/keys"
	says --insecure --connection full
}

@test "libcoap's client is answered over TCP" {
	need coap-client-notls
	start_serve coap+tcp://127.0.0.1:0 --threads 1
	timeout 10 coap-client-notls -m get "$URL/page/40/text" >"$T/answer" 2>"$T/client.err"
	[ "$(head -c 40 "$T/answer" | wc -c)" -eq 40 ] || { show "$T/answer" "$T/client.err" "$T/serve.err"; return 1; }
	end_process "$SERVE_PID"
	grep -qF '1 requests answered and 0 rejected' "$T/serve.err" || { show "$T/serve.err"; return 1; }
}
