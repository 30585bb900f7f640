#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# coap-load - `cipherwatt load` over UDP and DTLS against servers that are not ours: libcoap's over
# OpenSSL and over GnuTLS, OpenSSL's own, and through a network that loses, reorders and doubles.

load helpers

setup() {
	setup_common
	need jq perl
	printf 'device=%s\n' "$(printf 'sixteen-byte-key' | base64)" >"$T/keys"
}

teardown() {
	teardown_common
}

PSK_SUITE=dtls1.2:PSK-AES128-CCM8:none:psk
CERT_SUITE=dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256

answers() {
	"$CIPHERWATT" load "coap://127.0.0.1:$COAP_PORT/" --count 1 --clients 1 --warmup 0 \
		--timeout 1s >/dev/null 2>&1 </dev/null 3>&-
}

libcoap_is_up_or_ended() {
	ended "$LIBCOAP_PID" || answers
}

# start_libcoap BACKEND ARG...: $COAP_URL and $COAPS_URL are its addresses. Other ports are tried
# when those that were free have been taken meanwhile.
start_libcoap() {
	local program=coap-server-$1 try
	shift
	need "$program"
	for try in 1 2 3; do
		COAP_PORT=$(free_pair)
		"$program" -A 127.0.0.1 -p "$COAP_PORT" "$@" >"$T/libcoap.log" 2>&1 </dev/null 3>&- &
		LIBCOAP_PID=$!
		PIDS+=("$LIBCOAP_PID")
		wait_until 5 libcoap_is_up_or_ended || true
		if ! ended "$LIBCOAP_PID"; then
			COAP_URL=coap://127.0.0.1:$COAP_PORT COAPS_URL=coaps://127.0.0.1:$((COAP_PORT + 1))
			return 0
		fi
	done
	show "$T/libcoap.log"
	return 1
}

# many URL ARG...: 200 and 2000 requests at 1, 40 and 120 clients, and not one fails.
many() {
	local url=$1 clients count
	shift
	for clients in 1 40 120; do
		for count in 200 2000; do
			load_cell "$url/" --connection keepalive --clients "$clients" --count "$count" \
				--warmup 0 "$@"
			check "$BALANCE" ".requests.succeeded == $count" '.connections.reconnects == 0' \
				'.datagrams.dropped == 0' ".clients_connected == $clients" \
				".fairness.clients == $clients" '.valid'
		done
	done
}

@test "200 and 2000 requests at 1, 40 and 120 clients: libcoap with OpenSSL, PSK" {
	need_engine openssl
	start_libcoap openssl -k sixteen-byte-key
	many "$COAPS_URL" --suite "$PSK_SUITE" --psk-file "$T/keys" --dtls-timeout 200ms
	check ".negotiated == \"$PSK_SUITE\"" '.handshakes.full == 120' '.first_us.n == 120' \
		'.warm_us.n == 1880' '.handshake_us.n == 120'
}

@test "200 and 2000 requests at 1, 40 and 120 clients: libcoap with GnuTLS, PSK" {
	need_engine openssl
	start_libcoap gnutls -k sixteen-byte-key
	many "$COAPS_URL" --suite "$PSK_SUITE" --psk-file "$T/keys" --dtls-timeout 200ms
}

@test "200 and 2000 requests at 1, 40 and 120 clients: libcoap without DTLS" {
	start_libcoap openssl -k sixteen-byte-key
	many "$COAP_URL"
	check '.datagrams.sent == 2000' '.handshakes.full == 0' '.negotiated == "plain"'
}

@test "requests of each client: 17 of 120, as Californium sums them up" {
	start_libcoap openssl -k sixteen-byte-key
	load_cell "$COAP_URL/" --connection keepalive --clients 120 --count-per-client 17 --warmup 0 \
		--histogram californium
	check '.requests.started == 2040' '.fairness.requests == {min: 17, max: 17, jain: 1}' \
		'.californium.connects.n == 120' '.californium.responses.n == 1920' \
		'.californium.responses | .p95_ms % 5 == 4 or .p95_ms == .max_ms' \
		'.fairness.each | length == 120 and all(.[0] == 17)'
	"$CIPHERWATT" load "$COAP_URL/" --connection keepalive --clients 3 --count 9 --warmup 0 \
		--histogram californium >"$T/text" 2>&1
	grep -qE '^success-responses *: #: 6, (avg|sum)\.: .* ms, 95%: .* ms, max\.: [0-9]+ ms$' "$T/text" ||
		{ show "$T/text"; return 1; }
}

