#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# timeline-run - when each message passed, in a campaign: stamps inside the client, a capture of the
# same associations, and what the report makes of both.

load helpers

EC12=tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256
EC13=tls1.3:AES128-GCM-SHA256:x25519:p256

setup() {
	setup_common
}

teardown() {
	teardown_common
}

# campaign SUITES: a short one in $T/c.yaml, of suites parted by commas
campaign() {
	cat >"$T/c.yaml" <<EOF
campaign: c
blocks: 1
timeline: 6
limits: off
phases: {settle: 0s, idle: 0s, warmup: 10ms, measure: 50ms}
cells:
  - suites: [$1]
    payloads: [512B]
    clients: [2]
EOF
}

# Whether such short trials are valid is not what is asked here.
measured() {
	"$CIPHERWATT" run "$@" || [ $? -eq 3 ]
}

# stamped ENGINE SUITE: four requests of one client, stamps in $T/s.jsonl
stamped() {
	"$CIPHERWATT" load "$URL" --insecure --engine "$1" --suite "$2" --clients 1 --count 4 \
		--warmup 0 --stamps "$T/s.jsonl" --json >"$T/load.json"
	jq -s -e '(.[0].clock and .[-1].clock) and length == 6' "$T/s.jsonl"
	jq -s -e '[.[1:-1][] | .ok and .connect_ns < .secured_ns and .secured_ns <= .sent_ns
		and .sent_ns < .end_ns and .late_ns >= 0] | all' "$T/s.jsonl"
}

@test "stamps of a handshake are in its order, under both engines" {
	need_engine openssl
	start_serve https://127.0.0.1:0/ --suite "$EC12"
	stamped openssl "$EC12"
	jq -s -e '[.[1:-1][] | .connect_ns as $c | .secured_ns as $s | [.messages[] | select(.type != "alert")]
		| (map(.t_ns) | . == sort and .[0] > $c and .[-1] <= $s)
		and map(.type) == ["client_hello", "server_hello", "certificate", "server_key_exchange",
			"server_hello_done", "client_key_exchange", "change_cipher_spec", "finished",
			"finished"]] | all' "$T/s.jsonl"
	"$CIPHERWATT" load "$URL" --insecure --clients 1 --count 2 --warmup 0 --stamps "$T/s.jsonl" \
		--secrets "$T/keys" >"$T/out"
	[ "$(grep -c '^CLIENT_RANDOM [0-9a-f]\{64\} [0-9a-f]\{96\}$' "$T/keys")" -eq 2 ]
	[ "$(stat -c %a "$T/keys")" = 600 ]
	chmod 644 "$T/keys"
	"$CIPHERWATT" load "$URL" --insecure --clients 1 --count 1 --warmup 0 --stamps "$T/s.jsonl" \
		--secrets "$T/keys" >"$T/out"
	[ "$(stat -c %a "$T/keys")" = 600 ]
	refute "$CIPHERWATT" load "$URL" --insecure --count 2 --secrets "$T/keys" 2>"$T/err"
	grep -q 'secrets go with --stamps' "$T/err"
	need_engine wolfssl
	stamped wolfssl "$EC12"
	jq -s -e '[.[1:-1][].messages | map(.type) | .[0] == "client_hello"
		and index("server_hello_done") < index("client_key_exchange")] | all' "$T/s.jsonl"
}

@test "stamps are of one thread; the file must be one that can be made" {
	refute "$CIPHERWATT" load http://127.0.0.1:9/ --clients 2 --threads 2 --count 2 \
		--stamps "$T/s.jsonl" 2>"$T/err"
	grep -q 'stamps are of one thread' "$T/err"
	start_serve http://127.0.0.1:0/
	refute "$CIPHERWATT" load "$URL" --clients 1 --count 2 --stamps "$T/none/s" 2>"$T/err"
	grep -q -e '--stamps .*/none/s: No such file' "$T/err"
	refute "$CIPHERWATT" load "$URL" --clients 1 --count 2 --stamps "$T/s.jsonl" \
		--secrets "$T/keys" 2>"$T/err"
	grep -q 'engine null tells none' "$T/err"
}

@test "a campaign with timeline: engine and wire agree within the stated error" {
	need sqlite3
	need_engine openssl
	need_capture
	campaign "plain, \"$EC12\", \"$EC13\""
	measured "$T/c.yaml" --db "$T/c.db" --json >"$T/run.json" 2>"$T/err"
	jq -e '.timelines | length == 3' "$T/run.json"
	jq -e '[.timelines[] | .wanted == 6 and .seen == 6 and .complete == 6 and .joined == 6
		and .interface == "lo" and .handshake_us.median > 0 and .payload_us.median > 0] | all' \
		"$T/run.json"
	jq -e '[.timelines[1:][].agreement | .compared >= 18 and .beyond == 0] | all' "$T/run.json"
	# On the wire and inside, a hello goes before what answers it.
	jq -e '[.timelines[1:][].steps | map({key: .step, value: .}) | from_entries
		| .client_hello.wire_us < .server_hello.wire_us
		and .client_hello.engine_us < .server_hello.engine_us
		and .server_hello.difference_us > 0] | all' "$T/run.json"
	# With the secrets of the load what is encrypted under TLS 1.3 is read too.
	jq -e '.timelines[2].steps | map({key: .step, value: .}) | from_entries
		| [.encrypted_extensions, .server_certificate, .certificate_verify, .server_finished,
			.client_finished] | map(.n == 6 and .wire_us > 0 and .difference_us) | all' \
		"$T/run.json"
	jq -e '.timelines[0] | .agreement == null
		and (.steps | map(.step) == ["tcp_open", "first_data", "last_data"])' "$T/run.json"
	grep -q '<section id="timeline"' "$T/c.html"
	# Taken up again, as if it had been stopped: what is missing is captured, nothing twice.
	sqlite3 "$T/c.db" "DELETE FROM timeline WHERE id = (SELECT max(id) FROM timeline);
		DELETE FROM trial WHERE id = (SELECT max(id) FROM trial); UPDATE campaign SET complete = 0"
	measured "$T/c.yaml" --db "$T/c.db" --resume --json >"$T/again.json" 2>"$T/err"
	[ "$(jq -S '.timelines[:2]' "$T/again.json")" = "$(jq -S '.timelines[:2]' "$T/run.json")" ]
	jq -e '.timelines | length == 3' "$T/again.json"
}

@test "who may not capture is told so before the first trial" {
	need_engine openssl
	need_capture
	need setpriv
	campaign plain
	refute setpriv --bounding-set=-net_raw,-net_admin "$CIPHERWATT" run "$T/c.yaml" --db "$T/c.db" \
		>"$T/out" 2>"$T/err"
	grep -q 'timeline of plain/.*CAP_NET_RAW' "$T/err" || { show "$T/err"; false; }
}

@test "the wrong value of timeline is named with its place" {
	campaign plain
	sed -i 's/timeline: 6/timeline: often/' "$T/c.yaml"
	refute "$CIPHERWATT" run "$T/c.yaml" --dry-run 2>"$T/err"
	grep -q 'c.yaml:3:.*"often" is not true, false or a number' "$T/err"
}
