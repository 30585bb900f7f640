#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# access - the access-control workload from outside: the same decisions over HTTP and CoAP, an
# audit log that has every answered request, killed or not, and policies that are refused.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

# make_table NOUN: of the timeless rows of decisions.tsv $T/users.sql, which makes their users
# and points, $T/expected and a request in $T/NOUN-ROW.json each, with a nonce of its own.
make_table() {
	perl -lane '
		BEGIN { ($noun, $t) = splice @ARGV, 0, 2; $now = time . "000";
			open S, ">", "$t/users.sql"; open E, ">", "$t/expected"; }
		next if /^#/ or $F[13] ne "-";
		$n++;
		($user, $point) = ("U$n", "P$n");
		$key = "ab" x 32;
		print S "INSERT INTO users VALUES(\x27$user\x27,\x27$F[0]\x27,\x27$F[2]\x27,\x27$F[3]\x27,",
			"\x27i\x27,$F[4],0,253402300799999,x\x27$key\x27,0);";
		print S "INSERT INTO points VALUES(\x27$point\x27,\x27$F[1]\x27,\x27$F[5]\x27,",
			"\x27$F[6]\x27,$F[7],$F[8],0);";
		print E join " ", $n, @F[14 .. 16];
		@e = (emergency => $F[9], occupancy => $F[10], temperature => $F[11]);
		$e = "";
		while (($k, $v) = splice @e, 0, 2) { $e .= "\"$k\":$v," if $v ne "-" }
		$e .= "\"direction\":\"$F[12]\"," if $F[12] ne "-";
		chop $e;
		open Q, ">", "$t/$noun-$n.json";
		$nonce = sprintf "%s%024x", unpack("H8", $noun), $n;
		print Q "{\"version\":1,\"nonce\":\"$nonce\",\"time\":$now,\"user\":{\"id\":\"$user\",",
			"\"role\":\"$F[0]\",\"department\":\"$F[2]\",\"employment\":\"$F[3]\",",
			"\"clearance\":$F[4],\"key_valid_from\":0,\"key_valid_until\":253402300799999,",
			"\"key_issuer\":\"i\",\"key_thumbprint\":\"$key\"},\"point\":{\"id\":\"$point\",",
			"\"area\":\"$F[1]\",\"building\":\"$F[5]\",\"floor\":$F[7],\"kind\":\"$F[6]\",",
			"\"security\":$F[8]}", $e ? ",\"environment\":{$e}" : "", "}";
		close Q;
	' "$1" "$T" "$BATS_TEST_DIRNAME/access/decisions.tsv"
}

make_users() {
	"$CIPHERWATT" serve http://127.0.0.1:0 --counters --workload access --access-users 1 \
		--users "$T/users.db" >"$T/made.out" </dev/null 3>&-
	{
		echo 'BEGIN; DELETE FROM users; DELETE FROM points;'
		cat "$T/users.sql"
		echo 'COMMIT;'
	} | sqlite3 "$T/users.db"
}

answers_of() { # NOUN: number, decision, reason and rule of every answer
	local n
	for n in $(cut -d' ' -f1 "$T/expected"); do
		echo "$n $(cat "$T/$1-$n.answer")"
	done | perl -lne '
		my ($n, $json) = /^(\d+) (.*)/;
		print join " ", $n, map { $json =~ /"$_":"([^"]*)"/ ? $1 : "-" } qw(decision reason rule)'
}

ask_http() {
	local n
	for n in $(cut -d' ' -f1 "$T/expected"); do
		cat <<-END
			next
			url = "$1/access"
			header = "Content-Type: application/json"
			data-binary = "@$T/http-$n.json"
			output = "$T/http-$n.answer"
			silent
		END
	done >"$T/curl.config"
	curl -sS --config "$T/curl.config"
}

