#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# early - load with early data (0-RTT): accepted by our server, refused by one that promised it,
# never asked for where the server promises none.

load helpers

setup() {
	setup_common
	need jq
	need_engine openssl
}

teardown() {
	teardown_common
}

EC13=tls1.3:AES128-GCM-SHA256:x25519:p256

early() { # ARG...
	status=0
	"$CIPHERWATT" load "$URL/" --insecure --engine openssl --suite "$EC13" --warmup 0 \
		--connection resume --early-data --json "$@" >"$T/cell" 2>"$T/load.err" || status=$?
}

handshakes_are() { # FILTER
	jq -e ".requests.succeeded == .requests.started and .valid and (.handshakes | $1)" \
		"$T/cell" >/dev/null || { jq -c '.handshakes, .reason' "$T/cell"; show "$T/load.err" "$T/serve.err"; return 1; }
}

@test "every resumed handshake takes its request along, and gets a ticket for the next" {
	start_serve https://127.0.0.1:0 --engine openssl --suite "$EC13" --threads 2 --tickets 1 \
		--early-data 4KiB
	early --clients 3 --count 60
	[ "$status" -eq 0 ] || { show "$T/load.err"; return 1; }
	handshakes_are '.full == 3 and .resumed == 57 and .early_data == 57 and .early_data_refused == 0'
	end_process "$SERVE_PID"
	grep -qF '3 full, 57 resumed, 0 failed' "$T/serve.err" || { show "$T/serve.err"; return 1; }
}

@test "a server that promises none is sent none" {
	start_serve https://127.0.0.1:0 --engine openssl --suite "$EC13" --threads 1 --tickets 1
	early --clients 2 --count 20
	[ "$status" -eq 0 ]
	handshakes_are '.resumed == 18 and .early_data == 0 and .early_data_refused == 0'
}

@test "what openssl s_server refuses is sent again behind the handshake" {
	need openssl
	local port
	make_certificate server p256
	port=$(free_port)
	# Tickets promise early data, and without -early_data it takes none.
	openssl s_server -accept "127.0.0.1:$port" -cert "$T/server.pem" -key "$T/server.key" \
		-tls1_3 -max_early_data 4096 -www >"$T/serve.err" 2>&1 3>&- &
	PIDS+=("$!")
	wait_until 10 port_answers "$port"
	URL=https://127.0.0.1:$port
	early --clients 1 --count 10
	[ "$status" -eq 0 ] || { show "$T/load.err" "$T/serve.err"; return 1; }
	handshakes_are '.full == 1 and .resumed == 9 and .early_data == 0 and .early_data_refused == 9'
}

@test "early data that cannot be is refused with the reason" {
	local words
	for words in "--connection full|resumed handshake" "--connection resume --http 2|HTTP/1.1" \
		"--connection resume --suite tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256|TLS 1.3" \
		"--connection resume --engine wolfssl|early data not built in"; do
		[[ $words == *wolfssl* ]] && ! "$CIPHERWATT" --version | grep -q '^engine wolfssl ' && continue
		status=0
		# shellcheck disable=SC2086 # words are words
		"$CIPHERWATT" load https://127.0.0.1:9/ -k --early-data ${words%%|*} 2>"$T/err" || status=$?
		[ "$status" -gt 0 ] && grep -qF -- "${words#*|}" "$T/err" ||
			{ echo "$words: $status"; show "$T/err"; return 1; }
	done
}
