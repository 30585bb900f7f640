#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# psk - pre-shared keys from a file: each client its own, both engines, OpenSSL's programs, and
# what a client without the right one is told.

load helpers

setup() {
	setup_common
	cat >"$T/keys" <<-END
		# of three devices
		one=AAECAwQFBgcICQoLDA0ODw==

		two=EAECAwQFBgcICQoLDA0ODw==
		three=IAECAwQFBgcICQoLDA0ODxAREhMUFRYX
	END
}

teardown() {
	teardown_common
}

CCM8=tls1.2:PSK-AES128-CCM8:none:psk
DHE=tls1.2:DHE-PSK-AES128-GCM-SHA256:ffdhe2048:psk
ECDHE=tls1.2:ECDHE-PSK-AES128-CBC-SHA256:p256:psk

serve_keys() { # ENGINE SUITE
	need_engine "$1"
	start_serve https://127.0.0.1:0 --threads 1 --engine "$1" --suite "$2" --psk-file "$T/keys"
}

ask() { # ENGINE SUITE ARG...
	local engine=$1 suite=$2
	shift 2
	status=0
	"$CIPHERWATT" load "$URL/" --engine "$engine" --suite "$suite" --psk-file "$T/keys" \
		--warmup 0 --json "$@" >"$T/cell" 2>"$T/load.err" || status=$?
}

# all_come SERVER CLIENT SUITE: six clients, each identity twice, and each comes twice.
all_come() {
	need jq
	need_engine "$2"
	serve_keys "$1" "$3"
	ask "$2" "$3" --psk-identity each --clients 6 --count 12
	[ "$status" -eq 0 ] || { show "$T/load.err" "$T/serve.err"; return 1; }
	jq -e --arg suite "$3" '.negotiated == $suite and (.asked.insecure | not) and .asked.psk_identity == "each" and
		.handshakes.full == 12' "$T/cell" >/dev/null || { show "$T/cell"; return 1; }
	end_process "$SERVE_PID"
	grep -qF '12 full, 0 resumed, 0 failed' "$T/serve.err" || { show "$T/serve.err"; return 1; }
}

@test "each client its own key: openssl to openssl, PSK" {
	all_come openssl openssl "$CCM8"
}

@test "each client its own key: openssl to openssl, DHE-PSK" {
	all_come openssl openssl "$DHE"
}

@test "each client its own key: openssl to openssl, ECDHE-PSK" {
	all_come openssl openssl "$ECDHE"
}

@test "each client its own key: wolfssl serves, DHE-PSK and ECDHE-PSK" {
	all_come wolfssl openssl "$DHE"
	all_come wolfssl wolfssl "$ECDHE"
}

@test "each client its own key: wolfssl loads, DHE-PSK and ECDHE-PSK" {
	all_come openssl wolfssl "$ECDHE"
	all_come wolfssl wolfssl "$DHE"
}

# refused_with FILE: why, without the identity.
refused_with() {
	cp "$T/keys" "$T/kept"
	cp "$1" "$T/keys"
	ask "$CLIENT" "$DHE" --clients 1 --count 1
	cp "$T/kept" "$T/keys"
	[ "$status" -eq 1 ]
	grep 'nothing succeeded' "$T/load.err"
}

stranger_and_thief() { # SERVER CLIENT
	CLIENT=$2
	need_engine "$2"
	serve_keys "$1" "$DHE"
	echo 'four=AAECAwQFBgcICQoLDA0ODw==' >"$T/stranger"
	echo 'one=//ECAwQFBgcICQoLDA0ODw==' >"$T/thief"
	refused_with "$T/stranger" >"$T/stranger.why"
	refused_with "$T/thief" >"$T/thief.why"
	diff "$T/stranger.why" "$T/thief.why"
	ask "$2" "$DHE" --clients 1 --count 1
	[ "$status" -eq 0 ]
	end_process "$SERVE_PID"
	grep -qF '1 full, 0 resumed, 2 failed' "$T/serve.err" || { show "$T/serve.err"; return 1; }
}

@test "an unknown identity is refused like a wrong key: openssl" {
	stranger_and_thief openssl openssl
}

@test "an unknown identity is refused like a wrong key: wolfssl" {
	stranger_and_thief wolfssl wolfssl
}

@test "openssl s_client shows the second key of the file" {
	need openssl
	serve_keys openssl "$CCM8"
	printf 'GET /page/99 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' >"$T/request"
	timeout 10 openssl s_client -connect "${URL#https://}" -tls1_2 -psk_identity two \
		-psk 100102030405060708090a0b0c0d0e0f -cipher PSK-AES128-CCM8 -ign_eof \
		<"$T/request" >"$T/client.out" 2>&1 || true
	grep -q '^HTTP/1.1 200' "$T/client.out" || { show "$T/client.out" "$T/serve.err"; return 1; }
}

@test "load shows its key to openssl s_server" {
	need openssl
	need_engine openssl
	local port
	port=$(free_port)
	(cd "$T" && exec openssl s_server -accept "127.0.0.1:$port" -nocert -psk_identity three \
		-psk 200102030405060708090a0b0c0d0e0f1011121314151617 -cipher PSK-AES128-CCM8 -tls1_2 \
		-www >"$T/s_server.out" 2>&1 3>&-) &
	PIDS+=("$!")
	wait_until 10 port_answers "$port"
	URL=https://127.0.0.1:$port
	ask openssl "$CCM8" --psk-identity three --clients 1 --count 2
	[ "$status" -eq 0 ] || { show "$T/load.err" "$T/s_server.out"; return 1; }
}

@test "what contradicts itself is refused" {
	need_engine openssl
	local words
	for words in "--suite $CCM8|give --psk-file" "--psk-file $T/keys|needs a --suite" \
		"--suite $CCM8 --psk-file $T/keys --psk-identity four|no identity 'four'" \
		"--suite $CCM8 --psk-file $T/none|none" "--suite $CCM8 --psk-file $T/keys -k|--insecure" \
		"--suite $CCM8 --psk-file $T/keys --driver ab|builtin only"; do
		status=0
		# shellcheck disable=SC2086 # words are words
		"$CIPHERWATT" load https://127.0.0.1:9/ ${words%%|*} 2>"$T/err" || status=$?
		[ "$status" -eq 2 ] && grep -qF -- "${words#*|}" "$T/err" ||
			{ echo "$words: $status"; show "$T/err"; return 1; }
	done
}
