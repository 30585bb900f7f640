#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# interop - real peers: nginx measured by our client; curl, openssl, ab and wrk against our
# server; our client against our server across engines.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

page() { # BYTES: a compressible file of that length
	yes 'sensor 17 temperature 21.5 humidity 48' | head -c "$1"
}

# --- our client, nginx -------------------------------------------------------

# nginx_full ENGINE KIND SUITE: every request a full handshake, verified, nothing but ours seen.
nginx_full() {
	need nginx openssl jq perl
	need_engine "$1"
	make_certificate server "$2"
	start_nginx 'ssl_session_cache shared:S:1m; ssl_session_tickets on;'
	page 512 >"$T/www/page"
	load_cell "$NGINX_HTTPS/page" --engine "$1" --ca "$T/server.pem" --suite "$3" --count 40 \
		--clients 4 --warmup 50ms --verify-body
	check "$BALANCE" '.valid and .complete' '.requests.succeeded == 40' \
		'.handshakes == {full: 40, resumed: 0, early_data: 0, early_data_refused: 0, failed: 0}' \
		'.payload_bytes == 512' '.encoding == "identity"' ".engine == \"$1\"" \
		".suite == \"$3\" and .negotiated == \"$3\"" '.strength_bits > 0' \
		'.requests_per_s.mean > 0' '.connections.closed_first == 0' \
		'.response_us.n == 40 and .handshake_us.n == 40' \
		'.response_us | .min <= .p50 and .p50 <= .p95 and .p95 <= .p99 and .p99 <= .max'
	# The server saw each of our requests, no probe, and no resumption.
	[ "$(wc -l <"$T/nginx.log")" -eq "$(cell .total.requests.started)" ]
	[ "$(grep -c ' \. 200 ' "$T/nginx.log")" -eq "$(wc -l <"$T/nginx.log")" ]
}

@test "openssl measures nginx, TLS 1.2, P-256" {
	nginx_full openssl p256 tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256
}

@test "openssl measures nginx, TLS 1.2, RSA-2048" {
	nginx_full openssl rsa2048 tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048
}

@test "openssl measures nginx, TLS 1.3, P-256" {
	nginx_full openssl p256 tls1.3:AES128-GCM-SHA256:x25519:p256
}

@test "wolfssl measures nginx, TLS 1.2, P-256" {
	nginx_full wolfssl p256 tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256
}

@test "wolfssl measures nginx, TLS 1.2, RSA-2048" {
	nginx_full wolfssl rsa2048 tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048
}

@test "wolfssl measures nginx, TLS 1.3, P-256" {
	nginx_full wolfssl p256 tls1.3:AES128-GCM-SHA256:x25519:p256
}

@test "keep-alive counts what nginx closes between requests" {
	need nginx openssl jq perl
	make_certificate server p256
	start_nginx 'keepalive_requests 10;'
	page 100 >"$T/www/page"
	"$CIPHERWATT" load "$NGINX_HTTPS/page" --ca "$T/server.pem" --connection keepalive --count 100 \
		--clients 1 --warmup 0 --json >"$T/cell.json" 2>"$T/load.err" && status=0 || status=$?
	# One handshake in ten requests: that is no cost of a kept connection.
	[ "$status" -eq 3 ]
	check '.valid | not' '.reason | test("keepalive_requests")' '.requests.succeeded == 100' \
		'.connections.established == 10' '.connections.reconnects == 9' '.handshakes.full == 10'
	load_cell "$NGINX_HTTPS/page" --ca "$T/server.pem" --connection keepalive:10 --count 100 \
		--clients 1 --warmup 0
	check .valid '.connections.established == 10' '.connections.reconnects == 0'
}

