#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# servers - the real servers under test: what they send, what they negotiate, how they are
# measured, and that nothing of them stays behind.

load helpers

RSA12=tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048
P256_12=tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256
P256_13=tls1.3:AES128-GCM-SHA256:x25519:p256

setup() {
	setup_common
	need curl openssl jq
	export TMPDIR="$T/tmp"
	mkdir -p "$TMPDIR"
	chmod 711 "$T" "$TMPDIR"
}

teardown() {
	teardown_common
}

# need_server NAME: skip where its program is absent.
need_server() {
	need_engine openssl
	PATH="$PATH:/usr/sbin" need "$1"
}

# has_server NAME: as in --server; its program is there.
has_server() {
	PATH="$PATH:/usr/sbin" command -v "$(sed 's/apache-.*/apache2/; s/s_server/openssl/' <<<"$1")" >/dev/null
}

# The page of our own server, in $T/page.
fetch_page() {
	start_serve http://127.0.0.1:0 --payload 20000
	curl -sS --max-time 20 "$URL/" -o "$T/page"
	[ "$(stat -c %s "$T/page")" -eq 20000 ]
	end_process "$SERVE_PID"
}

# start_other NAME SUITE ARG...: that server with the suite; its page's URL in $PAGE_URL, what
# it trusts in $CA (an array of curl's words), its log in $LOG.
start_other() {
	local server=$1 suite=$2 url=https://127.0.0.1:0
	shift 2
	if [ "$suite" = plain ]; then
		url=http://127.0.0.1:0
	else
		set -- --suite "$suite" "$@"
	fi
	start_serve "$url" --server "$server" --payload 20000 "$@"
	PAGE_URL=$(sed -n 's/^listening on //p' "$T/serve.out")
	LOG=$(sed -n 's/.*, log //p' "$T/serve.err")
	CA=()
	if [ "$suite" != plain ]; then
		CA=(--cacert "$(sed -n 's/.* --ca //p' "$T/serve.err")")
	fi
}

fetch() {
	curl -sS --max-time 20 "${CA[@]}" -D "$T/head" -o "$T/body" "$@"
}

# decoded CODING: the body that came, decoded, is the page.
decoded() {
	case $1 in
	gzip) gzip -dc <"$T/body" ;;
	br) brotli -dc <"$T/body" ;;
	zstd) zstd -qdc <"$T/body" ;;
	esac | cmp - "$T/page"
}

has_coding() {
	grep -qi "^content-encoding: $1" "$T/head" || { show "$T/head"; return 1; }
}

# descendants PID: the ids of all processes below it, of one look at all; the nearest come first.
descendants() {
	ps -e -o pid= -o ppid= | awk -v root="$1" '
		{ parent[$1] = $2 }
		END {
			for (p in parent) {
				depth = 0
				for (at = p; at in parent && at != root; at = parent[at])
					depth++
				if (at == root && depth)
					print depth, p
			}
		}' | sort -n | cut -d " " -f 2
}

all_ended() {
	local pid
	for pid in "$@"; do
		ended "$pid" || return 1
	done
}

# stop_other: it ends with status 0 and leaves neither processes nor files.
stop_other() {
	local tree status=0
	mapfile -t tree < <(descendants "$SERVE_PID")
	kill -TERM "$SERVE_PID"
	wait "$SERVE_PID" || status=$?
	[ "$status" -eq 0 ] || { show "$T/serve.err"; return 1; }
	all_ended "${tree[@]}"
	[ -z "$(ls "$TMPDIR")" ]
}

# Every suite, plain bytes and gzip in both ways: what came is the page.
serves_exactly() { # NAME SUITE...
	local server=$1 suite when
	shift
	fetch_page
	for suite in "$@"; do
		for when in request once; do
			start_other "$server" "$suite" --gzip-level 6 --compress-when "$when"
			fetch "$PAGE_URL"
			cmp "$T/body" "$T/page"
			refute grep -qi '^content-encoding' "$T/head"
			fetch -H 'Accept-Encoding: gzip' "$PAGE_URL"
			has_coding gzip
			decoded gzip
			fetch -H 'Accept-Encoding: gzip' "${PAGE_URL}page/20000/json"
			decoded gzip
			stop_other
		done
	done
}

