#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# solar - the command line of `cipherwatt solar` over a real, tiny campaign: sites that are
# read, options that are refused, designs as text and JSON.

load helpers

setup_file() {
	export MADE="$BATS_FILE_TMPDIR/made.db" SITE="$BATS_FILE_TMPDIR/site.txt"
	XDG_CACHE_HOME="$BATS_FILE_TMPDIR/cache" "$CIPHERWATT" run \
		"$BATS_TEST_DIRNAME/campaigns/smoke.yaml" --db "$MADE" \
		--report "$BATS_FILE_TMPDIR/made.html" >"$BATS_FILE_TMPDIR/run.out" \
		2>"$BATS_FILE_TMPDIR/run.err" </dev/null 3>&- || [ $? -eq 3 ] || {
		show "$BATS_FILE_TMPDIR/run.err"
		return 1
	}
	# A year of hours in W/m2: longer and brighter days in summer.
	awk 'BEGIN {
		for (i = 0; i < 8760; i++) {
			season = 0.6 - 0.4 * cos(6.2832 * i / 8760)
			height = sin(6.2832 * ((i % 24) + 0.5 - 6) / 24)
			print (height > 0 ? 900 * season * height : 0)
		}
	}' >"$SITE"
}

setup() {
	setup_common
	PLACE=(--site "$SITE" --latitude 45 --longitude 8 --utc-offset 1)
}

teardown() {
	teardown_common
}

# solar ARG...: standard output in $T/out, standard error in $T/err
solar() {
	"$CIPHERWATT" solar "$@" >"$T/out" 2>"$T/err" </dev/null 3>&-
}

# refused STATUS WORD ARG...
refused() {
	local expected=$1 word=$2 status=0
	shift 2
	solar "$@" || status=$?
	[ "$status" -eq "$expected" ] || { show "$T/err"; echo "exit status $status" >&2; return 1; }
	[ ! -s "$T/out" ]
	grep -qF -e "$word" "$T/err" || { show "$T/err"; return 1; }
}

@test "a design for each suite, as text, with what it stands on" {
	solar "$MADE" "${PLACE[@]}" --requests-per-day 1000 || { show "$T/err"; return 1; }
	head -n 1 "$T/out" | grep -q 'on modelled energy of campaign'
	grep -q '^Site: 45.000, 8.000 (hourly numbers, 1 year, rows of 60 min)' "$T/out"
	grep -q '^Quality: 0 rows missing' "$T/out"
	grep -q '^Worksheet for it: ' "$T/out"
	grep -q '^Equal reliability' "$T/out"
	grep -qE '^tls1[^ ]*/[^ ]*/c[0-9]+/[^ ]* ' "$T/out" # the row's cell
	grep -qE '^Idle power is .* % of the load. It is modelled, with a standard uncertainty of ' "$T/out"
	"$CIPHERWATT" solar --help | tr -s '\n ' ' ' | grep -q 'from PVGIS.* TMY -> CSV'
}

@test "JSON has the keys of the contract, and the panel carries the load" {
	need jq
	solar "$MADE" "${PLACE[@]}" --requests-per-day 1000 --json || { show "$T/err"; return 1; }
	jq -e '.schema == "cipherwatt/1" and (.designs | length) > 0' "$T/out"
	jq -e '.designs | all(.suite and .load_wh_per_day > 0 and .panel_w > 0 and .battery_wh > 0
		and .lolp >= 0 and .hours_lost >= 0 and .longest_outage_h >= 0
		and (.monthly | length) == 12 and .quality.rows == 8760
		and .lpsp <= 0.001 and .panel_wh > .load_wh)' "$T/out"
	jq -e '.designs | all(.high.lpsp == null or .low.lpsp == null or .high.lpsp >= .low.lpsp)' "$T/out"
}

@test "a design that is given is run as it is" {
	need jq
	solar "$MADE" "${PLACE[@]}" --panel-wp 500 --battery-wh 1000 --json || { show "$T/err"; return 1; }
	jq -e '.designs | all(.panel_w == 500 and .battery_wh == 1000)' "$T/out"
	grep -q 'are --panel-wp 500 W' "$T/err"
}

@test "of a panel that is given the battery is searched" {
	need jq
	solar "$MADE" "${PLACE[@]}" --panel-wp 40 --json || { show "$T/err"; return 1; }
	jq -e '.designs | all(.panel_w == 40 and .lpsp <= 0.001)' "$T/out"
	refused 1 'no battery behind a panel of 1 W' "$MADE" "${PLACE[@]}" --panel-wp 1
}

