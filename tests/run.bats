#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# run - campaigns from the command line: killed, resumed, interrupted, refused, and over two
# network namespaces.

load helpers

setup() {
	setup_common
	# One cache for all tests of the file: keys are made once.
	SMOKE="$T/smoke.yaml"
	campaign 3 >"$SMOKE"
	DB="$T/a.db"
}

teardown() {
	teardown_common
	local ns
	for ns in $NAMESPACES; do
		ip netns del "$ns" 2>/dev/null
	done
	if [ -d "$T/small" ]; then umount "$T/small" 2>/dev/null; fi
	rm -rf "$T"
}

# campaign BLOCKS [LINE]...: two cells without a meter, short phases; more top-level lines
campaign() {
	local line
	cat <<-END
		campaign: smoke
		blocks: $1
		seed: 7
		phases: {settle: 10ms, idle: 30ms, warmup: 50ms, measure: 150ms}
		cells:
		  - suites: [plain, "tls1.3:AES128-GCM-SHA256:x25519:p256"]
		    clients: 2
	END
	shift
	for line in "$@"; do echo "$line"; done
}

# cw_run ARG...: run; standard output in $T/out, standard error in $T/err; its status
cw_run() {
	"$CIPHERWATT" run "$@" >"$T/out" 2>"$T/err" </dev/null 3>&-
}

# start_run ARG...: the same in the background, its id in $RUN_PID
start_run() {
	"$CIPHERWATT" run "$@" >"$T/out" 2>"$T/err" </dev/null 3>&- &
	RUN_PID=$!
	PIDS+=("$RUN_PID")
}

# The run must succeed: on a busy machine a trial may be not valid, and that is status 3.
finished() {
	local status=0
	"$@" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { show "$T/err"; return 1; }
}

# refused STATUS WORD ARG...: that status, exactly one message, with WORD in it
refused() {
	local expected=$1 word=$2 status=0
	shift 2
	cw_run "$@" || status=$?
	[ "$status" -eq "$expected" ] || { show "$T/err"; echo "exit status $status" >&2; return 1; }
	grep -qF -e "$word" "$T/err" || { show "$T/err"; return 1; }
	[ "$(grep -c '^cipherwatt run: ' "$T/err")" -eq 1 ] || { show "$T/err"; return 1; }
}

trials() {
	sqlite3 "$DB" 'SELECT count(*) FROM trial' 2>/dev/null || echo 0
}

has_trials() {
	[ "$(trials)" -ge "$1" ]
}

# check_whole BLOCKS: every cell once in each block, nothing twice, the campaign complete
check_whole() {
	[ "$(trials)" -eq $((2 * $1)) ]
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM (SELECT DISTINCT parent, block FROM trial)')" -eq $((2 * $1)) ]
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM cell')" -eq 2 ]
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM campaign')" -eq 1 ]
	[ "$(sqlite3 "$DB" 'SELECT complete FROM campaign')" -eq 1 ]
	[ "$(sqlite3 "$DB" 'PRAGMA integrity_check')" = ok ]
}

# family ID: the process and all below it
family() {
	local child
	echo "$1"
	for child in $(pgrep -P "$1"); do family "$child"; done
}

all_ended() {
	local pid
	for pid in "$@"; do
		# A zombie that its new parent has not reaped yet has ended, too.
		case $(ps -o stat= -p "$pid" 2>/dev/null) in
		'' | Z*) ;;
		*) return 1 ;;
		esac
	done
}