# answers with one coding, whole
serves_coding() { # NAME CODING ARG...
	local server=$1 coding=$2
	shift 2
	start_other "$server" plain --gzip-level 0 "$@"
	fetch -H "Accept-Encoding: $coding" "$PAGE_URL"
	has_coding "$coding"
	decoded "$coding"
	stop_other
}

@test "nginx sends the page, whatever the suite and the coding" {
	need_server nginx
	serves_exactly nginx plain "$RSA12" "$P256_12" "$P256_13"
}

@test "httpd with event sends the page" {
	need_server apache2
	serves_exactly apache-event plain "$RSA12" "$P256_12" "$P256_13"
}

@test "httpd with prefork sends the page" {
	need_server apache2
	serves_exactly apache-prefork plain "$RSA12" "$P256_12" "$P256_13"
}

@test "lighttpd sends the page" {
	need_server lighttpd
	serves_exactly lighttpd plain "$RSA12" "$P256_12" "$P256_13"
}

@test "haproxy in front of our plain server sends the page" {
	need_server haproxy
	serves_exactly haproxy plain "$RSA12" "$P256_12" "$P256_13"
}

@test "s_server sends the page, and closes" {
	need_server openssl
	fetch_page
	local suite
	for suite in "$RSA12" "$P256_12" "$P256_13"; do
		start_other s_server "$suite" --gzip-level 0 --close-each
		fetch "$PAGE_URL"
		cmp "$T/body" "$T/page"
		grep -qi '^content-length: 20000' "$T/head"
		stop_other
	done
}

@test "brotli and zstd come from the servers that have them" {
	need_server lighttpd
	need_server apache2
	need brotli zstd
	"$CIPHERWATT" serve http://127.0.0.1:0 --counters --brotli-level 5 --zstd-level 3 </dev/null \
		>/dev/null 2>"$T/err" || {
		grep -q 'built without \(brotli\|zstd\)' "$T/err" && skip "built without brotli or zstd"
		show "$T/err"
		return 1
	}
	fetch_page
	serves_coding builtin br --brotli-level=5
	serves_coding lighttpd br --brotli-level=5
	serves_coding lighttpd zstd --zstd-level=3
	serves_coding apache-event br --brotli-level=5
	serves_coding haproxy zstd --zstd-level=3
}

