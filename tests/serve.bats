#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# serve - what a server owes to the script that started it: the line it waits for, or an end;
# and what one client may ask of a thread that serves others too.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

# serve_unheard COMMAND: with no more than ten seconds to give up in; $status and $T/err.
serve_unheard() {
	status=0
	timeout -k 5 10 bash -c "exec \"\$0\" serve $1" "$CIPHERWATT" 2>"$T/err" </dev/null 3>&- ||
		status=$?
	cat "$T/err"
}

no_line_is_a_failure() { # ARGUMENTS REASON
	serve_unheard "$1"
	[ "$status" -eq 1 ]
	[ "$(grep -c 'cannot write .listening on http' "$T/err")" -eq 1 ]
	grep -q "to standard output: $2; " "$T/err"
	refute grep -q 'requests answered' "$T/err"
}

@test "a server that cannot say where it listens ends at once: disk full" {
	[ -c /dev/full ] || skip "no /dev/full here"
	no_line_is_a_failure 'http://127.0.0.1:0 >/dev/full' 'No space left on device'
}

@test "a server that cannot say where it listens ends at once: closed output" {
	no_line_is_a_failure 'http://127.0.0.1:0 >&-' 'Bad file descriptor'
	no_line_is_a_failure 'http://127.0.0.1:0 --counters >&- <&-' 'Bad file descriptor'
}

@test "a server that cannot say where it listens ends at once: reader gone" {
	mkfifo "$T/pipe"
	exec 7<>"$T/pipe"
	exec 8>"$T/pipe"
	exec 7>&-
	no_line_is_a_failure 'http://127.0.0.1:0 >&8' 'Broken pipe'
	exec 8>&-
}

@test "a server under test of which nobody can be told is ended with its parent" {
	need nginx
	[ -c /dev/full ] || skip "no /dev/full here"
	chmod a+x "$T" # nginx gives up root
	export TMPDIR=$T
	start_serve http://127.0.0.1:0 --server nginx
	pgrep -f "nginx.* $T/"
	end_process "$SERVE_PID"
	no_line_is_a_failure 'http://127.0.0.1:0 --server nginx >/dev/full' 'No space left on device'
	refute pgrep -f "nginx.* $T/"
	refute compgen -G "$T/cipherwatt-nginx-*"
}

# What is said to the user must not reach a socket that took the closed descriptor.
@test "a server without standard input and error serves, and writes into no socket" {
	need curl
	"$CIPHERWATT" serve http://127.0.0.1:0 --threads 1 --verbose >"$T/serve.out" 2>&- <&- 3>&- &
	SERVE_PID=$!
	PIDS+=("$SERVE_PID")
	wait_until 20 serve_says_or_ended
	URL=$(sed -n 's/^listening on \([^ ]*\).*/\1/p' "$T/serve.out")
	[ "$(readlink "/proc/$SERVE_PID/fd/0")" = /dev/null ]
	[ "$(readlink "/proc/$SERVE_PID/fd/2")" = /dev/null ]
	run curl -sS -X BREW -o /dev/null -w '%{http_code}' "$URL"
	[ "$output" = 501 ]
	curl -sS -o "$T/page" "${URL}page/1000/text"
	[ "$(wc -c <"$T/page")" -eq 1000 ]
	kill -TERM "$SERVE_PID"
	wait "$SERVE_PID"
}

@test "the largest page is 16 MiB, or --payload, or --payload-max" {
	need curl
	status_of() { curl -sS -o /dev/null -w '%{http_code}' "$URL$1"; }
	start_serve http://127.0.0.1:0
	[ "$(status_of /page/16MiB/random)" = 200 ]
	[ "$(status_of /page/16777217)" = 404 ]
	start_serve http://127.0.0.1:0 --payload 17MiB
	[ "$(status_of /)" = 200 ]
	[ "$(status_of /page/17MiB)" = 200 ]
	[ "$(status_of /page/18MiB)" = 404 ]
	start_serve http://127.0.0.1:0 --payload-max 1KiB
	[ "$(status_of /page/1024)" = 200 ]
	[ "$(status_of /page/1025)" = 404 ]
}

@test "one connection carries 100,000 requests" {
	need jq
	mkfifo "$T/ask"
	exec 7<>"$T/ask"
	SERVE_INPUT=$T/ask start_serve http://127.0.0.1:0 --counters --threads 1
	load_cell "$URL/page/0" --connection keepalive --clients 1 --warmup 0 --count 100000
	check "$BALANCE" .valid '.requests.succeeded == 100000' '.connections.established == 1' \
		'.connections.reconnects == 0'
	echo >&7
	wait_until 5 grep -q '^{' "$T/serve.out"
	exec 7>&-
	grep '^{' "$T/serve.out" >"$T/cell.json"
	check '.connections == 1' '.requests == 100000' '.rejected == 0'
}

@test "a list that cannot be written names the disk, not the memory" {
	[ -c /dev/full ] || skip "no /dev/full here"
	status=0
	"$CIPHERWATT" suites --json >/dev/full 2>"$T/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q 'No space left on device' "$T/err" || { show "$T/err"; return 1; }
}

@test "what is opened first does not become a closed standard stream" {
	# The database would be descriptor 1, and the list be written into it.
	status=0
	"$CIPHERWATT" suites --json >&- 2>"$T/err" <&- || status=$?
	[ "$status" -eq 1 ]
	grep -q 'standard output: Bad file descriptor' "$T/err" || { show "$T/err"; return 1; }
}

catches_the_end() {
	# SIGTERM is bit 14 of the caught ones.
	local caught
	caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status")
	(( 0x$caught >> 14 & 1 ))
}

@test "a server that is still starting ends when it is told to" {
	"$CIPHERWATT" serve http://127.0.0.1:0 --workload access --access-users 10000000 \
		>"$T/early.out" 2>&1 </dev/null 3>&- &
	local pid=$! status=0
	PIDS+=("$pid")
	wait_until 5 catches_the_end "$pid"
	kill -TERM "$pid"
	wait_until 5 ended "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	[ ! -s "$T/early.out" ]
}
