#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# cli - what every command has in common: help, exit statuses, messages, and that the list of
# commands, their help and what is parsed agree.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

commands() {
	"$CIPHERWATT" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{2,\}\) .*/\1/p'
}

# long_options COMMAND: as its help lists them, without dashes
long_options() {
	"$CIPHERWATT" "$1" --help | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p'
}

# usage_error WORD ARG...: status 2, nothing on standard output, WORD on standard error
usage_error() {
	local word=$1 status=0
	shift
	"$CIPHERWATT" "$@" >"$T/out" 2>"$T/err" </dev/null 3>&- || status=$?
	[ "$status" -eq 2 ] || { show "$T/err"; echo "$*: exit status $status" >&2; return 1; }
	[ ! -s "$T/out" ]
	grep -qF -e "$word" "$T/err" || { show "$T/err"; return 1; }
}

@test "the commands of the main job are there" {
	local name
	for name in run report serve load power suites speed node; do
		commands | grep -qx "$name"
	done
}

@test "without a command the usage goes to standard error, status 2" {
	local status=0
	"$CIPHERWATT" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -eq 2 ]
	[ ! -s "$T/out" ]
	grep -q '^Usage: cipherwatt COMMAND' "$T/err"
}

@test "--help, -h and help agree" {
	"$CIPHERWATT" --help >"$T/help"
	"$CIPHERWATT" -h | diff "$T/help" -
	"$CIPHERWATT" help | diff "$T/help" -
}

@test "every command has help with usage, options and examples, status 0" {
	local name
	for name in $(commands); do
		"$CIPHERWATT" "$name" --help >"$T/help" 2>"$T/err"
		[ ! -s "$T/err" ]
		head -n 1 "$T/help" | grep -q "^Usage: cipherwatt $name\b"
		grep -q '^Options:' "$T/help"
		grep -q -- '--help' "$T/help"
		grep -q '^Examples:' "$T/help"
		"$CIPHERWATT" help "$name" | diff "$T/help" -
	done
}

# A command line to copy may be longer.
@test "help fits 80 columns, examples aside" {
	local name
	"$CIPHERWATT" --help | awk 'length > 80 { print; bad = 1 } END { exit bad }'
	for name in $(commands); do
		"$CIPHERWATT" "$name" --help | sed '/^Examples:/,$d' | awk -v name="$name" \
			'length > 80 { print name ": " $0; bad = 1 } END { exit bad }'
	done
}

# An option of the help that is not parsed would be refused as unknown.
@test "every option in the help is one that is parsed" {
	local name option
	mkdir "$T/here"
	[ "$(long_options run | wc -l)" -ge 11 ]
	for name in $(commands); do
		for option in $(long_options "$name"); do
			[ "$option" = help ] && continue
			# One with an argument takes "--help" for it, and may make a file of that name.
			# `watch` then runs until it is told to end.
			(cd "$T/here" && timeout 3 "$CIPHERWATT" "$name" "--$option" --help) >"$T/out" \
				2>"$T/err" </dev/null || true
			if grep -q "unknown option" "$T/err"; then # as the next test expects it
				echo "$name --$option is in the help, but not parsed" >&2
				return 1
			fi
		done
	done
}

@test "an unknown option is refused with the nearest, status 2" {
	local name option
	for name in $(commands); do
		usage_error 'unknown option' "$name" --no-such-option
		grep -q "^cipherwatt $name: " "$T/err"
		grep -qF "cipherwatt $name --help" "$T/err"
	done
	usage_error '--resume' run --resumee x.yaml
	usage_error '--dry-run' run x.yaml --dry-rum
}

@test "an unknown command is refused with the nearest, status 2" {
	usage_error 'did you mean "suites"' suits
	usage_error 'did you mean "report"' repotr a.db
	usage_error 'cipherwatt --help' xyzzy
	usage_error 'did you mean "serve"' help srve
	usage_error 'unknown command ""' ''
}

@test "a missing or superfluous operand is status 2" {
	usage_error 'campaign file' run
	usage_error 'campaign file' run a.yaml b.yaml
	usage_error 'URL' load
	usage_error 'operand' node now
}

@test "a value out of range is refused with the option's name" {
	usage_error '--blocks' run a.yaml --blocks 0
	usage_error '--blocks' run a.yaml --blocks many
	usage_error '--progress' run a.yaml --progress loud
	usage_error '--seed' run a.yaml --seed -1
}

@test "--version names the program, every engine and the licence" {
	"$CIPHERWATT" --version >"$T/out"
	head -n 1 "$T/out" | grep -Eq '^cipherwatt [0-9]+\.[0-9]+\.[0-9]+'
	grep -q '^engine null ' "$T/out"
	grep -q 'Apache-2.0' "$T/out"
}

@test "a result that cannot be written is a failure" {
	[ -c /dev/full ] || skip "no /dev/full here"
	local status=0
	"$CIPHERWATT" --help >/dev/full 2>"$T/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q 'standard output' "$T/err"
	status=0
	"$CIPHERWATT" run --help >/dev/full 2>"$T/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q 'standard output' "$T/err"
}

@test "a node answers lines and ends with its input" {
	printf '%s\n' 'nonsense' '{"id":1,"do":"clock"}' >"$T/in"
	"$CIPHERWATT" node <"$T/in" >"$T/out"
	[ "$(jq -s 'length == 2 and all(.[]; .ok == false)' "$T/out")" = true ]
}

@test "doctor says what spoils, in text and in JSON, and its status agrees" {
	local status=0 spoils
	"$CIPHERWATT" doctor --for 200ms >"$T/out" 2>"$T/err" || status=$?
	[ ! -s "$T/err" ]
	spoils=$(grep -c '^spoils ' "$T/out" || true)
	[ "$status" -eq $((spoils ? 3 : 0)) ]
	grep -q "^$spoils would spoil a measurement" "$T/out"
	status=0
	"$CIPHERWATT" doctor --for 200ms --json >"$T/out" || status=$?
	[ "$(jq -r .schema "$T/out")" = cipherwatt/1 ]
	[ "$status" -eq "$(jq 'if .spoils > 0 then 3 else 0 end' "$T/out")" ]
	jq -e '.spoils == ([.checks[] | select(.verdict == "spoils")] | length)' "$T/out"
	jq -e '[.checks[] | select((.verdict | IN("spoils", "note")) != has("cure"))] == []' "$T/out"
	jq -e '.watched_s >= 0.2 and (.machine.cpus > 0) and (.checks | length) > 15' "$T/out"
	usage_error 'one word too many' doctor board
}
