#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# report - the command line of `cipherwatt report` over a real, tiny campaign: formats, choice
# of a campaign, files that are no database, results that cannot be written.

load helpers

setup_file() {
	export MADE="$BATS_FILE_TMPDIR/made.db"
	XDG_CACHE_HOME="$BATS_FILE_TMPDIR/cache" "$CIPHERWATT" run \
		"$BATS_TEST_DIRNAME/campaigns/smoke.yaml" --db "$MADE" \
		--report "$BATS_FILE_TMPDIR/made.html" >"$BATS_FILE_TMPDIR/run.out" \
		2>"$BATS_FILE_TMPDIR/run.err" </dev/null 3>&- || [ $? -eq 3 ] || {
		show "$BATS_FILE_TMPDIR/run.err"
		return 1
	}
}

setup() {
	setup_common
	DB="$T/a.db"
	cp "$MADE" "$DB"
}

teardown() {
	teardown_common
}

# report ARG...: standard output in $T/out, standard error in $T/err
report() {
	"$CIPHERWATT" report "$@" >"$T/out" 2>"$T/err" </dev/null 3>&-
}

# lacks PATTERN... FILE: grep finds none of it (a plain "! grep" would not fail a test)
lacks() {
	if grep "$@"; then
		return 1
	fi
}

# refused STATUS WORD ARG...: that status, one message with WORD, nothing on standard output
refused() {
	local expected=$1 word=$2 status=0
	shift 2
	report "$@" || status=$?
	[ "$status" -eq "$expected" ] || { show "$T/err"; echo "exit status $status" >&2; return 1; }
	[ ! -s "$T/out" ]
	grep -qF -e "$word" "$T/err" || { show "$T/err"; return 1; }
	[ "$(grep -c '^cipherwatt report: ' "$T/err")" -eq 1 ]
}

@test "help names every option and format" {
	run "$CIPHERWATT" report --help
	[ "$status" -eq 0 ]
	local word
	for word in --campaign --format --output --list --threshold --schema text json csv html \
		ndjson markdown prometheus influx; do
		[[ $output == *"$word"* ]]
	done
}

@test "text has the table, says what is modelled and how it was measured" {
	report "$DB"
	grep -q '^Campaign smoke' "$T/out"
	grep -q 'tls1.3:AES128-GCM-SHA256:x25519:p256' "$T/out"
	grep -q 'Energy is modelled' "$T/out"
	grep -q 'requests/mWh' "$T/out"
	grep -q 'How it was measured' "$T/out"
	lacks -q $'\033' "$T/out"
}

@test "colour is only where it is wanted" {
	CLICOLOR_FORCE=1 report "$DB"
	grep -q $'\033' "$T/out"
	NO_COLOR=1 report "$DB"
	lacks -q $'\033' "$T/out"
}

@test "JSON keeps its contract over a real campaign" {
	need jq
	report "$DB" --format json
	jq -e '.schema == "cipherwatt/1" and .campaign.name == "smoke" and .campaign.complete
		and (.nodes | length) == 2 and (.cells | length) == 2 and .options.blocks == 2' "$T/out"
	jq -e '.cells[1] | .suite == "tls1.3:AES128-GCM-SHA256:x25519:p256" and .strength_bits == 128
		and .server_under_test == "builtin" and .trials == 2
		and .server.energy.source != "measured"' "$T/out"
	jq -e '[.cells[] | select(.valid_trials > 0) | '"${BALANCE}"'] | all' "$T/out"
	jq -e '[.cells[] | select(.valid_trials > 0) | .server.energy | .gross_mwh > 0
		and ((.gross_mwh - .idle_mwh - .net_mwh) | fabs) < 1e-6] | all' "$T/out"
	lacks -qwi -e nan -e inf "$T/out"
}