@test "a run prints the table, the database and the report" {
	finished cw_run "$SMOKE" --db "$DB"
	grep -q 'requests/s' "$T/out"
	[ "$(tail -n 2 "$T/out")" = "database $DB
report $T/a.html" ]
	grep -q '<html' "$T/a.html"
	check_whole 3
}

@test "without --db the database stands in the data directory" {
	finished cw_run "$SMOKE" --blocks 1
	local db
	db=$(sed -n 's/^database //p' "$T/out")
	[[ $db == "$XDG_DATA_HOME"/cipherwatt/smoke-20*Z.db ]]
	[ -s "$db" ]
	[ -s "${db%.db}.html" ]
}

@test "--json is JSON alone on standard output" {
	finished cw_run "$SMOKE" --db "$DB" --blocks 2 --json --report "$T/r.html"
	jq -e '.schema == "cipherwatt/1" and (.cells | length) == 2 and .campaign.complete
		and (.cells[1].handshakes | .resumed == 0 and .full > 0)' "$T/out"
	grep -qx "database $DB" "$T/err"
	grep -qx "report $T/r.html" "$T/err"
	[ -s "$T/r.html" ]
}

@test "server and client agree, and what was negotiated is what was asked for" {
	finished cw_run "$SMOKE" --db "$DB" --blocks 2
	[ "$(sqlite3 "$DB" "SELECT DISTINCT negotiated FROM trial WHERE valid AND parent = 2")" = \
		tls1.3:AES128-GCM-SHA256:x25519:p256 ]
	[ "$(sqlite3 "$DB" "SELECT count(*) FROM trial WHERE valid AND parent = 2 AND
		server_handshakes_full > 0 AND
		abs(server_handshakes_full - client_handshakes_full) <= 2")" -ge 1 ]
	[ "$(sqlite3 "$DB" "SELECT count(*) FROM trial WHERE valid AND (server_cpu_ns <= 0
		OR client_cpu_ns <= 0 OR server_rss_peak_kib <= 0)")" -eq 0 ]
}

@test "--dry-run prints the plan and makes nothing" {
	cw_run "$SMOKE" --dry-run --db "$DB"
	grep -q 'tls1.3:AES128-GCM-SHA256:x25519:p256' "$T/out"
	[ ! -e "$DB" ]
	[ ! -e "$XDG_DATA_HOME" ]
}

@test "--dry-run --json is the plan as JSON" {
	cw_run "$SMOKE" --dry-run --json --db "$DB" --only 'plain/*'
	jq -e '.schema == "cipherwatt/1" and .plan.trials == 3 and .plan.seed == 7
		and (.cells | length) == 1 and .cells[0].suite == "plain"
		and (.order | length) == 3 and .order[0] == [.cells[0].name]
		and .options.only == "plain/*" and .options.measure_ns == 150000000' "$T/out"
	[ ! -e "$DB" ]
}

@test "--only and --blocks shape the plan" {
	finished cw_run "$SMOKE" --db "$DB" --only 'plain/*' --blocks 2
	[ "$(trials)" -eq 2 ]
	refused 2 'matches' "$SMOKE" --db "$DB" --only 'nothing-like-it'
}

@test "killed at any moment, resumed, and whole" {
	local moment pids
	for moment in 0 1 2 3 5; do
		rm -f "$DB" "$DB"-*
		start_run "$SMOKE" --db "$DB" --blocks 4
		if [ "$moment" -eq 0 ]; then
			wait_until 20 test -s "$DB"
		else
			wait_until 20 has_trials "$moment"
		fi
		pids=$(family "$RUN_PID")
		kill -KILL "$RUN_PID"
		wait "$RUN_PID" || true
		# shellcheck disable=SC2086
		wait_until 10 all_ended $pids
		has_trials "$moment"
		if [ "$(sqlite3 "$DB" 'SELECT count(*) FROM campaign')" -eq 0 ]; then
			continue # killed before there was a campaign to resume
		fi
		finished cw_run "$SMOKE" --db "$DB" --resume
		check_whole 4
	done
}

@test "killed in the middle, the data directory's newest is resumed in the same order" {
	start_run "$SMOKE" --seed 99
	in_data() { DB=$(ls "$XDG_DATA_HOME"/cipherwatt/smoke-*.db 2>/dev/null) && has_trials 2; }
	wait_until 20 in_data
	kill -KILL "$RUN_PID"
	wait "$RUN_PID" || true
	finished cw_run "$SMOKE" --resume
	check_whole 3
	[ "$(sed -n 's/^database //p' "$T/out")" = "$DB" ]
	# The order is that of an undisturbed run with the same seed.
	sqlite3 "$DB" 'SELECT parent, block, position FROM trial ORDER BY block, position' >"$T/order"
	DB="$T/undisturbed.db"
	finished cw_run "$SMOKE" --seed 99 --db "$DB"
	sqlite3 "$DB" 'SELECT parent, block, position FROM trial ORDER BY block, position' |
		diff - "$T/order"
}

@test "--resume refuses what it cannot obey" {
	start_run "$SMOKE" --db "$DB" --blocks 6
	wait_until 20 has_trials 1
	kill -KILL "$RUN_PID"
	wait "$RUN_PID" || true
	refused 2 '--seed cannot be used with --resume' "$SMOKE" --db "$DB" --resume --seed 1
	refused 2 '--blocks cannot be used with --resume' "$SMOKE" --db "$DB" --resume --blocks 1
	echo 'nodes: {server: {cpus: "0"}}' >"$T/bed.yaml"
	refused 1 '"nodes" is not what the campaign was begun with' "$SMOKE" --db "$DB" --resume \
		--testbed "$T/bed.yaml"
	echo '# changed' >>"$SMOKE"
	refused 1 'holds no run of' "$SMOKE" --db "$DB" --resume
	refused 1 'there is no run of' "$SMOKE" --resume
	refused 1 "$T/none.db" "$SMOKE" --db "$T/none.db" --resume
	[ ! -e "$T/none.db" ]
}

@test "--resume of a complete run prints its report" {
	finished cw_run "$SMOKE" --db "$DB" --blocks 1
	mv "$T/out" "$T/first"
	finished cw_run "$SMOKE" --db "$DB" --resume
	grep -q 'is complete: nothing is left to run' "$T/err"
	diff "$T/first" "$T/out"
	[ "$(trials)" -eq 2 ]
	finished cw_run "$SMOKE" # in the data directory
	finished cw_run "$SMOKE" --resume
	grep -q 'is complete: nothing is left to run' "$T/err"
}

@test "one run at a time writes to a database" {
	campaign 3 | sed 's/measure: 150ms/measure: 60s/' >"$SMOKE"
	start_run "$SMOKE" --db "$DB"
	has_campaign() { [ "$(sqlite3 "$DB" 'SELECT count(*) FROM cell' 2>/dev/null)" = 2 ]; }
	wait_until 20 has_campaign
	mv "$T/out" "$T/out.first" && mv "$T/err" "$T/err.first"
	refused 1 'another run is writing to it' "$SMOKE" --db "$DB"
	refused 1 'another run is writing to it' "$SMOKE" --db "$DB" --resume
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM campaign')" -eq 1 ]
	"$CIPHERWATT" report "$DB" >/dev/null
}

@test "while it runs, its database's file alone has the trials that ended" {
	start_run "$SMOKE" --db "$DB" --blocks 20
	# Only copies are opened: a reader of the database itself may hold up the log's way into it.
	# A copy that was taken while the log was on its way is not whole: that is not yet.
	alone_has() {
		cp "$DB" "$T/alone.db" 2>/dev/null || return 1
		local trials
		trials=$("$CIPHERWATT" report "$T/alone.db" --format json 2>/dev/null | jq .campaign.trials)
		[ "${trials:-0}" -ge "$1" ]
	}
	wait_until 30 alone_has 3
	kill -0 "$RUN_PID"
}

@test "the report never takes the place of what it is made from" {
	echo 'nodes: {server: {cpus: "0"}}' >"$T/bed.yaml"
	local name before
	before=$(cat "$SMOKE" "$T/bed.yaml" | sha256sum)
	for name in "$DB" "$DB-wal" "$DB-shm" "$T/../$(basename "$T")/smoke.yaml" "$T/bed.yaml"; do
		refused 2 'name another file with --report' "$SMOKE" --testbed "$T/bed.yaml" \
			--db "$DB" --report "$name"
	done
	[ ! -e "$DB" ]
	# The usual place may be one, too.
	cp "$SMOKE" "$T/a.html"
	refused 2 'which is the campaign' "$T/a.html" --db "$DB"
	[ "$before" = "$(cat "$SMOKE" "$T/bed.yaml" | sha256sum)" ]
}

@test "beside an unfinished run a new one begins, and says so" {
	start_run "$SMOKE" --db "$DB"
	wait_until 20 has_trials 1
	kill -KILL "$RUN_PID"
	wait "$RUN_PID" || true
	finished cw_run "$SMOKE" --db "$DB" --blocks 1
	grep -q 'holds an unfinished run' "$T/err"
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM campaign')" -eq 2 ]
}

@test "one SIGINT ends it after the trial, and says how to go on" {
	start_run "$SMOKE" --db "$DB" --blocks 20
	wait_until 20 has_trials 1
	kill -INT "$RUN_PID"
	local status=0
	wait "$RUN_PID" || status=$?
	[ "$status" -eq 130 ]
	grep -q "go on with: cipherwatt run $SMOKE --db $DB --resume" "$T/err"
	grep -qx "database $DB" "$T/out"
	[ "$(sqlite3 "$DB" 'SELECT complete FROM campaign')" -eq 0 ]
	[ "$(trials)" -lt 40 ]
	finished cw_run "$SMOKE" --db "$DB" --resume
	check_whole 20
}

@test "SIGTERM twice ends it at once and leaves no process" {
	campaign 3 | sed 's/measure: 150ms/measure: 60s/' >"$SMOKE"
	start_run "$SMOKE" --db "$DB"
	both_children() { [ "$(family "$RUN_PID" | wc -l)" -ge 5 ]; } # runner, nodes, serve, load
	wait_until 20 both_children
	local pids status=0
	pids=$(family "$RUN_PID")
	kill -TERM "$RUN_PID"
	sleep 0.2 # two signals at one instant are one
	kill -TERM "$RUN_PID"
	wait "$RUN_PID" || status=$?
	[ "$status" -eq 143 ]
	# shellcheck disable=SC2086
	wait_until 10 all_ended $pids
	[ "$(trials)" -eq 0 ]
}

@test "a node that is killed is replaced once" {
	start_run "$SMOKE" --db "$DB" --blocks 4
	wait_until 20 has_trials 1
	kill -KILL "$(pgrep -P "$RUN_PID" | head -n 1)"
	local status=0
	wait "$RUN_PID" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	grep -q 'node is lost' "$T/err"
	check_whole 4
}

# The node of that role: a child of the runner whose own child is of that kind.
node_with() {
	local node
	for node in $(pgrep -P "$RUN_PID"); do
		if pgrep -P "$node" -a | grep -q " $1 "; then echo "$node"; fi
	done
}

@test "a node that is stopped is lost after the overtime, and replaced" {
	campaign 3 | sed 's/measure: 150ms/measure: 150ms, overtime: 1s/' >"$SMOKE"
	start_run "$SMOKE" --db "$DB" --blocks 2
	serving() { NODE=$(node_with serve) && [ -n "$NODE" ]; }
	wait_until 20 serving
	kill -STOP "$NODE"
	local status=0 from=$SECONDS
	wait "$RUN_PID" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { show "$T/err"; return 1; }
	[ $((SECONDS - from)) -lt 60 ]
	grep -q 'server node is lost: it did not answer in time' "$T/err"
	ended "$NODE"
	check_whole 2
}

@test "SIGTERM ends a run whose node is stopped, within seconds" {
	start_run "$SMOKE" --db "$DB" --blocks 2 # the overtime is 30 s
	serving() { NODE=$(node_with serve) && [ -n "$NODE" ]; }
	wait_until 20 serving
	kill -STOP "$NODE"
	sleep 1 # into the stall
	local status=0 from=$SECONDS
	kill -TERM "$RUN_PID"
	wait "$RUN_PID" || status=$?
	[ $((SECONDS - from)) -lt 25 ]
	[ "$status" -eq 143 ]
	ended "$NODE"
	grep -q 'go on with: ' "$T/err"
}

@test "a program that is replaced while it runs stays the one that measures" {
	cp "$CIPHERWATT" "$T/cw"
	CIPHERWATT="$T/cw"
	start_run "$SMOKE" --db "$DB" --blocks 4
	wait_until 20 has_trials 1
	printf '#!/bin/sh\nexit 7\n' >"$T/new"
	chmod +x "$T/new"
	mv "$T/new" "$T/cw"
	local status=0
	wait "$RUN_PID" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	check_whole 4
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM trial WHERE valid')" -ge 6 ]
}

@test "a malformed campaign: each error by line and column" {
	printf 'campaign: bad\nblocks: many\ncels: []\n' >"$T/bad.yaml"
	local status=0
	cw_run "$T/bad.yaml" --db "$DB" || status=$?
	[ "$status" -eq 2 ]
	grep -q "bad.yaml:2:9: " "$T/err"
	grep -q "bad.yaml:3:1: .*cells" "$T/err"
	[ ! -e "$DB" ]
	printf 'campaign: [\n' >"$T/bad.yaml"
	status=0
	cw_run "$T/bad.yaml" --db "$DB" || status=$?
	[ "$status" -eq 2 ]
	grep -q 'bad.yaml:' "$T/err"
	refused 2 "$T/none.yaml" "$T/none.yaml"
	refused 2 'one campaign file' --db "$DB"
}

@test "an unknown suite is named with its place" {
	sed -i 's/AES128-GCM-SHA256/AES129-GCM-SHA256/' "$SMOKE"
	refused 2 'AES129-GCM-SHA256' "$SMOKE" --db "$DB"
	grep -q 'smoke.yaml:6:' "$T/err"
	[ ! -e "$DB" ]
}

@test "a server that cannot start makes trials that are not valid, with the reason" {
	# Documentation addresses (RFC 5737) are no machine's own.
	echo 'nodes: {server: {listen: 192.0.2.1, address: 192.0.2.1}}' >"$T/bed.yaml"
	local status=0
	cw_run "$SMOKE" --db "$DB" --testbed "$T/bed.yaml" --blocks 1 || status=$?
	[ "$status" -eq 3 ]
	grep -q '192.0.2.1' "$T/err"
	[ "$(trials)" -eq 2 ]
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM trial WHERE valid')" -eq 0 ]
	grep -qx "database $DB" "$T/out"
}

@test "a server that cannot be reached makes trials that are not valid" {
	echo 'nodes: {server: {listen: 127.0.0.1, address: 127.9.9.9}}' >"$T/bed.yaml"
	local status=0
	cw_run "$SMOKE" --db "$DB" --testbed "$T/bed.yaml" --blocks 1 || status=$?
	[ "$status" -eq 3 ]
	grep -qi 'refused' "$T/err"
	[ "$(sqlite3 "$DB" "SELECT count(*) FROM trial WHERE NOT valid AND reason LIKE '%127.9.9.9%'")" -eq 2 ]
}

@test "a node that cannot be started is one error" {
	echo 'nodes: {client: {command: "no-such-way there"}}' >"$T/bed.yaml"
	refused 1 'client node: cannot run no-such-way' "$SMOKE" --db "$DB" --testbed "$T/bed.yaml"
	echo 'nodes: {client: {command: "false"}}' >"$T/bed.yaml"
	refused 1 'client node is lost' "$SMOKE" --db "$DB" --testbed "$T/bed.yaml"
}

@test "a node of another version is refused with both named" {
	cat >"$T/other" <<-'END'
		#!/bin/sh
		read -r line
		echo '{"id":1,"ok":false,"error":"versions differ: the runner is new, this node is 0.0.1"}'
	END
	chmod +x "$T/other"
	echo "nodes: {server: {program: $T/other}}" >"$T/bed.yaml"
	refused 1 'this node is 0.0.1' "$SMOKE" --db "$DB" --testbed "$T/bed.yaml"
}

@test "a database with no room: one error, what was stored stays" {
	mkdir "$T/small"
	if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=450k none "$T/small" 2>/dev/null; then
		skip "mounting a small file system needs root"
	fi
	DB="$T/small/a.db"
	local status=0
	cw_run "$SMOKE" --db "$DB" --report "$T/r.html" --blocks 200 || status=$?
	[ "$status" -eq 1 ]
	grep -q 'cipherwatt run: .*full' "$T/err" || { show "$T/err"; return 1; }
	[ "$(grep -c '^cipherwatt run: ' "$T/err")" -eq 1 ] || { show "$T/err"; return 1; }
	local stored
	stored=$(grep -c . <("$CIPHERWATT" report "$DB" --format csv))
	[ "$stored" -ge 3 ]
}

@test "a database that may not grow: one error, what was stored stays" {
	local status=0
	(
		ulimit -f 170 # KiB
		cw_run "$SMOKE" --db "$DB" --report "$T/r.html" --blocks 200
	) || status=$?
	[ "$status" -eq 1 ]
	[ "$(grep -c '^cipherwatt run: ' "$T/err")" -eq 1 ] || { show "$T/err"; return 1; }
	"$CIPHERWATT" report "$DB" >/dev/null
	has_trials 1
}

@test "a newer schema, a cut database and another file are refused and left alone" {
	finished cw_run "$SMOKE" --db "$DB" --blocks 1
	cp "$DB" "$T/newer.db"
	sqlite3 "$T/newer.db" 'PRAGMA user_version = 999' >/dev/null
	head -c 5000 "$DB" >"$T/cut.db"
	echo 'dear diary' >"$T/diary.db"
	local file before
	for file in newer cut diary; do
		before=$(sha256sum "$T/$file.db")
		refused 1 "$T/$file.db" "$SMOKE" --db "$T/$file.db"
		[ "$before" = "$(sha256sum "$T/$file.db")" ]
	done
}

@test "two nodes in network namespaces" {
	need ip
	[ "$(id -u)" -eq 0 ] || skip "making network namespaces needs root"
	local a="cw-a-$$" b="cw-b-$$"
	NAMESPACES="$a $b"
	ip netns add "$a" 2>/dev/null && ip netns add "$b" || skip "no network namespaces here"
	# Entering one changes mounts, which a chroot whose root is no mount point refuses.
	ip -n "$a" link show lo >/dev/null 2>&1 || skip "network namespaces cannot be entered here"
	ip link add cw0 netns "$a" type veth peer name cw0 netns "$b" || skip "no veth here"
	ip -n "$a" addr add 10.77.0.1/24 dev cw0
	ip -n "$b" addr add 10.77.0.2/24 dev cw0
	ip -n "$a" link set cw0 up
	ip -n "$b" link set cw0 up
	cat >"$T/bed.yaml" <<-END
		nodes:
		  server: {name: gateway, command: "ip netns exec $a", address: 10.77.0.1}
		  client: {name: sensor, command: "ip netns exec $b"}
	END
	finished cw_run "$SMOKE" --db "$DB" --testbed "$T/bed.yaml" --blocks 2
	check_whole 2
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM trial WHERE valid')" -ge 3 ]
	[ "$(sqlite3 "$DB" 'SELECT group_concat(name) FROM node')" = gateway,sensor ]
}

@test "a meter that cannot be read is told before any trial, whole" {
	campaign 2 'nodes: {server: {meter: "ina219:/dev/no-bus@0x40,shunt=0.1,max=2A"}}' >"$SMOKE"
	refute cw_run "$SMOKE" --db "$DB"
	grep -q 'server node: meter ina219:/dev/no-bus@0x40,shunt=0.1,max=2A: cannot open /dev/no-bus' "$T/err"
	refute grep -q 'not valid\|trials' "$T/err"
	[ -z "$(sqlite3 "$DB" 'SELECT * FROM campaign' 2>/dev/null)" ]
}