@test "gzip from nginx decodes, and is smaller on the wire" {
	need nginx openssl jq perl
	make_certificate server p256
	start_nginx 'gzip on; gzip_min_length 0; gzip_types text/plain;'
	page 20000 >"$T/www/page"
	load_cell "$NGINX_HTTP/page" --count 10 --warmup 0 --connection keepalive --gzip --verify-body
	check .valid '.encoding == "gzip"' '.payload_bytes == 20000' '.body_bytes < 20000 * 10 / 4' \
		'.suite == "plain" and .strength_bits == 0' '.handshakes.full == 0'
	load_cell "$NGINX_HTTP/page" --count 10 --warmup 0 --connection keepalive --verify-body
	check .valid '.encoding == "identity"' '.body_bytes == 200000'
}

@test "a coding that nginx was not allowed to use, and one that is none, are failures" {
	need nginx openssl jq perl
	make_certificate server p256
	start_nginx 'add_header Content-Encoding br;'
	page 2000 >"$T/www/page"
	run "$CIPHERWATT" load "$NGINX_HTTP/page" --count 4 --warmup 0 --verify-body
	[ "$status" -eq 1 ]
	[[ $output == *"coded with br, which was not accepted"* ]]
	run "$CIPHERWATT" load "$NGINX_HTTP/page" --count 4 --warmup 0 --verify-body --accept br
	[ "$status" -eq 1 ]
	[[ $output == *"the br body does not decode"* ]]
	load_cell "$NGINX_HTTP/page" --count 4 --warmup 0
	check .valid '.encoding == "br"' '.body_bytes == 8000'
}

@test "a certificate of another CA or another name is refused" {
	need nginx openssl jq perl
	make_certificate other p256
	make_certificate server p256
	start_nginx
	page 10 >"$T/www/page"
	run "$CIPHERWATT" load "$NGINX_HTTPS/page" --ca "$T/other.pem" --count 4 --json
	[ "$status" -eq 1 ]
	[[ $output == *"nothing succeeded: handshake: "* ]]
	run "$CIPHERWATT" load "$NGINX_HTTPS/page" --ca "$T/server.pem" --count 4 --json \
		--server-name elsewhere.example
	[ "$status" -eq 1 ]
	run "$CIPHERWATT" load "$NGINX_HTTPS/page" --insecure --count 4 --json
	[ "$status" -eq 0 ]
}

@test "a suite that the server does not have fails, with the handshake's reason" {
	need nginx openssl jq perl
	make_certificate server rsa2048
	start_nginx
	run "$CIPHERWATT" load "$NGINX_HTTPS/" --insecure --count 4 --json \
		--suite tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256
	[ "$status" -eq 1 ]
	[[ $output == *"handshake"* ]]
}

@test "errors of the server are failures with a status of their own" {
	need nginx openssl jq perl
	make_certificate server p256
	start_nginx 'location /sick { return 503; }'
	run "$CIPHERWATT" load "$NGINX_HTTP/sick" --count 20 --json
	[ "$status" -eq 1 ]
	[[ $output == *"status 503"* ]]
	"$CIPHERWATT" load "$NGINX_HTTP/sick" --count 20 --json >"$T/cell.json" 2>/dev/null || true
	check "$BALANCE" '.valid | not' '.requests.failed == 20' '.statuses["5xx"] == 20' \
		'.response_us.p50 == null and .response_us.n == 0' '.requests_per_s.mean == 0' \
		'.failed_us.n == 20'
}

# --- other clients, our server ------------------------------------------------

EC_SUITE=tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256

# serve_https ENGINE SUITE
serve_https() {
	need_engine "$1"
	make_certificate server "${2##*:}"
	start_serve https://127.0.0.1:0 --engine "$1" --suite "$2" --cert "$T/server.pem" \
		--key "$T/server.key"
}

