#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# resume - openssl s_client comes back to our server: with tickets, with session ids, with early
# data, with a certificate of its own; and the server's counters tell each from the others.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

EC13=tls1.3:AES128-GCM-SHA256:x25519:p256
EC12=tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256

serve_it() { # ENGINE SUITE ARG...
	local engine=$1 suite=$2
	shift 2
	need openssl
	need_engine "$engine"
	make_certificate server p256
	start_serve https://127.0.0.1:0 --engine "$engine" --suite "$suite" --cert "$T/server.pem" \
		--key "$T/server.key" "$@"
	printf 'GET /page/99 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' >"$T/request"
}

# come ARG...: one request with s_client, which reads until the server closes.
come() {
	timeout 10 openssl s_client -connect "${URL#https://}" -CAfile "$T/server.pem" -ign_eof \
		"$@" <"$T/request" >"$T/client.out" 2>&1 || true
}

# says WORDS: the client has said so, and has its page.
says() {
	grep -q "^$1" "$T/client.out" && grep -q '^HTTP/1.1 200' "$T/client.out" ||
		{ show "$T/client.out" "$T/serve.err"; return 1; }
}

# summary WORDS: of the server when it ends.
summary() {
	end_process "$SERVE_PID"
	grep -qF -- "$1" "$T/serve.err" || { show "$T/serve.err"; return 1; }
}

# resumes ENGINE SUITE ARG...: four threads, so that a ticket comes to another than made it.
resumes() {
	serve_it "$@"
	local i
	come -sess_out "$T/session"
	says "New, "
	for i in 1 2 3 4 5 6; do
		come -sess_in "$T/session" -sess_out "$T/session"
		says "Reused, "
	done
	come
	says "New, "
	summary "handshakes: 2 full, 6 resumed, 0 failed"
}

@test "tickets, openssl, TLS 1.3" { resumes openssl $EC13 --tickets 2 --threads 4; }
@test "tickets, openssl, TLS 1.2" { resumes openssl $EC12 --tickets 1 --threads 4; }
@test "tickets, wolfssl, TLS 1.3" { resumes wolfssl $EC13 --tickets 2 --threads 4; }
@test "tickets, wolfssl, TLS 1.2" { resumes wolfssl $EC12 --tickets 1 --threads 4; }

@test "session ids, openssl" { resumes openssl $EC12 --session-ids --threads 1; }
@test "session ids, wolfssl" { resumes wolfssl $EC12 --session-ids --threads 1; }

never_resumes() {
	serve_it "$@"
	come -sess_out "$T/session"
	says "New, "
	[ ! -s "$T/session" ] || come -sess_in "$T/session"
	says "New, "
	summary " 0 resumed, 0 failed"
}

@test "nothing is resumed unless asked, openssl, TLS 1.3" { never_resumes openssl $EC13; }
@test "nothing is resumed unless asked, openssl, TLS 1.2" { never_resumes openssl $EC12; }
@test "nothing is resumed unless asked, wolfssl, TLS 1.3" { never_resumes wolfssl $EC13; }
@test "nothing is resumed unless asked, wolfssl, TLS 1.2" { never_resumes wolfssl $EC12; }

@test "early data is answered and counted" {
	need jq
	mkfifo "$T/ask"
	exec 7<>"$T/ask"
	SERVE_INPUT=$T/ask
	serve_it openssl $EC13 --tickets 2 --early-data 4KiB --counters
	come -sess_out "$T/session"
	mv "$T/request" "$T/early"
	: >"$T/request"
	come -sess_in "$T/session" -early_data "$T/early"
	says "Early data was accepted"
	grep -q '^Reused, ' "$T/client.out"
	echo >&7
	wait_until 5 grep -q '^{' "$T/serve.out"
	tail -n 1 "$T/serve.out" | jq -e '.requests == 2 and .handshakes ==
		{full: 1, resumed: 1, early_data: 1, failed: 0}'
}

shows_a_certificate() { # ENGINE SUITE
	need openssl
	make_certificate client p256
	serve_it "$1" "$2" --client-ca "$T/client.pem"
	come -cert "$T/client.pem" -key "$T/client.key"
	says "New, "
	come
	refute grep -q '^HTTP/1.1' "$T/client.out"
	come -cert "$T/server.pem" -key "$T/server.key"
	refute grep -q '^HTTP/1.1' "$T/client.out"
	summary "1 requests answered and 0 rejected on 3 connections; handshakes: 1 full, 0 resumed, 2 failed"
}

@test "a client's certificate is asked for, openssl, TLS 1.3" { shows_a_certificate openssl $EC13; }
@test "a client's certificate is asked for, openssl, TLS 1.2" { shows_a_certificate openssl $EC12; }
@test "a client's certificate is asked for, wolfssl, TLS 1.3" { shows_a_certificate wolfssl $EC13; }
@test "a client's certificate is asked for, wolfssl, TLS 1.2" { shows_a_certificate wolfssl $EC12; }