@test "what else hangs on the battery is carried too" {
	need jq
	awk 'BEGIN { for (i = 0; i < 8760; i++) print i % 24 < 12 ? 2 : 4 }' >"$T/lamp"
	solar "$MADE" "${PLACE[@]}" --requests-per-day 1000 --json && cp "$T/out" "$T/alone"
	solar "$MADE" "${PLACE[@]}" --requests-per-day 1000 --load-profile "$T/lamp" --json || { show "$T/err"; return 1; }
	jq -e '.other_load_wh_per_day == 72' "$T/out"
	jq -se '.[0].designs[0].panel_w < .[1].designs[0].panel_w' "$T/alone" "$T/out"
	refused 2 'is no number' "$MADE" "${PLACE[@]}" --load-profile "$BATS_TEST_FILENAME"
	head -c 2000 "$T/lamp" >"$T/cut"
	refused 2 '1000 numbers; expected a year of them' "$MADE" "${PLACE[@]}" --load-profile "$T/cut"
}

@test "what cannot be obeyed is refused in a sentence" {
	refused 2 'no site: --site FILE' "$MADE"
	refused 2 'no database was named' --site "$SITE"
	refused 2 'no location in the file' "$MADE" --site "$SITE"
	refused 2 'no time zone in the file' "$MADE" --site "$SITE" --latitude 45 --longitude 8
	refused 2 'not a weather file that is known' "$MADE" --site "$BATS_TEST_FILENAME"
	refused 2 '/nowhere' "$MADE" --site /nowhere
	refused 2 '--derate 850; expected 1 to 100' "$MADE" "${PLACE[@]}" --derate 850
	refused 2 '--profile: 3 shares' "$MADE" "${PLACE[@]}" --profile 1,2,3
	refused 2 'there is no "night"; expected flat, day, evening' "$MADE" "${PLACE[@]}" --profile night
	refused 2 '--lpsp 100; expected 0 to 99' "$MADE" "${PLACE[@]}" --lpsp 100
	refused 2 '--latitude 145' "$MADE" --site "$SITE" --latitude 145
	refused 1 'none of that name' "$MADE" "${PLACE[@]}" --only nothing
	refused 1 'has a load' "$MADE" "${PLACE[@]}" --requests-per-day 1e11
	refused 2 'no campaign "other"' "$MADE" "${PLACE[@]}" --campaign other
	head -c 20000 "$SITE" >"$T/cut"
	refused 2 'numbers; expected a year of them' "$MADE" --site "$T/cut"
}

@test "a public file of a typical year, its gaps filled or kept" {
	local shared=${CIPHERWATT_SHARED:-$BATS_TEST_DIRNAME/../../shared}
	local tmy=$shared/data/weather/tmy_45.000_8.000_2005_2023.csv
	[ -e "$tmy" ] || skip "$tmy is not there"
	need jq
	solar "$MADE" --site "$tmy" --requests-per-day 1000 --json || { show "$T/err"; return 1; }
	jq -e '.site.typical_year and .designs[0].quality.dark == 44 and .designs[0].quality.filled == 44' "$T/out"
	jq -e '.designs | all(.gaps_kept.lpsp >= .lpsp)' "$T/out"
	refused 2 '44 rows have no irradiance' "$MADE" --site "$tmy" --gaps fail
}

@test "the page of a report says what the suites need at a site" {
	"$CIPHERWATT" report "$MADE" -o "$T/page.html" --site "$SITE" 2>"$T/err" && return 1
	grep -q 'no location in the file' "$T/err"
	awk 'BEGIN { print "Latitude (decimal degrees): 45\nLongitude (decimal degrees): 8\ntime,T2m,G(h)" }
		{ printf "%s,10,%s\n", strftime("%Y%m%d:%H00", 1609459200 + 3600 * (NR - 1), 1), $1 }' \
		"$SITE" >"$T/site.csv" 2>/dev/null || skip "this awk has no strftime"
	"$CIPHERWATT" report "$MADE" -o "$T/page.html" --site "$T/site.csv" --requests-per-day 1000 2>"$T/err" || {
		show "$T/err"
		return 1
	}
	grep -q '<section id="solar">' "$T/page.html"
	grep -q '<figure id="solar-curves">' "$T/page.html"
	refute "$CIPHERWATT" report "$MADE" --site "$T/site.csv"
}