use_curl() { # ENGINE
	need curl openssl
	serve_https "$1" "$EC_SUITE"
	run curl -sS --cacert "$T/server.pem" -o "$T/body" -w '%{http_code} %{size_download}' \
		"$URL/page/512"
	[ "$output" = "200 512" ]
	run curl -sS --cacert "$T/server.pem" --compressed -D "$T/head" -o "$T/decoded" \
		-w '%{http_code}' "$URL/page/5000"
	[ "$output" = 200 ]
	grep -qi '^content-encoding: gzip' "$T/head"
	[ "$(wc -c <"$T/decoded")" -eq 5000 ]
	curl -sS --cacert "$T/server.pem" -o "$T/plain" "$URL/page/5000"
	cmp "$T/plain" "$T/decoded"
	# Two requests on one connection, and a HEAD.
	run curl -sSv --cacert "$T/server.pem" -o "$T/1" "$URL/page/1" -o "$T/2" "$URL/page/2"
	[[ $output == *"Re-using existing connection"* ]]
	run curl -sSI --cacert "$T/server.pem" "$URL/page/512"
	[[ $output == *"200"* ]]
}

@test "curl and the openssl server" { use_curl openssl; }
@test "curl and the wolfssl server" { use_curl wolfssl; }

use_s_client() { # ENGINE SUITE FLAG CIPHER
	need openssl
	serve_https "$1" "$2"
	printf 'GET /page/100 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >"$T/request"
	run openssl s_client -connect "${URL#https://}" -CAfile "$T/server.pem" \
		-verify_return_error "$3" -ign_eof <"$T/request"
	[ "$status" -eq 0 ]
	[[ $output == *"$4"* ]]
	[[ $output == *"HTTP/1.1 200"* ]]
	[[ $output == *"Verify return code: 0"* ]]
}

@test "openssl s_client and the openssl server, TLS 1.2" {
	use_s_client openssl "$EC_SUITE" -tls1_2 ECDHE-ECDSA-AES128-GCM-SHA256
}

@test "openssl s_client and the openssl server, TLS 1.3" {
	use_s_client openssl tls1.3:AES128-GCM-SHA256:x25519:rsa2048 -tls1_3 TLS_AES_128_GCM_SHA256
}

@test "openssl s_client and the wolfssl server, TLS 1.2" {
	use_s_client wolfssl "$EC_SUITE" -tls1_2 ECDHE-ECDSA-AES128-GCM-SHA256
}

@test "openssl s_client and the wolfssl server, TLS 1.3" {
	use_s_client wolfssl tls1.3:AES128-GCM-SHA256:x25519:rsa2048 -tls1_3 TLS_AES_128_GCM_SHA256
}

use_ab() { # ENGINE
	need ab openssl
	serve_https "$1" "$EC_SUITE"
	local keep
	for keep in "" -k; do
		run ab -q $keep -n 50 -c 4 "$URL/page/512"
		[ "$status" -eq 0 ]
		[[ $output =~ Complete\ requests:\ +50 ]]
		[[ $output =~ Failed\ requests:\ +0 ]]
		[[ $output =~ Document\ Length:\ +512 ]]
	done
}

@test "ab and the openssl server" { use_ab openssl; }
@test "ab and the wolfssl server" { use_ab wolfssl; }

use_wrk() { # ENGINE
	need wrk openssl
	serve_https "$1" "$EC_SUITE"
	run wrk -t 1 -c 4 -d 1s "$URL/page/512"
	[ "$status" -eq 0 ]
	[[ $output =~ ([0-9]+)\ requests\ in ]]
	[ "${BASH_REMATCH[1]}" -gt 0 ]
	[[ $output != *"Socket errors"* ]]
	[[ $output != *"Non-2xx"* ]]
}

@test "wrk and the openssl server" { use_wrk openssl; }
@test "wrk and the wolfssl server" { use_wrk wolfssl; }

# --- our client, our server ---------------------------------------------------

ours() { # CLIENT_ENGINE SERVER_ENGINE SUITE MODE
	need jq openssl
	need_engine "$1"
	serve_https "$2" "$3"
	load_cell "$URL/page/300" --engine "$1" --ca "$T/server.pem" --suite "$3" --connection "$4" \
		--count 60 --clients 3 --warmup 50ms --gzip --verify-body
	check "$BALANCE" .valid '.requests.succeeded == 60' '.handshakes.resumed == 0' \
		".negotiated == \"$3\"" '.payload_bytes == 300'
	if [ "$4" = full ]; then
		check '.handshakes.full == 60' '.connections.closed_first == 0'
	else
		check '.handshakes.full == 0' '.connections.reconnects == 0'
	fi
}

