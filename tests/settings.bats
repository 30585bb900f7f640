#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# settings - what a campaign may set of server and load reaches them, decides the result, and
# stands in the record; what cannot be done is said, and its cells are not run.

load helpers

setup() {
	setup_common
	DB="$T/a.db"
}

teardown() {
	teardown_common
	rm -rf "$T"
}

# run_cells LINE...: one block of these cells; the report as JSON in $T/r.json
run_cells() {
	{
		printf 'campaign: settings\nblocks: 1\nseed: 7\nlimits: off\n'
		printf 'phases: {settle: 10ms, idle: 30ms, warmup: 100ms, measure: %s}\n' \
			"${MEASURE:-400ms}"
		printf 'cells:\n'
		printf '%s\n' "$@"
	} >"$T/c.yaml"
	local status=0
	"$CIPHERWATT" run "$T/c.yaml" --db "$DB" --json >"$T/r.json" 2>"$T/err" </dev/null 3>&- ||
		status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { show "$T/err"; return 1; }
}

P256=tls1.3:AES128-GCM-SHA256:x25519:p256
TLS12=tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256

@test "a share of the handshakes is resumed, by ticket" {
	run_cells "  - suites: [$P256, $TLS12]" "    clients: 2" \
		"    connections: [full, resume: 80%]"
	jq -e '[.cells[] | select(.connection == "resume:80")] | length == 2 and all(
		.settings.resumption == "ticket" and .settings.tickets >= 1 and
		.handshakes.resumed > 2 * .handshakes.full and .handshakes.full > 0)' "$T/r.json"
	jq -e '[.cells[] | select(.connection == "full")] | all(
		.handshakes.resumed == 0 and .settings.tickets == null)' "$T/r.json"
}

@test "session ids are resumed whichever of the server's threads has the client" {
	run_cells "  - suites: $TLS12" "    clients: 8" "    connections: resume" \
		"    resumption: session-id" "    server_threads: 8"
	jq -e '.cells[0] | .valid_trials == 1 and .handshakes.resumed > 8 and
		.settings.tickets == null' "$T/r.json"
}

@test "HTTP/2 with its streams, and an open loop with its rate" {
	run_cells "  - suites: $P256" "    clients: 1" "    connections: keepalive" \
		"    http: 2" "    streams: [1, 8]" "    window: 1MiB" \
		"  - suites: plain" "    clients: 2" "    connections: keepalive" "    rate: 50"
	jq -e '.cells | map(.valid_trials) == [1, 1, 1]' "$T/r.json"
	jq -e '.cells[1].settings | .http == "2" and .streams == 8 and .window_bytes == 1048576' \
		"$T/r.json"
	jq -e '.cells[2] | .settings.rate_per_s == 50 and .requests.started <= 22 and
		.requests.started >= 15' "$T/r.json"
}

@test "pre-shared keys are made for the trial" {
	run_cells "  - suites: tls1.2:ECDHE-PSK-CHACHA20-POLY1305:p256:psk" "    clients: 2"
	jq -e '.cells[0] | .valid_trials == 1 and .handshakes.full > 0' "$T/r.json"
}

@test "clients show a certificate where that is asked" {
	run_cells "  - suites: [$P256, $TLS12]" "    clients: 2" "    mutual: true"
	jq -e '.cells | length == 2 and all(.valid_trials == 1 and .settings.mutual == "true" and
		.handshakes.full > 0)' "$T/r.json"
}

@test "CoAP is asked over DTLS" {
	run_cells "  - suites: dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256" "    clients: 2"
	jq -e '.cells[0] | .valid_trials == 1 and .settings.protocol == "coap" and
		.handshakes.full > 0' "$T/r.json"
}

@test "CoAP over TCP, with and without TLS" {
	run_cells "  - suites: [plain, $P256]" "    clients: 2" "    connections: [full, keepalive]" \
		"    protocol: coap+tcp"
	jq -e '.cells | length == 4 and all(.valid_trials == 1 and
		.settings.protocol == "coap+tcp")' "$T/r.json"
}