@test "CSV has a row for each cell and all columns in each" {
	need python3
	report "$DB" -f csv
	python3 - "$T/out" <<-'END'
		import csv, sys
		rows = list(csv.reader(open(sys.argv[1], newline="")))
		assert len(rows) == 3, rows
		assert all(len(row) == len(rows[0]) for row in rows)
		assert len(set(rows[0])) == len(rows[0])
		assert float(rows[1][rows[0].index("payload_bytes")]) == 512
	END
}

@test "the schema in docs is the program's, and nothing else" {
	"$CIPHERWATT" report --schema >"$T/schema.json"
	cmp "$T/schema.json" "$BATS_TEST_DIRNAME/../docs/report.schema.json"
}

@test "NDJSON has an object on a line for each cell" {
	need jq
	report "$DB" -f ndjson
	[ "$(wc -l <"$T/out")" -eq 2 ]
	jq -se '(map(.campaign.name) == ["smoke", "smoke"]) and (map(.schema) | unique) == ["cipherwatt/1"]' "$T/out"
}

@test "promtool finds nothing wrong with the Prometheus file" {
	need promtool
	report "$DB" -o "$T/cipherwatt.prom"
	run promtool check metrics <"$T/cipherwatt.prom"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "Markdown and Influx follow the ending of --output" {
	report "$DB" -o "$T/a.md"
	grep -q '^# Campaign smoke, ' "$T/a.md"
	report "$DB" -o "$T/a.lp"
	[ "$(grep -c '^cipherwatt_cell,campaign=smoke,' "$T/a.lp")" -eq 2 ]
}

@test "a threshold that is missed ends with 4 and says by what" {
	local status=0
	report "$DB" --threshold 'valid_trials(*)>=0' --threshold 'requests_per_s(plain)>0'
	grep -q '^Campaign smoke' "$T/out"
	report "$DB" --threshold 'server.requests_per_mwh(tls1.3:*)>1e12' -o "$T/page.html" || status=$?
	[ "$status" -eq 4 ]
	grep -q '</html>' "$T/page.html"
	grep -q '^cipherwatt report: 1 missed:' "$T/err"
	grep -q '^tls1.3:.*server.energy.requests_per_mwh is .*, wanted > 1e+12$' "$T/err"
	refused 2 'could be response_us.p99, service_us.p99' "$DB" --threshold 'p99<5'
	status=0
	report "$DB" --threshold 'requests_per_mwh(tls1.3:*)>1e12' -o "$T/page.html" || status=$?
	[ "$status" -eq 4 ]
	grep -q 'server.energy.requests_per_mwh is' "$T/err"
	refused 2 'no figure "speed"' "$DB" --threshold 'speed>5'
	refused 2 'no cell matches "dtls*"' "$DB" --threshold 'requests_per_s(dtls*)>5' -o "$T/page.html"
}

@test "HTML is one file that loads nothing" {
	report "$DB" --format html
	grep -q '<svg' "$T/out"
	grep -q 'modelled' "$T/out"
	lacks -q -e 'http://' -e 'https://' -e '<script' "$T/out"
	if command -v xmllint >/dev/null; then
		xmllint --noout "$T/out"
	fi
}

@test "the page of run and the page of report are the same" {
	report "$DB" --format html
	cmp "$T/out" "$BATS_FILE_TMPDIR/made.html"
}

@test "--output writes the format of its ending, silently and whole" {
	report "$DB" -o "$T/page.html"
	[ ! -s "$T/out" ]
	grep -q '</html>' "$T/page.html"
	report "$DB" -o "$T/a.json"
	grep -q '"schema": "cipherwatt/1"' "$T/a.json"
	report "$DB" --format csv -o "$T/odd.html"
	grep -q '^campaign,complete,' "$T/odd.html"
	[ "$(ls "$T" | wc -l)" -eq 6 ] # a.db out err page.html a.json odd.html: nothing else is left
}

@test "an output that cannot be written is an error and keeps what was there" {
	echo before >"$T/page.html"
	refused 1 "$T/none/page.html" "$DB" -o "$T/none/page.html"
	if [ "$(id -u)" -ne 0 ]; then
		mkdir "$T/shut" && chmod 555 "$T/shut"
		refused 1 "$T/shut/page.html" "$DB" -o "$T/shut/page.html"
	fi
	[ "$(cat "$T/page.html")" = before ]
	[ -e /dev/full ] || skip "no /dev/full here"
	run bash -c '"$1" report "$2" >/dev/full' - "$CIPHERWATT" "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *"standard output"* ]]
}

@test "the output is never the database" {
	local name before
	before=$(sha256sum <"$DB")
	ln "$DB" "$T/hard.csv"
	for name in "$DB" "$T/./a.db" "$DB-wal" "$DB-shm" "$T/hard.csv"; do
		refused 2 'is the database itself or its log' "$DB" -o "$name"
	done
	[ "$before" = "$(sha256sum <"$DB")" ]
	[ ! -e "$DB-wal" ]
}

@test "a full disk behind standard output is called so, however long the report" {
	local format status
	for format in text json csv html ndjson markdown prometheus influx; do
		status=0
		"$CIPHERWATT" report "$DB" -f "$format" >/dev/full 2>"$T/err" || status=$?
		[ "$status" -eq 1 ]
		grep -q 'No space left on device' "$T/err" || { show "$T/err"; return 1; }
	done
}

@test "campaigns are listed, and chosen by name or number" {
	report "$DB" --list
	[ "$(cut -f 1,3,4 "$T/out")" = "1	complete	smoke" ]
	report "$DB" --campaign smoke
	report "$DB" --campaign 1
	refused 2 'no campaign "other"' "$DB" --campaign other
	refused 2 "no campaign 7" "$DB" --campaign 7
}

@test "an unfinished campaign is reported and says so everywhere" {
	need sqlite3 jq
	sqlite3 "$DB" 'UPDATE campaign SET complete = 0; DELETE FROM trace; DELETE FROM trial WHERE block = 1'
	report "$DB"
	grep -q 'NOT COMPLETE: 2 trials are missing (complete: false)' "$T/out"
	report "$DB" -f json
	jq -e '.campaign.complete == false and .campaign.trials_missing == 2' "$T/out"
	report "$DB" -f csv
	grep -q '^smoke,false,' "$T/out"
	report "$DB" -f html
	grep -q 'complete: false' "$T/out"
	report "$DB" --list
	grep -q incomplete "$T/out"
}

@test "wrong usage is refused with what would be right" {
	refused 2 "no database" # names what is missing
	refused 2 "one database" "$DB" "$DB"
	refused 2 "json" "$DB" --format jsn
	refused 2 "--format" "$DB" --fromat json
}

@test "what is no database of ours is refused and left alone" {
	refused 1 "$T/none.db" "$T/none.db"
	[ ! -e "$T/none.db" ]
	refused 1 "not a regular file" "$T"
	: >"$T/empty.db"
	refused 1 "empty" "$T/empty.db"
	echo "campaign: quick" >"$T/text.db"
	refused 1 "not a cipherwatt database or damaged" "$T/text.db"
	head -c 9000 "$DB" >"$T/cut.db"
	refused 1 "not a cipherwatt database or damaged" "$T/cut.db"
	[ "$(stat -c %s "$T/cut.db")" -eq 9000 ]
}

@test "a database of a newer schema or of another program is named" {
	need sqlite3
	sqlite3 "$DB" 'PRAGMA user_version = 9; PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	refused 1 "schema version 9" "$DB"
	grep -q 'up to 1' "$T/err"
	sqlite3 "$T/other.db" 'CREATE TABLE t (a)'
	refused 1 "another program" "$T/other.db"
}

@test "compare sets two cells against each other, with a verdict" {
	need jq
	"$CIPHERWATT" compare "$DB" plain 'tls1.3:*' >"$T/out"
	grep -q '^A plain/' "$T/out"
	grep -q 'over pairs of blocks' "$T/out"
	"$CIPHERWATT" compare "$DB" plain 'tls1.3:*' --json >"$T/out"
	jq -e '.schema == "cipherwatt/1" and (.pairs | length) == 1 and .pairs[0].paired
		and (.pairs[0].figures | length) == 6' "$T/out"
	jq -e '.pairs[0].figures | all(has("ratio") and has("p_holm") and has("verdict"))' "$T/out"
}

@test "compare of a campaign with itself proves no difference" {
	need jq
	cp "$DB" "$T/b.db"
	"$CIPHERWATT" compare "$DB" "$T/b.db" --json >"$T/out"
	jq -e '(.pairs | length) == 2 and .only_a == 0 and .machines == ""
		and ([.pairs[].figures[] | .proven] | any | not)' "$T/out"
	"$CIPHERWATT" compare "$DB" smoke 1 >"$T/out"
	grep -q '^The machines, boards and versions are the same.$' "$T/out"
	grep -q 'no difference proven' "$T/out"
}

@test "compare's example names one cell of the quick campaign each" {
	local cells pattern patterns count
	mapfile -t cells < <("$CIPHERWATT" run testbed/campaigns/quick.yaml --dry-run |
		sed -n 's/^ *[0-9]*  \([a-z].*\/c[0-9].*\)/\1/p')
	[ "${#cells[@]}" -gt 2 ]
	mapfile -t patterns < <("$CIPHERWATT" compare --help | tr -d '\n' |
		grep -o "'[^']*/openssl'" | tr -d "'")
	[ "${#patterns[@]}" -eq 2 ]
	for pattern in "${patterns[@]}"; do
		count=0
		for cell in "${cells[@]}"; do
			# shellcheck disable=SC2053  # it is a pattern
			if [[ $cell == $pattern ]]; then count=$((count + 1)); fi
		done
		[ "$count" -eq 1 ]
	done
}

@test "compare says what its columns are, as report shows others" {
	need jq
	"$CIPHERWATT" compare --help >"$T/out"
	tr -s '\n ' ' ' <"$T/out" | grep -q 'A and B are means over trials'
	"$CIPHERWATT" compare "$DB" plain 'tls1.3:*' >"$T/out"
	tr -s '\n ' ' ' <"$T/out" | grep -q "A and B are means over trials: a report's figures"
	"$CIPHERWATT" compare "$DB" plain 'tls1.3:*' --json >"$T/out"
	jq -e '.values == "means over trials"' "$T/out"
}

@test "compare says units in words, and by how much a report's figures may differ" {
	"$CIPHERWATT" compare "$DB" plain 'tls1.3:*' >"$T/out"
	grep -q '^response time p50, us  ' "$T/out"
	grep -q '^requests per mWh of the server  ' "$T/out"
	refute grep -qE '[0-9]e[+-][0-9]' "$T/out"
	tr -s '\n ' ' ' <"$T/out" | grep -q 'where trials are unequal, perhaps by much'
	"$CIPHERWATT" compare --help | tr -s '\n ' ' ' | grep -q 'where trials are unequal, perhaps by much'
}

@test "compare says what it cannot compare" {
	local status=0
	"$CIPHERWATT" compare "$DB" '*' plain 2>"$T/err" || status=$?
	[ "$status" -eq 2 ]
	grep -q 'is 2 cells; it must be one' "$T/err"
	status=0
	"$CIPHERWATT" compare "$DB" none plain 2>"$T/err" || status=$?
	[ "$status" -eq 2 ]
	grep -q '"none" is neither a campaign nor a cell of campaign smoke' "$T/err"
	status=0
	"$CIPHERWATT" compare "$DB" 2>"$T/err" || status=$?
	[ "$status" -eq 2 ]
	status=0
	"$CIPHERWATT" compare "$DB" "$T/none.db" 2>"$T/err" || status=$?
	[ "$status" -eq 1 ]
}