# s_client ARG...: one request to $PAGE_URL, so that tickets have come; what openssl says in
# $T/s_client
s_client() {
	local at=${PAGE_URL#https://}
	printf 'GET /%s HTTP/1.0\r\n\r\n' "${at#*/}" |
		timeout 10 openssl s_client -ign_eof -connect "${at%%/*}" "$@" >"$T/s_client" 2>&1
}

@test "no server negotiates anything but the suite" {
	local server extra
	for server in nginx apache-event lighttpd haproxy s_server; do
		extra=()
		if [ "$server" = s_server ]; then extra=(--close-each); fi
		has_server "$server" || continue
		start_other "$server" "$P256_12" --gzip-level 0 "${extra[@]}"
		s_client -tls1_2 -groups X25519:P-256
		grep -q 'Cipher is ECDHE-ECDSA-AES128-GCM-SHA256' "$T/s_client"
		grep -q 'Server Temp Key: X25519' "$T/s_client"
		refute s_client -tls1_3
		refute s_client -tls1_2 -cipher ECDHE-ECDSA-AES256-GCM-SHA384
		stop_other
		start_other "$server" "$P256_13" --gzip-level 0 "${extra[@]}"
		s_client -tls1_3
		grep -q 'Cipher is TLS_AES_128_GCM_SHA256' "$T/s_client"
		refute s_client -tls1_2
		refute s_client -tls1_3 -ciphersuites TLS_AES_256_GCM_SHA384
		refute s_client -tls1_3 -groups P-384
		stop_other
	done
}

@test "no server resumes a session without --tickets, nginx does with it" {
	local server suite
	for server in nginx apache-event lighttpd haproxy; do
		has_server "$server" || continue
		for suite in "$P256_12" "$P256_13"; do
			start_other "$server" "$suite" --gzip-level 0
			s_client -sess_out "$T/session"
			if [ -s "$T/session" ]; then s_client -sess_in "$T/session"; fi
			grep -q '^New, TLSv1' "$T/s_client"
			refute grep -q '^Reused' "$T/s_client"
			rm -f "$T/session"
			stop_other
		done
	done
	need_server nginx
	start_other nginx "$P256_12" --gzip-level 0 --tickets 1
	s_client -sess_out "$T/session"
	s_client -sess_in "$T/session"
	grep -q '^Reused' "$T/s_client"
	stop_other
}

@test "a connection carries many requests, or one with --close-each" {
	local server
	for server in nginx apache-event apache-prefork lighttpd haproxy; do
		has_server "$server" || continue
		start_other "$server" plain --gzip-level 0
		[ "$(curl -sS --max-time 20 -o "$T/a" -o "$T/b" -w '%{num_connects}\n' "$PAGE_URL" \
			"$PAGE_URL" | paste -sd ' ')" = "1 0" ]
		stop_other
		start_other "$server" plain --gzip-level 0 --close-each
		[ "$(curl -sS --max-time 20 -o "$T/a" -o "$T/b" -w '%{num_connects}\n' "$PAGE_URL" \
			"$PAGE_URL" | paste -sd ' ')" = "1 1" ]
		stop_other
	done
}

# ask: one line of counters in $T/counters, from a server started with $SERVE_INPUT, a pipe
# that is open as descriptor 9
ask() {
	local lines
	lines=$(grep -c . "$T/serve.out")
	echo >&9
	wait_until 20 has_lines $((lines + 1))
	tail -n 1 "$T/serve.out" >"$T/counters"
}

has_lines() {
	[ "$(grep -c . "$T/serve.out")" -ge "$1" ]
}

start_asked() {
	mkfifo "$T/input"
	exec 9<>"$T/input"
	SERVE_INPUT="$T/input" start_other "$@" --counters
}

@test "counters name the processes, the version and the settings" {
	need_server nginx
	start_asked nginx "$P256_13" --gzip-level 6 --threads 3
	ask
	jq -e '.server == "nginx" and (.server_version | test("nginx/")) and (.pids | length) == 4
		and .settings.worker_processes == "3" and .settings.gzip == "6"
		and .settings.tickets == "off" and .cpu_ns > 0 and .rss_peak_kib > 0
		and (.ca_files[0] | length) > 0' "$T/counters"
	local pid
	for pid in $(jq '.pids[]' "$T/counters"); do kill -0 "$pid"; done
	stop_other
}

@test "a killed worker is replaced, and the end is the end of all" {
	need_server nginx
	start_asked nginx plain --gzip-level 0 --threads 2
	ask
	kill -KILL "$(jq '.pids[1]' "$T/counters")"
	fetch "$PAGE_URL"
	stop_other
}

@test "a killed master takes its workers with it, and is told" {
	local server status
	for server in nginx apache-prefork; do
		has_server "$server" || continue
		start_other "$server" plain --gzip-level 0 --threads 2
		mapfile -t tree < <(descendants "$SERVE_PID")
		[ "${#tree[@]}" -ge 3 ]
		kill -KILL "${tree[0]}"
		status=0
		wait "$SERVE_PID" || status=$?
		[ "$status" -eq 1 ]
		grep -q "$server ended (killed by signal 9" "$T/serve.err"
		all_ended "${tree[@]}"
		[ -z "$(ls "$TMPDIR")" ]
	done
}

@test "what a server is not set up for is refused by name" {
	local try
	for try in "nginx --idle-timeout 1s" "lighttpd --idle-timeout 1s" "haproxy --max-head 300B" \
		"apache-event --max-connections 2"; do
		run "$CIPHERWATT" serve http://127.0.0.1:0 --server $try </dev/null
		[ "$status" -eq 2 ]
		[[ $output == *"$(cut -d " " -f 2 <<<"$try") is of the builtin server, not of ${try%% *}"* ]]
	done
	run "$CIPHERWATT" serve https://127.0.0.1:0 --server s_server </dev/null
	[ "$status" -eq 2 ]
	[[ $output == *--close-each* ]]
}

@test "nginx takes as many connections as are asked for, also few" {
	need_server nginx
	start_other nginx plain --gzip-level 0 --max-connections 1
	fetch "$PAGE_URL"
	stop_other
}

@test "a killed serve leaves no server behind" {
	local server
	for server in nginx apache-event apache-prefork lighttpd haproxy; do
		has_server "$server" || continue
		start_other "$server" plain --gzip-level 0 --threads 2
		mapfile -t tree < <(descendants "$SERVE_PID")
		kill -KILL "$SERVE_PID"
		wait "$SERVE_PID" || true
		wait_until 10 all_ended "${tree[@]}"
		rm -rf "${TMPDIR:?}"/* # its files it cannot remove any more
	done
}

@test "a port in use, when asked for by number, is said" {
	need_server nginx
	start_serve http://127.0.0.1:0
	run "$CIPHERWATT" serve "$URL" --server nginx --gzip-level 0 </dev/null
	[ "$status" -eq 1 ]
	[[ $output == *"Address already in use"* ]]
	[ -z "$(ls "$TMPDIR")" ]
}

# fake_nginx LINE...: a program nginx in $T/bin that runs these lines, then the real one. $6 is
# the configuration.
fake_nginx() {
	local real
	real=$(PATH="$PATH:/usr/sbin" command -v nginx)
	mkdir -p "$T/bin"
	{
		echo '#!/bin/sh'
		echo "[ \"\$1\" = -v ] && exec $real -v"
		printf '%s\n' "$@"
		echo "exec $real \"\$@\""
	} >"$T/bin/nginx"
	chmod 755 "$T/bin/nginx"
}

@test "a server that negotiates something else is refused: asked and negotiated" {
	need_server nginx
	fake_nginx "sed -i 's/ssl_protocols TLSv1.3/ssl_protocols TLSv1.2/' \"\$6\""
	PATH="$T/bin:$PATH" run timeout 60 "$CIPHERWATT" serve https://127.0.0.1:0 --server nginx \
		--gzip-level 0 --suite "$P256_13"
	[ "$status" -eq 1 ]
	[[ $output == *"nginx: asked for $P256_13, it negotiates tls1.2:ECDHE-ECDSA-"* ]]
	[ -z "$(ls "$TMPDIR")" ]
	fake_nginx "sed -i 's/ssl_ecdh_curve X25519/ssl_ecdh_curve P-384/' \"\$6\""
	PATH="$T/bin:$PATH" run timeout 60 "$CIPHERWATT" serve https://127.0.0.1:0 --server nginx \
		--gzip-level 0 --suite "$P256_13"
	[ "$status" -eq 1 ]
	[[ $output == *"asked for $P256_13, it negotiates tls1.3:"*":p384:"* ]]
}

@test "a server that sends another page is refused" {
	need_server nginx
	fake_nginx 'echo short >"$2/www/index"'
	PATH="$T/bin:$PATH" run timeout 60 "$CIPHERWATT" serve http://127.0.0.1:0 --server nginx --gzip-level 0
	[ "$status" -eq 1 ]
	[[ $output == *"nginx: / has 6 bytes instead of 512"* ]]
	fake_nginx 'rm "$2/www/index"'
	PATH="$T/bin:$PATH" run timeout 60 "$CIPHERWATT" serve http://127.0.0.1:0 --server nginx --gzip-level 0
	[ "$status" -eq 1 ]
	[[ $output == *"answered with status 40"* ]]
}

@test "a port that somebody took in between is given up for another" {
	need_server nginx
	fake_nginx "[ -e $T/once ] || { touch $T/once; echo 'bind() failed: Address already in use' >&2; exit 1; }"
	PATH="$T/bin:$PATH" start_other nginx plain --gzip-level 0
	[ -e "$T/once" ]
	fetch "$PAGE_URL"
	stop_other
	fake_nginx "echo 'the moon is in the wrong house' >&2; exit 7"
	PATH="$T/bin:$PATH" run timeout 60 "$CIPHERWATT" serve http://127.0.0.1:0 --server nginx --gzip-level 0
	[ "$status" -eq 1 ]
	[[ $output == *"nginx ended (exit status 7): the moon is in the wrong house"* ]]
}

@test "a missing program names its package" {
	local pair
	mkdir "$T/empty"
	for pair in nginx:nginx-light apache-event:apache2-bin apache-prefork:apache2-bin \
		lighttpd:lighttpd-mod-openssl haproxy:haproxy; do
		PATH="$T/empty" run "$CIPHERWATT" serve http://127.0.0.1:0 --server "${pair%:*}" \
			--gzip-level 0 </dev/null
		[ "$status" -eq 1 ]
		[[ $output == *"install the Debian package"*"${pair#*:}"* ]]
	done
	run "$CIPHERWATT" serve http://127.0.0.1:0 --server ngnix
	[ "$status" -eq 2 ]
	[[ $output == *"did you mean nginx"* ]]
}

@test "what a server cannot do is refused with a sentence" {
	need_server nginx
	run "$CIPHERWATT" serve https://127.0.0.1:0 --server s_server --gzip-level 0
	[ "$status" -eq 2 ]
	[[ $output == *"s_server: it closes every connection"* ]]
	run "$CIPHERWATT" serve http://127.0.0.1:0 --server nginx --gzip-level 0 --zstd-level 3
	[ "$status" -eq 2 ]
	[[ $output == *"nginx cannot compress with zstd"* ]]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "an ordinary user starts every server" {
	[ "$(id -u)" -eq 0 ] || skip "is one already"
	need setpriv
	# The checkout may be where only root can look.
	chmod 755 "$T"
	install -m 755 "$CIPHERWATT" "$T/program"
	mkdir "$T/home" && chown 65534 "$T/home"
	local server
	for server in nginx apache-event apache-prefork lighttpd haproxy s_server; do
		has_server "$server" || continue
		TMPDIR="$T/home" XDG_CACHE_HOME="$T/home" setpriv --reuid 65534 --regid 65534 \
			--clear-groups "$T/program" serve https://127.0.0.1:0 --server "$server" \
			--close-each --gzip-level 0 --counters </dev/null >"$T/out" 2>"$T/err" || {
			show "$T/err"
			return 1
		}
		grep -q '^listening on https://' "$T/out"
	done
}

# campaign LINE...: with these lines in its only group
campaign() {
	cat <<-END
		campaign: servers
		blocks: 1
		seed: 3
		phases: {settle: 10ms, idle: 60ms, warmup: 100ms, measure: 300ms}
		nodes: {server: {meter: "model:rpi-4b,avg=32"}}
		cells:
		  - clients: 2
	END
	local line
	for line in "$@"; do echo "    $line"; done
}

@test "a campaign measures every server as a node" {
	need_server nginx
	need sqlite3
	campaign "suites: [plain, \"$RSA12\", \"$P256_12\", \"$P256_13\"]" \
		"servers: [builtin, nginx, apache-event, apache-prefork, lighttpd, haproxy, s_server]" \
		"encodings: [identity, gzip]" >"$T/c.yaml"
	local status=0
	"$CIPHERWATT" run "$T/c.yaml" --db "$T/a.db" --json >"$T/out" 2>"$T/err" </dev/null 3>&- || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { show "$T/err"; return 1; }
	# On a busy machine a trial may be not valid, and no figure is taken from it.
	jq -e '[.cells[] | select(.valid_trials == 1)] |
		length >= 8 and all(.requests.succeeded > 0 and .requests.failed == 0
			and .server.cpu_s > 0 and .server.energy.gross_mwh > 0
			and .handshakes.resumed == 0)
		and ([.[] | select(.server_under_test == "nginx")] | length > 0
			and all(.server_settings.sendfile == "on"))' "$T/out" || { show "$T/out" "$T/err"; return 1; }
	"$CIPHERWATT" report "$T/a.db" --format text >"$T/report"
	tr -s ' \n' ' ' <"$T/report" | grep -q 'Server nginx: version nginx version: nginx/'
	[ -z "$(ls "$TMPDIR")" ]
}

runs_servers() {
	mapfile -t tree < <(descendants "$RUN_PID")
	[ "${#tree[@]}" -ge 6 ]
}

@test "a runner that is killed leaves no server behind" {
	local server
	for server in nginx apache-prefork haproxy; do
		has_server "$server" || continue
		campaign "suites: plain" "servers: $server" |
			sed 's/measure: 300ms/measure: 60s/' >"$T/c.yaml"
		"$CIPHERWATT" run "$T/c.yaml" --db "$T/$server.db" >"$T/out" 2>"$T/err" </dev/null 3>&- &
		RUN_PID=$!
		PIDS+=("$RUN_PID")
		wait_until 20 runs_servers || { show "$T/err"; return 1; }
		kill -KILL "$RUN_PID"
		wait_until 20 all_ended "${tree[@]}"
		[ -z "$(ls "$TMPDIR")" ]
	done
}

@test "cells of a missing server are unavailable, with the package" {
	mkdir "$T/empty"
	campaign "suites: plain" "servers: [builtin, nginx]" >"$T/c.yaml"
	PATH="$T/empty" run "$CIPHERWATT" run "$T/c.yaml" --dry-run
	[ "$status" -eq 0 ]
	[[ $output == *"not run: nginx: there is no program nginx here; install the Debian package nginx-light"* ]]
}