certificates() { # ENGINE
	need_engine "$1"
	make_certificate server p256
	make_certificate other p256
	start_libcoap openssl -c "$T/server.pem" -j "$T/server.key" -n
	load_cell "$COAPS_URL/" --engine "$1" --suite "$CERT_SUITE" --ca "$T/server.pem" --clients 4 \
		--count 40 --warmup 0
	check '.handshakes.full == 40' '.requests.succeeded == 40' ".negotiated == \"$CERT_SUITE\"" \
		'.handshake_us.n == 40'
	refute "$CIPHERWATT" load "$COAPS_URL/" --engine "$1" --suite "$CERT_SUITE" --ca "$T/other.pem" \
		--clients 1 --count 1 --warmup 0 >"$T/refused" 2>&1
	grep -qi 'handshake' "$T/refused" || { show "$T/refused"; return 1; }
}

@test "a certificate is verified: OpenSSL" {
	certificates openssl
}

@test "a certificate is verified: wolfSSL" {
	certificates wolfssl
}

@test "sessions are resumed, each behind a client's first" {
	need_engine openssl
	make_certificate server p256
	start_libcoap openssl -c "$T/server.pem" -j "$T/server.key" -n
	load_cell "$COAPS_URL/" --suite "$CERT_SUITE" --insecure --clients 4 --count 60 --warmup 0 \
		--connection resume
	check '.handshakes.full == 4' '.handshakes.resumed == 56' '.resumed_pct == 100' '.valid'
}

@test "openssl s_server shakes hands, and gets the request as it is" {
	need openssl
	need_engine openssl
	local port
	port=$(free_pair)
	mkfifo "$T/s_server.in"
	sleep 1000 >"$T/s_server.in" 3>&- &
	PIDS+=($!)
	openssl s_server -dtls1_2 -accept "127.0.0.1:$port" -nocert -psk_identity device \
		-psk "$(printf 'sixteen-byte-key' | od -An -tx1 | tr -d ' \n')" \
		-cipher 'PSK-AES128-CCM8:@SECLEVEL=0' <"$T/s_server.in" >"$T/s_server.out" 2>&1 3>&- &
	PIDS+=($!)
	wait_until 5 grep -q ACCEPT "$T/s_server.out"
	status=0
	"$CIPHERWATT" load "coaps://127.0.0.1:$port/hello/there" --suite "$PSK_SUITE" \
		--psk-file "$T/keys" --clients 1 --count 1 --warmup 0 --timeout 1s --json \
		>"$T/cell.json" 2>"$T/load.err" || status=$?
	[ "$status" -eq 1 ]
	check '.handshakes.full == 1' '.requests.timed_out == 1' ".negotiated == \"$PSK_SUITE\""
	grep -qa 'hello.there' "$T/s_server.out" || { show "$T/s_server.out"; return 1; }
}

@test "5 % of datagrams lost: every request comes back" {
	need_engine openssl
	start_libcoap openssl -k sixteen-byte-key
	start_proxy "$((COAP_PORT + 1))" --loss 5
	load_cell "coaps://$PROXY/" --suite "$PSK_SUITE" --psk-file "$T/keys" --connection keepalive \
		--clients 20 --count 1000 --warmup 0 --ack-timeout 20ms --dtls-timeout 100ms --timeout 20s
	check "$BALANCE" '.requests.succeeded == 1000' '.datagrams.coap.retransmissions > 20' '.valid'
}

@test "20 % lost: what does not come back is counted as given up" {
	need_engine openssl
	start_libcoap openssl -k sixteen-byte-key
	start_proxy "$((COAP_PORT + 1))" --loss 20
	load_cell "coaps://$PROXY/" --suite "$PSK_SUITE" --psk-file "$T/keys" --connection keepalive \
		--clients 20 --count 600 --warmup 0 --ack-timeout 20ms --dtls-timeout 100ms --timeout 5s --min-success 90
	check "$BALANCE" '.requests.failed == 0' '.requests.timed_out < 30' \
		'.datagrams.coap.retransmissions > 200'
}

@test "reordered and doubled datagrams: nothing fails, nothing counts twice" {
	need_engine openssl
	start_libcoap openssl -k sixteen-byte-key
	start_proxy "$COAP_PORT" --reorder 20 --duplicate 20 --hold 3ms
	load_cell "coap://$PROXY/" --connection keepalive --clients 20 --count 1000 --warmup 0 --timeout 20s
	check "$BALANCE" '.requests.succeeded == 1000' '.body_bytes == .payload_bytes * 1000' \
		'.datagrams.coap | .duplicates + .strays > 100'
}