@test "a cell ends with its count of requests" {
	run_cells "  - suites: plain" "    clients: 2" "    connections: keepalive" \
		"    count: [50, 300]"
	jq -e '.cells | map(.requests.started) == [50, 300] and map(.settings.count) == [50, 300]' \
		"$T/r.json"
}

@test "blocks are added until figures are known, and the report says so" {
	run_cells "  - suites: plain" "    clients: 2" "    connections: keepalive" "    rate: 100"
	rm -f "$DB"*
	sed -i 's/^blocks: 1/blocks: 2\nuntil: {ci_pct: 50, max_blocks: 9}/' "$T/c.yaml"
	"$CIPHERWATT" run "$T/c.yaml" --db "$DB" --json >"$T/r.json" 2>"$T/err" </dev/null 3>&-
	jq -e '.cells[0].trials >= 5 and .cells[0].trials < 9 and .campaign.complete and
		.options.until.max_blocks == 9' "$T/r.json"
	grep -q 'block 3, of 9 at most: 1 cells are not known to 50 % yet' "$T/err"
	"$CIPHERWATT" report "$DB" | tr '\n' ' ' | grep -q 'added for the cells not known to 50 %'
	"$CIPHERWATT" run "$T/c.yaml" --db "$DB" --resume 2>"$T/err" >/dev/null </dev/null 3>&-
	grep -q 'nothing is left to run' "$T/err"
}

@test "another load generator's figures stand in the same table" {
	command -v ab >/dev/null || skip "ab is not installed"
	MEASURE=1s run_cells "  - suites: [plain, $P256]" "    clients: 2" "    driver: ab"
	jq -e '.cells | length == 2 and all(.valid_trials == 1 and .requests_per_s.mean > 0 and
		.server.cpu_s > 0 and .response_us.p50 == null and .requests.completed > 0 and
		.handshakes.full == null and .driver_figures.driver == "ab")' "$T/r.json"
	"$CIPHERWATT" report "$DB" >"$T/out"
	grep -q '[0-9] (ab) ' "$T/out"
}

@test "wrk with kept connections, and its percentiles as its own" {
	command -v wrk >/dev/null || skip "wrk is not installed"
	MEASURE=1s run_cells "  - suites: [plain, $P256]" "    clients: 2" "    driver: wrk" \
		"    connections: keepalive"
	jq -e '.cells | length == 2 and all(.valid_trials == 1 and
		.driver_figures.service_us.p99 > 0)' "$T/r.json"
	"$CIPHERWATT" report "$DB" >"$T/out"
	grep -q '[0-9] (wrk) ' "$T/out"
}

@test "what cannot be done is said, and not run" {
	run_cells "  - suites: plain" "    clients: 2" "    http: [1.1, 2]" \
		"    connections: keepalive" "    streams: [1, 4]"
	jq -e '.cells | length == 2 and all(.settings.http == "2")' "$T/r.json"
	grep -q 'not run: .*streams=4.*belongs to HTTP/2: it needs http: 2' "$T/err"
}

@test "a limit stands beside each full handshake, unless it is off" {
	run_cells "  - suites: $P256" "    clients: 2" "    connections: [full, keepalive]"
	jq -e '.cells | all(.server.limit_us == null)' "$T/r.json"
	sed -i 's/limits: off/limits: on/' "$T/c.yaml"
	rm -f "$DB"*
	"$CIPHERWATT" run "$T/c.yaml" --db "$DB" --json >"$T/r.json" 2>"$T/err" </dev/null 3>&- || true
	jq -e '.cells[0] | .server.limit_us > 1 and .client.limit_us > 1 and
		.server.handshake_cpu_us > .server.limit_us / 2' "$T/r.json"
	jq -e '.cells[1] | .server.limit_us == null and .server.handshake_cpu_us == null' \
		"$T/r.json"
	grep -q 'Handshakes and their limits' <("$CIPHERWATT" report "$DB")
}