for_each_mode() { # CLIENT SERVER
	ours "$1" "$2" "$EC_SUITE" full
	end_process "$SERVE_PID"
	ours "$1" "$2" tls1.3:AES128-GCM-SHA256:x25519:rsa2048 full
	end_process "$SERVE_PID"
	ours "$1" "$2" tls1.3:AES128-GCM-SHA256:x25519:p256 keepalive
}

@test "load and serve: openssl, openssl" { for_each_mode openssl openssl; }
@test "load and serve: openssl, wolfssl" { for_each_mode openssl wolfssl; }
@test "load and serve: wolfssl, openssl" { for_each_mode wolfssl openssl; }
@test "load and serve: wolfssl, wolfssl" { for_each_mode wolfssl wolfssl; }

# http2 CLIENT SERVER: kept, closed after each and after so many; with and without TLS.
http2() {
	need jq openssl
	need_engine "$1"
	need_engine "$2"
	make_certificate server p256
	start_serve https://127.0.0.1:0 http://127.0.0.1:0 --http 2 --engine "$2" \
		--suite tls1.3:AES128-GCM-SHA256:x25519:p256 --cert "$T/server.pem" --key "$T/server.key"
	local mode plain
	plain=$(sed -n 's/^listening on \(http:[^ ]*\).*/\1/p' "$T/serve.out")
	for mode in keepalive full keepalive:7; do
		load_cell "$URL/page/200000" --engine "$1" --ca "$T/server.pem" --http 2 \
			--connection "$mode" --count 28 --clients 2 --warmup 0 --verify-body
		check "$BALANCE" .valid '.requests.succeeded == 28' '.payload_bytes == 200000' \
			'.asked.http == "2"' '.connections.reconnects == 0'
		load_cell "${plain%/}/page/0" --http 2 --connection "$mode" --count 28 --clients 2 \
			--warmup 0
		check .valid '.payload_bytes == 0' '.connections.closed_first == 0'
	done
	check '.connections.established | . >= 4 and . <= 6'
	load_cell "$URL/page/200000" --engine "$1" --ca "$T/server.pem" --http 2 --gzip --verify-body \
		--connection keepalive --count 6 --clients 2 --warmup 0 --window 1MiB
	check .valid '.encoding == "gzip"' '.payload_bytes == 200000' '.asked.window_bytes == 1048576'
	load_cell "$URL/page/20000" --engine "$1" --ca "$T/server.pem" --http 2 --streams 32 \
		--connection keepalive --count 640 --clients 2 --warmup 0 --verify-body
	check "$BALANCE" .valid '.requests.succeeded == 640' '.handshakes.full == 2' \
		'.connections.established == 2' '.payload_bytes == 20000'
}

@test "HTTP/2: openssl, openssl" { http2 openssl openssl; }
@test "HTTP/2: openssl, wolfssl" { http2 openssl wolfssl; }
@test "HTTP/2: wolfssl, openssl" { http2 wolfssl openssl; }
@test "HTTP/2: wolfssl, wolfssl" { http2 wolfssl wolfssl; }

@test "HTTP/2 to a server that has none ends the run" {
	serve_https openssl "$EC_SUITE"
	run "$CIPHERWATT" load "$URL/page/1" --ca "$T/server.pem" --http 2 --count 4
	[ "$status" -eq 1 ]
	[[ $output == *"HTTP/2"* || $output == *"handshake"* ]]
	run "$CIPHERWATT" load "http://${URL#https://}/" --window 1MiB --count 4
	[ "$status" -eq 2 ]
	[[ $output == *"--http 2"* ]]
}