@test "doubled records of DTLS are told once, and counted" {
	need_engine openssl
	need_engine wolfssl
	make_certificate server p256
	start_libcoap openssl -c "$T/server.pem" -j "$T/server.key" -n
	start_proxy "$((COAP_PORT + 1))" --duplicate 30 --hold 2ms
	local engine
	for engine in openssl wolfssl; do
		load_cell "coaps://$PROXY/" --engine "$engine" --suite "$CERT_SUITE" --insecure \
			--connection keepalive --clients 10 --count 500 --warmup 0 --timeout 20s
		check "$BALANCE" '.requests.succeeded == 500' '.body_bytes == .payload_bytes * 500' \
			'.datagrams.dtls_unread > 50' '.datagrams.coap.duplicates == 0'
	done
}

@test "the lowest rate that meets a target is found" {
	start_libcoap openssl -k sixteen-byte-key
	load_cell "$COAP_URL/" --connection keepalive --clients 1 --count 12 --warmup 0 \
		--datagram-overhead 28 --find-rate 'mean<=20ms' --find-range 500B/s..100kB/s
	check '.find_rate.state == "found"' '.find_rate | .meets_bytes_per_s <= .fails_bytes_per_s * 1.05 + 1' \
		'.find_rate.found_bytes_per_s | . > 1300 and . < 2600' \
		'.find_rate.probes | length >= 3 and all(.runs >= 1)' \
		'.asked.upload_bytes_per_s == .find_rate.found_bytes_per_s'
	refute "$CIPHERWATT" load "$COAP_URL/" --connection keepalive --clients 1 --count 5 --warmup 0 \
		--find-rate 'mean<=1s' --find-range 1kB/s..2kB/s >"$T/text" 2>"$T/find.err"
	grep -q 'the bracket does not hold' "$T/find.err" || { show "$T/find.err"; return 1; }
}

refuses() { # WORDS ARG...
	local words=$1
	shift
	status=0
	"$CIPHERWATT" load "$@" >/dev/null 2>"$T/err" </dev/null || status=$?
	[ "$status" -eq 2 ] && grep -qF -- "$words" "$T/err" || { echo "$status: $*" >&2; show "$T/err"; return 1; }
}

@test "what CoAP cannot do is refused with a sentence" {
	local u=coap://127.0.0.1:1/
	refuses 'use 2 clients or more, or --reuse-ids' "$u" --rate 300 --clients 1 --connection keepalive
	refuses 'the largest is 256' "$u" --block 1024 --mtu 600
	refuses 'there is nothing to resume' "$u" --connection resume
	refuses 'no content codings' "$u" --gzip
	refuses 'needs a suite' coaps://127.0.0.1:1/ --insecure
	refuses 'runs over DTLS, not tls1.3' coaps://127.0.0.1:1/ --insecure \
		--suite tls1.3:AES128-GCM-SHA256:x25519:p256
	refuses 'for coap:// and coaps:// only' http://127.0.0.1:1/ --block 64
	refuses 'coap has none' "$u" --dtls-timeout 1s
	refuses "--dtls-timeout: '14ms' is not between 15 ms and 1 min" "$u" --dtls-timeout 14ms
	refuses "--dtls-timeout: '61s' is not between 15 ms and 1 min" "$u" --dtls-timeout 61s
	refuses '--driver is for http:// and https:// only' "$u" --driver ab
	refuses 'leave out --count' "$u" --count 3 --count-per-client 3
	refuses 'is not a target' "$u" --find-rate 'mean<1s'
	refuses 'leave out --upload-rate' "$u" --find-rate 'mean<=1s' --upload-rate 1kB/s
}

@test "a buffer that the system does not grant is said" {
	start_libcoap openssl -k sixteen-byte-key
	"$CIPHERWATT" load "$COAP_URL/" --connection keepalive --clients 1 --count 5 --warmup 0 \
		--receive-buffer 512MiB --json >"$T/cell.json" 2>"$T/load.err"
	check '.datagrams.receive_buffer_bytes > 0' '.datagrams.machine.in_datagrams >= 10'
	if [ "$(cat /proc/sys/net/core/rmem_max)" -lt 536870912 ]; then
		grep -q 'net.core.rmem_max' "$T/load.err" || { show "$T/load.err"; return 1; }
	fi
}