ask_coap() {
	local n
	for n in $(cut -d' ' -f1 "$T/expected"); do
		# What is no success is said on standard error.
		coap-client-notls -m post -t 50 -f "$T/coap-$n.json" -B 5 "$1/access" 2>&1 |
			tr -d '\n' >"$T/coap-$n.answer"
	done
}

@test "the decisions of the table are the same over HTTP and CoAP" {
	need curl sqlite3 perl coap-client-notls
	make_table http
	make_table coap
	[ "$(wc -l <"$T/expected")" -ge 200 ]
	make_users
	start_serve http://127.0.0.1:0 coap://127.0.0.1:0 --workload access --threads 2 \
		--users "$T/users.db" --policy "$BATS_TEST_DIRNAME/access/policy.yaml" \
		--audit "$T/audit" --clock-skew 10m
	ask_http "$URL"
	answers_of http >"$T/got"
	diff "$T/expected" "$T/got"
	ask_coap "$(sed -n 's/^listening on \(coap:[^ ]*[0-9]\).*/\1/p' "$T/serve.out")"
	answers_of coap >"$T/got"
	diff "$T/expected" "$T/got"
	end_process "$SERVE_PID"
	[ "$(grep -c '	P[0-9]*	' "$T/audit")" -eq $((2 * $(wc -l <"$T/expected"))) ]
}

# records: how many the audit log has; its first line is no record.
records() {
	echo $(($(wc -l <"$T/audit") - 1))
}

has_records() {
	[ "$(records)" -ge "$1" ]
}

@test "the audit log has as many decisions as there were answers" {
	local e
	start_serve http://127.0.0.1:0 --http 2 --workload access --audit "$T/audit" \
		--durability batched
	load_cell "$URL" --workload access --count 500 --clients 2 --http 2 --streams 4 \
		--connection keepalive --warmup 0s
	check "$BALANCE" '.requests.succeeded == 500' '.outcomes.permit > 0' '.outcomes.error == 0'
	for e in json cbor; do
		load_cell "$URL" --workload access --access-encoding "$e" --count 500 --clients 4 \
			--connection keepalive --warmup 0s
		check "$BALANCE" '.requests.succeeded == 500' '.outcomes.permit > 0' \
			'.outcomes.deny > 0' '.outcomes.not_applicable > 0' '.outcomes.error == 0'
	done
	end_process "$SERVE_PID"
	[ "$(records)" -eq 1500 ]
}

@test "a killed server has lost no decision that was answered, and goes on" {
	local answered
	start_serve http://127.0.0.1:0 --workload access --audit "$T/audit" --durability each
	"$CIPHERWATT" load "$URL" --workload access --duration 1500ms --clients 8 --warmup 0s \
		--connection keepalive --json >"$T/cell.json" 2>"$T/load.err" </dev/null 3>&- &
	LOAD_PID=$!
	PIDS+=("$LOAD_PID")
	wait_until 10 has_records 100
	kill -KILL "$SERVE_PID"
	wait "$LOAD_PID" || true
	answered=$(jq '.total.requests.succeeded' "$T/cell.json")
	[ "$answered" -gt 0 ]
	echo "answered $answered, recorded $(records)" >&2
	[ "$(records)" -ge "$answered" ]
	[ "$(records)" -le $((answered + 8)) ]
	start_serve http://127.0.0.1:0 --workload access --audit "$T/audit" --durability each
	load_cell "$URL" --workload access --count 10 --clients 1 --warmup 0s
	end_process "$SERVE_PID"
	[ "$(records)" -ge $((answered + 10)) ]
	[ "$(tail -n 1 "$T/audit" | cut -f2)" -eq "$(records)" ]
}

@test "an audit log that was deleted lets nobody in, and is said at once" {
	start_serve http://127.0.0.1:0 --workload access --audit "$T/audit" --durability each
	load_cell "$URL" --workload access --count 10 --clients 1 --warmup 0s
	rm "$T/audit"
	"$CIPHERWATT" load "$URL" --workload access --count 10 --clients 1 --warmup 0s --json >"$T/cell.json" || true
	[ "$(jq '.outcomes.permit' "$T/cell.json")" -eq 0 ]
	grep -q 'somebody has deleted it; nothing is decided any more, until a new start' "$T/serve.err"
	end_process "$SERVE_PID"
}

