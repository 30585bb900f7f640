#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# watch - the live page beside a real run: what it shows when, whom it answers, what it leaves
# alone, and that it ends.

load helpers

setup() {
	setup_common
	need curl sqlite3
	"$CIPHERWATT" watch "$T/none.db" --port 0 --campaign x >"$T/probe" 2>&1 </dev/null 3>&- &
	PIDS+=($!)
	wait_until 20 said_or_ended "$T/probe" $!
	grep -q 'built without libmicrohttpd' "$T/probe" && skip "built without libmicrohttpd"
	end_process "${PIDS[0]}"
	PIDS=()
	SMOKE="$T/smoke.yaml"
	campaign 3 >"$SMOKE"
	DB="$T/a.db"
}

teardown() {
	teardown_common
}

# campaign BLOCKS: two cells without a meter, short phases
campaign() {
	cat <<-END
		campaign: smoke
		blocks: $1
		seed: 7
		phases: {settle: 10ms, idle: 30ms, warmup: 50ms, measure: 150ms}
		cells:
		  - suites: [plain, "tls1.3:AES128-GCM-SHA256:x25519:p256"]
		    clients: 2
	END
}

said_or_ended() {
	[ -s "$1" ] || ended "$2"
}

# start_watch ARG...: in the background; its page's address in $PAGE, its id in $WATCH_PID
start_watch() {
	: >"$T/watch.out"
	"$CIPHERWATT" watch --port 0 "$@" >"$T/watch.out" 2>"$T/watch.err" </dev/null 3>&- &
	WATCH_PID=$!
	PIDS+=("$WATCH_PID")
	wait_until 20 said_or_ended "$T/watch.out" "$WATCH_PID"
	PAGE=$(sed -n 's/^watching //p' "$T/watch.out")
	[[ $PAGE == http://127.0.0.1:*/ ]] || { show "$T/watch.out" "$T/watch.err"; return 1; }
}

# start_run ARG...: a campaign in the background, its id in $RUN_PID
start_run() {
	"$CIPHERWATT" run "$SMOKE" "$@" >"$T/run.out" 2>"$T/run.err" </dev/null 3>&- &
	RUN_PID=$!
	PIDS+=("$RUN_PID")
}

# start_events [FILE]: the stream of events into that file
start_events() {
	local file=${1:-$T/events}
	: >"$file"
	curl -sN "${PAGE}events" >"$file" 2>/dev/null </dev/null 3>&- &
	EVENTS_PID=$!
	PIDS+=("$EVENTS_PID")
	wait_until 10 grep -q '^event: status' "$file"
}

# get [CURL ARG...]: a page into $T/page, its head into $T/head; prints the status
get() {
	curl -s -m 20 -D "$T/head" -o "$T/page" -w '%{http_code}' "$@"
}

# says WORD...: the page has it now
says() {
	[ "$(get "$PAGE")" = 200 ] && grep -qF -e "$*" "$T/page"
}

trials() {
	sqlite3 "$DB" 'SELECT count(*) FROM trial' 2>/dev/null || echo 0
}

has_trials() {
	[ "$(trials)" -ge "$1" ]
}

descriptors() {
	find "/proc/$WATCH_PID/fd" -mindepth 1 | wc -l
}

at_most_descriptors() {
	[ "$(descriptors)" -le "$1" ]
}

@test "before and after a run begins: waiting, running, ended, by itself" {
	start_watch "$DB"
	says 'waiting for a run to begin'
	[ ! -e "$DB" ]
	start_events
	start_run --db "$DB"
	wait_until 60 grep -q '^data: running: [0-5] of 6 trials' "$T/events"
	wait_until 60 grep -q '^data: ended: 6 of 6 trials' "$T/events"
	grep -q '^data: .*<td>openssl</td>' "$T/events"
	grep -q '^data: smoke$' "$T/events"
	# Each trial that was seen came as a state of its own, never backwards.
	sed -n 's/^data: running: \([0-9]*\) of 6 trials/\1/p' "$T/events" | sort -cn
	says 'ended: 6 of 6 trials'
	grep -q '<h1 id="name"[^>]*>smoke</h1>' "$T/page"
	[ "$(grep -c '<td class="n">[0-9]*</td><td>[0-9:]*Z</td>' "$T/page")" -eq 6 ]
	# Without a meter there is no energy, so no column of it.
	refute grep -q 'mWh' "$T/page"
}

@test "a trial that ends changes the page" {
	start_run --db "$DB" --blocks 50
	wait_until 60 has_trials 1
	start_watch "$DB"
	says 'running: '
	local first
	first=$(sed -n 's/.*data-part="">running: \([0-9]*\) of 100 trials<.*/\1/p' "$T/page")
	[ "$first" -ge 1 ]
	moved_on() {
		get "$PAGE" >/dev/null
		[ "$(sed -n 's/.*data-part="">running: \([0-9]*\) of 100 .*/\1/p' "$T/page")" -gt "$first" ]
	}
	wait_until 30 moved_on
	grep -q '<dt>time left</dt>' "$T/page"
}

@test "an open page misses nothing of what another one asked for first" {
	start_watch "$DB"
	start_events
	start_run --db "$DB"
	wait_until 60 says 'ended: 6 of 6 trials'
	wait_until 10 grep -q '^data: ended: 6 of 6 trials' "$T/events"
	[ "$(sed -n '/^event: cells/,/^$/p' "$T/events" | grep -c '<td>openssl</td>')" -ge 1 ]
	wait_until 10 last_trials 6
}

# last_trials N: so many are in the last list of them that came
last_trials() {
	[ "$(awk '/^event: / { last = $2 == "last"; n = last ? 0 : n } last && /<tr><th scope="row"/ { n++ }
		END { print n }' "$T/events")" -eq "$1" ]
}

# heard EVENT N: so many events of that name have come
heard() {
	[ "$(grep -c "^event: $1\$" "$T/events")" -ge "$2" ]
}

@test "what does not change is not sent again" {
	start_run --db "$DB" --blocks 1
	wait "$RUN_PID" || [ $? -eq 3 ]
	start_watch "$DB"
	start_events
	wait_until 30 heard status 3 # time passes: every five seconds
	refute heard cells 2
}

@test "the whole report is behind its links" {
	start_watch "$DB"
	[ "$(get "${PAGE}report")" = 503 ]
	grep -q 'nothing to report yet' "$T/page"
	start_run --db "$DB"
	wait "$RUN_PID" || [ $? -eq 3 ]
	reported() { [ "$(get "${PAGE}report")" = 200 ]; }
	wait_until 10 reported
	grep -q '<section id="figures">' "$T/page"
	grep -qi '^content-type: text/html' "$T/head"
	"$CIPHERWATT" report "$DB" --format html | diff - "$T/page"
	[ "$(get "${PAGE}report.json")" = 200 ]
	grep -qi '^content-type: application/json' "$T/head"
	"$CIPHERWATT" report "$DB" --format json | diff - "$T/page"
	get "$PAGE"
	grep -q 'href="/report"' "$T/page"
	grep -q 'href="/report.json"' "$T/page"
}

@test "killed, a run is shown as interrupted, and as running when it goes on" {
	start_run --db "$DB" --blocks 20
	start_watch "$DB"
	start_events
	wait_until 60 grep -q '^data: running: [1-9]' "$T/events"
	kill -KILL "$RUN_PID"
	wait "$RUN_PID" || true
	wait_until 20 grep -q '^data: interrupted: ' "$T/events"
	says '--resume'
	: >"$T/events.again"
	start_events "$T/events.again"
	start_run --db "$DB" --resume
	wait_until 60 grep -q '^data: running: ' "$T/events.again"
	wait_until 60 grep -q '^data: ended: 40 of 40' "$T/events.again"
	[ "$(sqlite3 "$DB" 'PRAGMA integrity_check')" = ok ]
}

@test "without a name it is the newest in the data directory, also one that comes later" {
	start_watch
	says 'there is no database in'
	start_run
	wait_until 60 says 'ended: 6 of 6 trials'
	grep -q "<dt>database</dt><dd>$XDG_DATA_HOME/cipherwatt/smoke-" "$T/page"
}

@test "a campaign that is not there yet is waited for" {
	start_run --db "$DB" --blocks 1
	wait "$RUN_PID" || [ $? -eq 3 ]
	start_watch "$DB" --campaign other
	says 'there is no campaign &quot;other&quot; in the database yet'
	sed -i 's/^campaign: smoke/campaign: other/' "$SMOKE"
	start_run --db "$DB" --blocks 1
	wait_until 60 says 'ended: 2 of 2 trials'
	end_process "$WATCH_PID"
	start_watch "$DB" --campaign smoke
	says '>smoke</h1>'
}

@test "it answers only under names of this machine" {
	start_watch "$DB"
	local port=${PAGE##*:} name
	port=${port%/}
	for name in "localhost:$port" "127.0.0.1:9999" "localhost" "[::1]:$port"; do
		[ "$(get -H "Host: $name" "$PAGE")" = 200 ]
	done
	for name in "evil.example" "evil.example:$port" "localhost.evil.example" "127.0.0.1.evil.example"; do
		[ "$(get -H "Host: $name" "$PAGE")" = 403 ]
		[ "$(get -H "Host: $name" "${PAGE}events")" = 403 ]
		[ "$(get -H "Host: $name" "${PAGE}report.json")" = 403 ]
	done
	grep -q '127.0.0.1:PORT' "$T/page"
	[ "$(get -0 -H 'Host:' "$PAGE")" = 403 ]
}

@test "it answers GET and HEAD of what it knows" {
	start_watch "$DB"
	local method
	for method in POST PUT DELETE OPTIONS; do
		[ "$(get -X "$method" "$PAGE")" = 405 ]
		grep -qi '^allow: GET, HEAD' "$T/head"
	done
	[ "$(get -d 'x=1' "$PAGE")" = 405 ]
	head -c 3000000 /dev/zero >"$T/large"
	[ "$(get --data-binary "@$T/large" "$PAGE" || true)" = 405 ]
	[ "$(get "${PAGE}nothing")" = 404 ]
	[ "$(get --path-as-is "${PAGE}../../etc/passwd")" = 404 ]
	[ "$(get -I "$PAGE")" = 200 ]
	[ "$(get -I "${PAGE}events")" = 200 ]
	grep -qi '^content-type: text/event-stream' "$T/head"
	[ "$(get "$PAGE?x=y")" = 200 ]
	says 'waiting for a run to begin'
}

@test "every answer forbids what a page of another site could do" {
	start_watch "$DB"
	local path
	for path in "" nothing report events; do
		get -I "$PAGE$path"
		grep -qi "^content-security-policy: default-src 'none'; .*frame-ancestors 'none'" "$T/head"
		grep -qi '^x-content-type-options: nosniff' "$T/head"
		grep -qi '^cache-control: no-store' "$T/head"
		grep -qi '^cross-origin-resource-policy: same-origin' "$T/head"
		refute grep -qi '^access-control-' "$T/head"
	done
	# The page's one script carries what its policy names, and no other may run.
	get "$PAGE"
	local nonce
	nonce=$(sed -n "s/^[Cc]ontent-[Ss]ecurity-[Pp]olicy: .*script-src 'nonce-\([0-9a-f]\{32\}\)'.*/\1/p" "$T/head")
	[ -n "$nonce" ]
	[ "$(grep -c "<script nonce=\"$nonce\">" "$T/page")" -eq 1 ]
	[ "$(grep -c '<script' "$T/page")" -eq 1 ]
	refute grep -Eq '(src|href)="?(https?:)?//' "$T/page"
}

@test "it listens on the loopback address alone" {
	need ss
	start_watch "$DB"
	local port=${PAGE##*:}
	port=${port%/}
	[ "$(ss -Hltn "sport = :$port" | awk '{ print $4 }')" = "127.0.0.1:$port" ]
}

@test "a taken port is refused with the cure" {
	start_watch "$DB"
	local port=${PAGE##*:} status=0
	port=${port%/}
	timeout 20 "$CIPHERWATT" watch "$DB" --port "$port" >"$T/out" 2>"$T/err" </dev/null 3>&- || status=$?
	[ "$status" -eq 1 ]
	[ ! -s "$T/out" ]
	grep -q "^cipherwatt watch: port $port of 127.0.0.1 is taken" "$T/err"
	grep -q -e '--port 0' "$T/err"
}

@test "another program's file is refused by the store's own sentence" {
	local status=0
	echo hello >"$T/hello.db"
	sqlite3 "$T/other.db" 'CREATE TABLE t (x)'
	timeout 20 "$CIPHERWATT" watch "$T/hello.db" --port 0 >"$T/out" 2>"$T/err" </dev/null 3>&- || status=$?
	[ "$status" -eq 1 ]
	grep -q 'not a cipherwatt database' "$T/err"
	status=0
	timeout 20 "$CIPHERWATT" watch "$T/other.db" --port 0 >"$T/out" 2>"$T/err" </dev/null 3>&- || status=$?
	[ "$status" -eq 1 ]
	grep -q 'a database of another program' "$T/err"
	[ ! -s "$T/out" ]
	[ "$(cat "$T/hello.db")" = hello ]
}

@test "SIGTERM and SIGINT end it, with pages open, and leave nothing" {
	local signal status
	for signal in TERM INT; do
		start_watch "$DB"
		start_events
		kill "-$signal" "$WATCH_PID"
		status=0
		wait "$WATCH_PID" || status=$?
		[ "$status" -eq 0 ] || { show "$T/watch.err"; return 1; }
		[ ! -s "$T/watch.err" ] || { show "$T/watch.err"; return 1; }
		# The stream ended too, and nobody listens.
		wait_until 10 ended "$EVENTS_PID"
		refute port_answers "$(sed 's#.*:\([0-9]*\)/#\1#' <<<"$PAGE")"
	done
}

@test "pages that come and go are forgotten" {
	start_watch "$DB"
	local before round i pids
	get "$PAGE"
	before=$(descriptors)
	for round in 1 2 3 4 5 6 7 8 9 10; do
		pids=()
		for i in 1 2 3 4 5 6 7 8 9 10; do
			curl -sN "${PAGE}events" >"$T/events.$i" 2>/dev/null </dev/null 3>&- &
			pids+=($!)
			PIDS+=($!)
		done
		for i in 1 2 3 4 5 6 7 8 9 10; do
			wait_until 10 grep -q '^event: status' "$T/events.$i"
			: >"$T/events.$i"
		done
		for i in "${pids[@]}"; do kill -KILL "$i"; done
		for i in "${pids[@]}"; do wait "$i" || true; done
	done
	# Noticed at once, not when there is something to send.
	wait_until 2 at_most_descriptors $((before + 1))
	says 'waiting for a run to begin'
	kill -TERM "$WATCH_PID"
	wait "$WATCH_PID"
	[ ! -s "$T/watch.err" ] || { show "$T/watch.err"; return 1; }
}

@test "too many open pages are turned away, and whole pages still answered" {
	start_watch "$DB"
	local i refused
	for i in $(seq 16); do
		start_events "$T/events.$i"
	done
	[ "$(get "${PAGE}events")" = 503 ]
	says 'waiting for a run to begin'
	end_process "$EVENTS_PID"
	let_in() {
		local status=0
		curl -sN -m 1 "${PAGE}events" >"$T/events.17" 2>/dev/null || status=$?
		[ "$status" -eq 28 ] && grep -q '^event: status' "$T/events.17"
	}
	wait_until 10 let_in
}

@test "watching opens nothing between looks, and writes nothing" {
	start_run --db "$DB" --blocks 1
	wait "$RUN_PID" || [ $? -eq 3 ]
	local before
	before=$(sha256sum "$DB")
	start_watch "$DB"
	start_events
	says 'ended: 2 of 2 trials'
	holds() { find "/proc/$WATCH_PID/fd" -lname "$DB*" | grep -q .; }
	refute holds
	[ "$(sha256sum "$DB")" = "$before" ]
	[ "$(ls "$T" | grep -c '^a\.db')" -eq 1 ]
}

# start_browser: Chromium at the page; where it tells of its pages, in $DEVTOOLS
start_browser() {
	chromium --headless --no-sandbox --disable-gpu --user-data-dir="$T/profile" \
		--remote-debugging-port=0 "$PAGE" >"$T/browser.out" 2>&1 </dev/null 3>&- &
	BROWSER_PID=$!
	PIDS+=("$BROWSER_PID")
	wait_until 60 grep -q '^DevTools listening on ' "$T/browser.out"
	DEVTOOLS=$(sed -n 's#^DevTools listening on ws://\([^/]*\)/.*#\1#p' "$T/browser.out")
}

titled() {
	curl -s -m 10 "http://$DEVTOOLS/json/list" | jq -r '.[] | select(.type == "page") | .title' |
		grep -q "$1"
}

# The title is the script's: it follows only where the policy lets the script run and listen.
@test "in a browser the page follows by itself" {
	need chromium jq
	start_watch "$DB"
	start_browser
	wait_until 60 titled '^waiting for a run to begin - cipherwatt watch$'
	start_run --db "$DB"
	wait_until 60 titled '^running: [0-9] of 6 trials - smoke$'
	wait_until 60 titled '^ended: 6 of 6 trials - smoke$'
	end_process "$WATCH_PID"
	titled '^ended: 6 of 6 trials - smoke$'
	# A watch at the same place is found again. Another may have taken the port meanwhile.
	local port=${PAGE##*:}
	rm -f "$DB"*
	"$CIPHERWATT" watch "$DB" --port "${port%/}" >"$T/again.out" 2>&1 </dev/null 3>&- &
	PIDS+=($!)
	wait_until 20 said_or_ended "$T/again.out" $!
	grep -q '^watching ' "$T/again.out" || skip "the port was taken by somebody else"
	wait_until 60 titled '^waiting for a run to begin - cipherwatt watch$'
}

# laid_out WIDTH: what the browser says of the page in a window so wide, in $T/cell.json
laid_out() {
	sed '/<script/,/<\/script>/d' "$T/page" >"$T/page.html"
	cat >"$T/frame.html" <<-END
		<!DOCTYPE html><iframe id="f" src="page.html" style="width:$1px;height:800px;border:0"></iframe>
		<pre id="o"></pre><script>
		addEventListener('load', () => {
			const d = f.contentDocument, box = e => e.getBoundingClientRect();
			o.textContent = JSON.stringify({
				inner: f.contentWindow.innerWidth,
				wide: d.documentElement.scrollWidth,
				rows: d.querySelectorAll('#cells tbody tr').length,
				insight: [...d.querySelectorAll('#cells tbody tr')].filter(row =>
					box(row.cells[2]).right <= box(row.closest('.wide')).right).length,
				hidden: box(d.getElementById('lost')).height,
				details: [...d.querySelectorAll('#cells .narrow')].filter(e => box(e).height > 0).length,
			});
		});
		</script>
	END
	timeout 60 chromium --headless --no-sandbox --disable-gpu --allow-file-access-from-files \
		--user-data-dir="$T/profile" --window-size=1400,900 --dump-dom "file://$T/frame.html" \
		>"$T/dom" 2>"$T/chromium.err" || { show "$T/chromium.err"; return 1; }
	sed -n 's/.*<pre id="o">\(.*\)<\/pre>.*/\1/p' "$T/dom" >"$T/cell.json"
	[ -s "$T/cell.json" ] || { show "$T/dom"; return 1; }
}

@test "on a phone and on a desk nothing is wider than the page" {
	need chromium jq
	sed -i 's/^cells:/nodes: {server: {meter: "model:rpi-4b"}}\ncells:/' "$SMOKE"
	start_run --db "$DB"
	wait "$RUN_PID" || [ $? -eq 3 ]
	start_watch "$DB"
	says 'ended: 6 of 6 trials'
	# Modelled energy says so at each figure.
	[ "$(grep -o '<span class="badge">modelled</span>' "$T/page" | wc -l)" -eq 2 ]
	grep -q '<p class="warn">Energy is modelled' "$T/page"
	laid_out 390
	# Rate and energy are in sight, and what tells cells of one suite apart.
	check '.inner == 390 and .wide <= 390' '.rows == 2 and .insight == 2' '.hidden == 0' '.details >= 1'
	laid_out 1280
	check '.inner == 1280 and .wide <= 1280' '.insight == 2' '.details == 0'
}