# resuming CLIENT SERVER SUITE: a fresh ticket each, the share asked for, and seen by the server.
resuming() {
	need jq openssl
	need_engine "$1"
	need_engine "$2"
	make_certificate server p256
	start_serve https://127.0.0.1:0 --engine "$2" --suite "$3" --cert "$T/server.pem" \
		--key "$T/server.key" --tickets 2 --threads 1
	load_cell "$URL/page/300" --engine "$1" --ca "$T/server.pem" --suite "$3" --count 41 \
		--clients 1 --warmup 0 --connection resume
	check "$BALANCE" .valid '.handshakes == {full: 1, resumed: 40, early_data: 0, early_data_refused: 0, failed: 0}' \
		'.resumed_pct == 100' '.connection == "resume"' '.asked.resume_pct == 100'
	load_cell "$URL/page/300" --engine "$1" --ca "$T/server.pem" --suite "$3" --count 41 \
		--clients 1 --warmup 0 --connection resume:25
	check .valid '.handshakes.resumed == 10 and .handshakes.full == 31' '.resumed_pct == 25'
	end_process "$SERVE_PID"
	start_serve https://127.0.0.1:0 --engine "$2" --suite "$3" --cert "$T/server.pem" \
		--key "$T/server.key"
	run "$CIPHERWATT" load "$URL/page/300" --engine "$1" --ca "$T/server.pem" --suite "$3" \
		--count 10 --clients 1 --warmup 0 --connection resume
	[ "$status" -eq 3 ]
	[[ $output == *"0 of 10 handshakes were resumed"* ]]
	end_process "$SERVE_PID"
}

resuming_both() {
	resuming "$1" "$2" tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256
	resuming "$1" "$2" tls1.3:AES128-GCM-SHA256:x25519:p256
}

@test "resume by ticket: openssl, openssl" { resuming_both openssl openssl; }
@test "resume by ticket: openssl, wolfssl" { resuming_both openssl wolfssl; }
@test "resume by ticket: wolfssl, openssl" { resuming_both wolfssl openssl; }
@test "resume by ticket: wolfssl, wolfssl" { resuming_both wolfssl wolfssl; }

@test "load and serve: plain" {
	need jq
	start_serve http://127.0.0.1:0
	load_cell "$URL/page/0" --count 50 --warmup 0
	check .valid '.payload_bytes == 0' '.suite == "plain"' '.connections.established == 50'
	load_cell "$URL/page/1000000" --count 20 --warmup 0 --connection keepalive --verify-body
	check .valid '.payload_bytes == 1000000' '.connections.established == 8'
}

@test "load and serve: IPv6, and a host with several addresses" {
	need jq curl openssl
	[ -e /proc/sys/net/ipv6/conf/lo/disable_ipv6 ] || skip "no IPv6"
	[ "$(cat /proc/sys/net/ipv6/conf/lo/disable_ipv6)" = 0 ] || skip "IPv6 is off on the loopback"
	start_serve 'http://[::1]:0'
	load_cell "$URL/page/1" --count 5 --warmup 0
	check .valid
	[[ $(cell .asked.url) == "http://[::1]:"* ]]
	end_process "$SERVE_PID"
	# localhost may be ::1 first; the server is not there.
	getent ahosts localhost >/dev/null || skip "localhost has no address here"
	start_serve http://127.0.0.1:0
	load_cell "http://localhost:${URL##*:}/page/1" --count 5 --warmup 0
	check .valid '.connections.failed == 0'
}

# --- other clients in place of ours -------------------------------------------

# driven DRIVER ARG...: our server, another program's load, its figures in our terms.
driven() {
	need "$1" jq openssl
	serve_https openssl "$EC_SUITE"
	load_cell "$URL/page/512" --insecure --driver "$@"
	check ".driver == \"$1\"" .valid '.requests.succeeded > 0 and .requests.failed == 0' \
		'.requests_per_s.mean > 0' '.service_us.max > 0' '.handshakes.resumed == null' \
		'.response_us.p99_9 == null and .client.cpu_s > 0' '.environment.engine == null'
}