@test "a revoked user is refused at once, and a replay is no answer" {
	need curl sqlite3 perl
	make_table http
	make_table again
	make_users
	start_serve http://127.0.0.1:0 --workload access --threads 2 --users "$T/users.db" \
		--policy "$BATS_TEST_DIRNAME/access/policy.yaml" --clock-skew 10m
	n=$(awk '$2 == "permit" { print $1; exit }' "$T/expected")
	post() {
		curl -sS -o "$T/answer" -w '%{http_code}' -H 'Content-Type: application/json' \
			--data-binary "@$1" "$URL/access"
	}
	[ "$(post "$T/http-$n.json")" = 200 ]
	[ "$(post "$T/http-$n.json")" = 409 ]
	grep -q '"decision":"error".*"reason":"replay"' "$T/answer"
	sqlite3 "$T/users.db" "UPDATE users SET revoked = 1 WHERE id = 'U$n'"
	sleep 0.15 # what a record may be out of date
	[ "$(post "$T/again-$n.json")" = 403 ]
	grep -q '"reason":"revoked"' "$T/answer"
}

@test "records that are no records refuse, and the owner reads why" {
	need curl sqlite3 perl
	make_table http
	make_users
	start_serve http://127.0.0.1:0 --workload access --threads 1 --users "$T/users.db" \
		--policy "$BATS_TEST_DIRNAME/access/policy.yaml" --clock-skew 10m
	n=$(awk '$2 == "permit" { print $1; exit }' "$T/expected")
	m=$(awk '$2 == "permit" { if (seen++) { print $1; exit } }' "$T/expected")
	sqlite3 "$T/users.db" "UPDATE users SET role = printf('%.500c', 'w')"
	for i in "$n" "$m"; do
		curl -sS -o "$T/answer" -H 'Content-Type: application/json' \
			--data-binary "@$T/http-$i.json" "$URL/access"
		grep -q '"reason":"no_records"' "$T/answer"
		refute grep -q wwww "$T/answer"
	done
	grep -q 'the records of users cannot be read: .*role' "$T/serve.err"
}

@test "the role-based model asks for less and decides by area and role" {
	start_serve http://127.0.0.1:0 --workload access --access-model rbac
	load_cell "$URL" --workload access --access-model rbac --count 300 --warmup 0s
	check "$BALANCE" '.requests.succeeded == 300' '.outcomes.permit > 0' '.outcomes.error == 0'
	"$CIPHERWATT" load "$URL" --workload access --count 3 --warmup 0s --json >"$T/cell.json" \
		2>"$T/load.err" </dev/null 3>&- || true
	check '.requests.succeeded == 0' '.outcomes.error == 3'
	grep -q 'malformed' "$T/load.err" "$T/cell.json"
}

@test "every error of a policy is said with its place, and stray options are refused" {
	cat >"$T/bad.yaml" <<-END
		policy: bad
		combine: deny-overides
		rules:
		- {name: a, effect: permit, when: {hours: "8-9"}}
		- {name: a, effect: dny}
	END
	run "$CIPHERWATT" serve http://127.0.0.1:0 --workload access --policy "$T/bad.yaml"
	[ "$status" -eq 2 ]
	grep -q "bad.yaml:2:10: .*did you mean \"deny-overrides\"" <<<"$output"
	run "$CIPHERWATT" serve http://127.0.0.1:0 --audit "$T/audit"
	[ "$status" -eq 2 ]
	grep -q -- '--audit is of --workload access' <<<"$output"
	run "$CIPHERWATT" serve http://127.0.0.1:0 --workload access --durability each
	[ "$status" -eq 2 ]
	grep -q -- '--audit FILE' <<<"$output"
}