@test "driver ab" {
	driven ab --count 40 --clients 4 --suite "$EC_SUITE"
	check '.negotiated | startswith("tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519")' \
		'.requests.succeeded == 40' '.connections.established == 40' \
		'.response_us.resolution == 1000'
}

@test "driver wrk" {
	driven wrk --duration 1s --clients 4
	check '.warnings | any(test("resumption not excluded"))' '.requests.started == null' \
		'.negotiated == null' '.service_us.p99 >= .service_us.p50'
}

@test "driver h2load" {
	driven h2load --count 40 --clients 4 --suite "$EC_SUITE"
	check '.requests.succeeded == 40 and .requests.in_flight == 0' \
		'.negotiated | startswith("tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519")'
}

@test "a driver that is missing, or cannot do what is asked" {
	PATH=/nonexistent run "$CIPHERWATT" load http://127.0.0.1:1/ --driver h2load --count 10
	[ "$status" -eq 1 ]
	[[ $output == *"nghttp2-client"* ]]
	need wrk
	run "$CIPHERWATT" load http://127.0.0.1:1/ --driver wrk --count 10
	[ "$status" -eq 2 ]
	[[ $output == *"--duration"* ]]
	run "$CIPHERWATT" load http://127.0.0.1:1/ --driver wrk --duration 1s
	[ "$status" -eq 1 ]
	[[ $output == *"refused"* ]]
}

# --- bad peers, bad luck --------------------------------------------------------

# answer_to FILE: what the server at $URL sends when it gets these bytes, until it closes.
# It must close by itself, well before its handshake time-out of 10 s.
answer_to() {
	local status=0
	timeout 8 bash -c 'exec 8<>"/dev/tcp/127.0.0.1/$1"; cat "$2" >&8; cat <&8' \
		bash "${URL##*:}" "$1" 2>"$T/answer.err" || status=$?
	[ "$status" -eq 0 ] || grep -q 'Connection reset\|Broken pipe' "$T/answer.err" || {
		show "$T/answer.err" "$T/serve.err"
		echo "status $status, of $(wc -c <"$1") bytes" >&2
		return 1
	}
}

use_plain_on_tls() { # ENGINE
	need curl openssl jq
	serve_https "$1" "$EC_SUITE"
	local i
	printf 'GET /page/512 HTTP/1.1\r\nHost: a\r\n\r\n' >"$T/plain"
	for i in 1 2 3 4 5; do
		head -c 3000 /dev/urandom >"$T/junk"
		answer_to "$T/plain" >"$T/answer"
		refute grep -q 'HTTP/1.1 200' "$T/answer"
		# No type and no version of a record, then anything: what might be one is waited for.
		{ printf 'x\377'; cat "$T/junk"; } >"$T/more"
		answer_to "$T/more" >/dev/null
	done
	refute ended "$SERVE_PID"
	load_cell "$URL/page/512" --ca "$T/server.pem" --engine "$1" --count 10 --warmup 0
	check .valid
	run "$CIPHERWATT" load "http://${URL#https://}/" --count 2 --timeout 2s
	[ "$status" -eq 1 ]
}

@test "plain HTTP and junk on the TLS port, openssl" { use_plain_on_tls openssl; }
@test "plain HTTP and junk on the TLS port, wolfssl" { use_plain_on_tls wolfssl; }

@test "TLS to a plain port fails with a reason" {
	start_serve http://127.0.0.1:0
	run "$CIPHERWATT" load "https://${URL#http://}/" --insecure --count 2 --timeout 2s
	[ "$status" -eq 1 ]
	[[ $output == *"handshake"* ]]
}

@test "a port in use is refused, and the first server goes on" {
	need curl
	start_serve http://127.0.0.1:0
	local first=$URL
	run timeout 10 "$CIPHERWATT" serve "$first"
	[ "$status" -eq 1 ]
	[[ $output == *"in use"* ]]
	[[ $output == *"${first#http://}"* ]]
	run curl -sS -o /dev/null -w '%{http_code}' "$first/page/1"
	[ "$output" = 200 ]
}
