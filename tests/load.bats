#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# load - the command line of `cipherwatt load`: usage, JSON, phases, signals, exit status.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

# refused WORD ARG...: a usage error that says WORD and nothing on standard output
refused() {
	local word=$1
	shift
	"$CIPHERWATT" load "$@" >"$T/out" 2>"$T/err" </dev/null && status=0 || status=$?
	[ "$status" -eq 2 ] || { show "$T/err"; echo "exit status $status" >&2; return 1; }
	[ ! -s "$T/out" ]
	grep -qF -e "$word" "$T/err" || { show "$T/err"; return 1; }
	grep -q "^cipherwatt load: " "$T/err"
}

@test "help names every option and the exit statuses" {
	run "$CIPHERWATT" load --help
	[ "$status" -eq 0 ]
	local word
	for word in --count --duration --clients --connection --suite --engine --ca --insecure \
		--server-name --warmup --timeout --accept --gzip --record-size --records-per-send --cpus \
		--verify-body --json --control --rate --arrivals --seed --think --ramp \
		--connection-rate --threads --upload-rate --download-rate --min-success --driver --http --streams --window --resumption \
		"coordinated omission" "Exit status" Examples; do
		[[ $output == *"$word"* ]]
	done
}

@test "wrong usage is refused with what would be right" {
	refused "one URL"
	refused "one URL" http://a/ http://b/
	refused "did you mean --clients" http://127.0.0.1/ --client 3
	refused "--ca FILE" https://127.0.0.1/
	refused "--insecure" https://127.0.0.1/
	refused "give one of them" https://127.0.0.1/ --ca /dev/null --insecure
	refused "give one of them" http://127.0.0.1/ --count 1 --duration 1s
	refused "--ca" http://127.0.0.1/ --ca /dev/null
	refused "cannot read" https://127.0.0.1/ --ca /nonexistent/ca.pem
	refused "nothing to resume" http://127.0.0.1/ --connection resume
	refused "resume:N" https://127.0.0.1/ --insecure --connection resume:101
	refused "session ids" https://127.0.0.1/ --insecure --connection resume \
		--resumption session-id --suite tls1.3:AES128-GCM-SHA256:x25519:p256
	refused "did you mean openssl" https://127.0.0.1/ --insecure --engine opensl
	refused "--suite" https://127.0.0.1/ --insecure --suite tls1.2:nonsense:x25519:p256
	refused "write https" http://127.0.0.1/ --suite tls1.3:AES128-GCM-SHA256:x25519:p256
	refused "write http" https://127.0.0.1/ --insecure --suite plain
	refused "--clients" http://127.0.0.1/ --clients 0
	refused "--duration" http://127.0.0.1/ --duration 5
	refused "--duration" http://127.0.0.1/ --duration 0
	refused "--record-size" http://127.0.0.1/ --record-size 1MB
	refused "needs a suite" coaps://127.0.0.1/ --insecure --count 1
	refused "ftp" ftp://127.0.0.1/
	refused "no..such" http://no..such/
	refused "keepalive:N" http://127.0.0.1/ --connection keepalive:0
	refused "closed loop" http://127.0.0.1/ --rate 5 --think 1s
	refused "--rate" http://127.0.0.1/ --rate=-1
	refused "give --rate" http://127.0.0.1/ --arrivals poisson
	refused "poisson" http://127.0.0.1/ --rate 5 --seed 3
	refused "0.7kB/s" http://127.0.0.1/ --upload-rate 700
	refused "0.7kB/s" http://127.0.0.1/ --download-rate 0B/s
	refused "--threads" http://127.0.0.1/ --threads 9 --clients 8
	refused "--min-success" http://127.0.0.1/ --min-success 101
	refused "did you mean" http://127.0.0.1/ --driver h2lod
	refused "gzip, br or zstd" http://127.0.0.1/ --accept deflate
	refused "need HTTP/2" http://127.0.0.1/ --streams 2 --connection keepalive
	refused "kept" http://127.0.0.1/ --streams 2 --http 2
	refused "--streams" http://127.0.0.1/ --streams 0 --http 2 --connection keepalive
	refused "builtin only" http://127.0.0.1/ --driver wrk --engine null
}

@test "an option that cannot be obeyed is refused, never ignored" {
	local option u=http://127.0.0.1:1/ s=dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256
	for option in "--ack-timeout 2s" "--mtu 1232" "--block 64" --non --reuse-ids --obey-max-age \
		"--receive-buffer 1MiB" "--datagram-overhead 28" "--dtls-timeout 1s"; do
		# shellcheck disable=SC2086
		refused "${option%% *} is for coap:// and coaps:// only" "$u" $option
		# shellcheck disable=SC2086
		refused "${option%% *} is for coap:// and coaps:// only" coap+tcp://127.0.0.1:1/ $option
	done
	for option in "--access-encoding json" "--access-model abac" "--access-users 9"; do
		# shellcheck disable=SC2086
		refused "${option%% *} is of --workload access" "$u" $option
	done
	for option in "--profile cose" "--payload 512B" "--credentials $T"; do
		# shellcheck disable=SC2086
		refused "${option%% *} is of --workload message" "$u" $option
	done
	refused "--seed is for --rate R --arrivals poisson, or --workload access" "$u" --workload message --seed 3
	refused "--reuse-ids is of --connection keepalive" coap://127.0.0.1:1/ --reuse-ids --connection full
	refused "rbac knows no users" "$u" --workload access --access-model rbac --access-users 9
	refused "--find-range says where --find-rate" "$u" --find-range 1kB/s..2kB/s
	refused "--find-tolerance says how well --find-rate" "$u" --find-tolerance 5
	refused "--connection resume" https://127.0.0.1:1/ --insecure --resumption ticket
	refused "--server-name is asked for and verified by TLS" "$u" --server-name a.example
	refused "--http is for http:// and https:// only" coap://127.0.0.1:1/ --http 1.1
	refused "no content codings" coap+tcp://127.0.0.1:1/ --gzip
	refused "give --rate too" "$u" --arrivals fixed
	refused "with --non nothing is" coap://127.0.0.1:1/ --non --ack-timeout 2s
	refused "give --upload-rate" coap://127.0.0.1:1/ --datagram-overhead 28
	refused "coap has no DTLS, write coaps" coap://127.0.0.1:1/ --suite "$s"
	refused "http has no DTLS, write coaps" "$u" --suite "$s"
	refused "coap has no TLS, write coaps+tcp" coap://127.0.0.1:1/ \
		--suite tls1.3:AES128-GCM-SHA256:x25519:p256
	refused "write coap" coaps://127.0.0.1:1/ --insecure --suite plain
	grep -q "write coap$" "$T/err" || { show "$T/err"; return 1; }
}

@test "a refused connection fails with the reason, soon" {
	need perl
	run timeout 20 "$CIPHERWATT" load "http://127.0.0.1:$(free_port)/" --duration 60s
	[ "$status" -eq 1 ]
	[[ $output == *"nothing succeeded: cannot connect to 127.0.0.1:"*"refused"* ]]
}

@test "JSON carries the contract, every option and a window" {
	need jq
	start_serve http://127.0.0.1:0
	load_cell "$URL/page/512" --duration 200ms --warmup 100ms --clients 3 --connection keepalive
	check "$BALANCE" '.total.requests | .started == .succeeded + .failed + .timed_out + .in_flight' \
		'.schema == "cipherwatt/1"' '.valid and .complete and .reason == null' \
		'.server == "external" and .workload == "page" and .trials == 1 and .valid_trials == 1' \
		'.asked | .clients == 3 and .duration_ns == 200000000 and .warmup_ns == 100000000
			and .timeout_ns == 10000000000 and .count == 0 and .record_bytes == 16384
			and .records_per_send == 1 and .connection == "keepalive"
			and has("suite") and has("engine") and has("ca") and has("insecure")
			and has("server_name") and .gzip == false and .accept == [] and has("verify_body") and has("cpus")
			and .threads == 1 and .think_ns == 0 and .ramp_ns == 0
			and .min_success_pct == 99 and has("rate_per_s") and has("arrivals")
			and has("seed") and has("connection_requests")
			and has("connection_rate_per_s") and has("upload_bytes_per_s")
			and has("download_bytes_per_s")' '.schedule == null' \
		'.with_timeouts | .samples + .timeouts == .completed' '.clients_connected == 3' \
		'.window | .to_ns - .from_ns >= 200000000 and .from_ns > 0' \
		'(.requests_per_s.mean * .window.elapsed_s - .requests.succeeded) | fabs < 0.01' \
		'.requests_per_s.ci95 == null' '.wire.bytes_received > .body_bytes' \
		'.client | .cpu_s > 0 and .cpu_pct > 0 and .rss_peak_kib > 0' \
		'.lateness_us.max >= 0' '.environment.engine.name == "null"' \
		'.handshake_us.p50 == null and .handshake_us.n == 0' \
		'.histograms | (.response | length) > 0 and (.service | length) > 0'
}

@test "the text says the same as the JSON" {
	need jq
	start_serve http://127.0.0.1:0
	run "$CIPHERWATT" load "$URL/page/512" --count 25 --warmup 0
	[ "$status" -eq 0 ]
	[[ $output == *"25 started = 25 succeeded + 0 failed + 0 timed out + 0 in flight"* ]]
	[[ $output == *"handshakes   0 full, 0 resumed"* ]]
	[[ $output == *"suite        plain"* ]]
	[[ $output != *nan* && $output != *inf\ * ]]
}

@test "content coded with gzip, br and zstd is asked for, decoded and named" {
	need jq
	start_serve http://127.0.0.1:0 --brotli-level 5 --zstd-level 3
	local coding given
	for coding in gzip br zstd; do
		load_cell "$URL/page/20000" --accept "$coding" --count 20 --warmup 0 --verify-body
		check .valid ".encoding == \"$coding\"" ".asked.accept == [\"$coding\"]" \
			".asked.gzip == (\"$coding\" == \"gzip\")" '.payload_bytes == 20000' \
			'.body_bytes < 20 * 20000 / 2'
	done
	for given in --gzip "--accept gzip"; do
		# shellcheck disable=SC2086  # an option and its value
		load_cell "$URL/page/20000" $given --count 4 --warmup 0 --verify-body
		check '.encoding == "gzip"' '.asked | .gzip and .accept == ["gzip"]'
	done
	load_cell "$URL/page/20000" --accept br --gzip --count 4 --warmup 0 --verify-body
	check '.encoding == "br"' '.asked.accept == ["gzip", "br"]'
	load_cell "$URL/page/20000" --accept identity --count 4 --warmup 0 --verify-body
	check '.encoding == "identity"' '.payload_bytes == 20000'
}

@test "HTTP/2 with 32 streams on each of two connections" {
	need jq
	start_serve http://127.0.0.1:0 --http 2
	load_cell "$URL/page/2000" --http 2 --connection keepalive --streams 32 --clients 2 \
		--count 2000 --warmup 0 --gzip --verify-body
	check "$BALANCE" .valid '.requests.succeeded == 2000' '.asked.streams == 32' \
		'.connections | .established == 2 and .reconnects == 0' '.encoding == "gzip"' \
		'.payload_bytes == 2000' '.response_us.n == 2000 and .service_us.n == 2000' \
		'.clients_connected == 2'
	load_cell "$URL/page/2000" --http 2 --connection keepalive:50 --streams 32 --clients 4 \
		--duration 200ms --warmup 50ms --threads 2 --rate 500
	check "$BALANCE" .valid '.connections.reconnects == 0' '.connection == "keepalive:50"' \
		'.requests.failed + .requests.timed_out == 0'
}

@test "an open loop: asked beside achieved, over two threads" {
	need jq
	start_serve http://127.0.0.1:0
	load_cell "$URL/page/10" --rate 200 --arrivals poisson --seed 7 --count 60 --threads 2 \
		--clients 6 --connection keepalive:10 --warmup 50ms --ramp 20ms
	check "$BALANCE" .valid '.requests.succeeded == 60' '.connection == "keepalive:10"' \
		'.schedule | .arrivals == "poisson" and .asked_per_s == 200 and .achieved_per_s > 0
			and .unstarted == 0 and .lateness_max_us >= 0 and (.kept | type) == "boolean"' \
		'.asked | .rate_per_s == 200 and .seed == 7 and .threads == 2 and .ramp_ns == 20000000
			and .connection_requests == 10 and .connection == "keepalive:10"' \
		'.connections.reconnects == 0'
}

@test "the rate is never exceeded, and a schedule that cannot be kept is told" {
	need jq
	start_serve http://127.0.0.1:0
	load_cell "$URL/page/10" --rate 100 --duration 300ms --warmup 0 --connection keepalive
	check .valid '.requests_per_s.mean <= 100' '.requests.started + .schedule.unstarted <= 30 + .window.elapsed_s * 10'
	load_cell "$URL/page/10" --rate 1000000 --duration 200ms --warmup 0 --clients 1
	check .valid '.schedule.kept | not' '.schedule.unstarted > 0' \
		'.warnings | any(test("schedule not kept .max lateness"))' \
		'.requests_per_s.mean < 1000000' '.response_us.p50 > .service_us.p50'
}

@test "data rates and connection rates hold back" {
	need jq
	start_serve http://127.0.0.1:0
	load_cell "$URL/page/1000" --count 5 --warmup 0 --clients 1 --download-rate 20KB/s
	check .valid '.window.elapsed_s >= (.wire.bytes_received - 1500) / 20000' \
		'.asked.download_bytes_per_s == 20000'
	load_cell "$URL/page/10" --count 11 --warmup 0 --connection-rate 100
	check .valid '.window.elapsed_s >= 0.1' '.connections.established == 11'
}

# A server that tells its counters; then served_some until it has answered more than 50.
start_counting_serve() {
	mkfifo "$T/ask"
	exec 8<>"$T/ask"
	SERVE_INPUT=$T/ask start_serve http://127.0.0.1:0 --counters
}

served_some() {
	echo >&8
	tail -n 1 "$T/serve.out" | jq -e '.requests > 50' >/dev/null 2>&1
}

# start_control ARG...: its standard input stays open until descriptor 9 is closed.
start_control() {
	mkfifo "$T/in"
	exec 9<>"$T/in"
	"$CIPHERWATT" load "$@" --control <"$T/in" >"$T/lines" 2>"$T/load.err" 3>&- 9>&- &
	LOAD_PID=$!
	PIDS+=("$LOAD_PID")
}

# ends_with STATUS: wait for it.
ends_with() {
	local status=0
	wait "$LOAD_PID" || status=$?
	[ "$status" -eq "$1" ] || { show "$T/load.err"; echo "exit status $status" >&2; return 1; }
}

@test "control: a line for each phase, then the result" {
	need jq
	start_serve http://127.0.0.1:0
	start_control "$URL/page/10" --duration 100ms --warmup 50ms
	ends_with 0
	[ "$(jq -r '.phase // "result"' "$T/lines" | tr '\n' ' ')" = "warmup window closed result " ]
	[ "$(wc -l <"$T/lines")" -eq 4 ]
	jq -se '.[1].at_ns == .[3].result.window.from_ns and .[2].at_ns == .[3].result.window.to_ns
		and .[0].at_ns < .[1].at_ns and .[3].result.valid' "$T/lines"
}

partial() {
	jq -se '.[-1].result | (.complete | not) and (.valid | not) and .requests.succeeded > 0
		and (.reason | test("interrupted")) and (.requests | .started ==
		.succeeded + .failed + .timed_out + .in_flight)' "$T/lines"
}

@test "control: the end of standard input ends the run" {
	need jq
	start_counting_serve
	start_control "$URL/page/10" --duration 60s --warmup 0
	wait_until 20 served_some
	exec 9>&-
	ends_with 3
	partial
}

@test "control: a run that cannot begin says so in a phase of its own" {
	need jq perl
	start_control "http://127.0.0.1:$(free_port)/" --duration 60s --warmup 30s
	ends_with 1
	jq -se '.[1].phase == "failed" and (.[1].error | test("refused")) and .[1].at_ns > 0
		and (.[2].result.valid | not) and .[2].result.requests.started == 0' "$T/lines"
}

@test "an interrupt prints what is there" {
	need jq
	start_counting_serve
	start_control "$URL/page/10" --duration 60s --warmup 0
	wait_until 20 served_some
	kill -INT "$LOAD_PID"
	ends_with 3
	partial
}

@test "a result that cannot be written is a failure" {
	[ -e /dev/full ] || skip "no /dev/full"
	start_serve http://127.0.0.1:0
	run bash -c '"$0" load "$1" --count 1 --warmup 0 --json >/dev/full' "$CIPHERWATT" "$URL/page/1"
	[ "$status" -eq 1 ]
	[[ $output == *"cannot write"* ]]
}

@test "answers of a workload are checked and counted by class, refusals among them" {
	need jq
	start_serve http://127.0.0.1:0 --threads 1 --workload access
	"$CIPHERWATT" load "$URL" --workload access --access-users 50 --seed 7 --clients 4 --count 200 \
		--warmup 0 --connection keepalive --json >"$T/cell" || { show "$T/serve.err"; return 1; }
	jq -e '.workload == "access" and .requests.succeeded == 200 and .statuses."4xx" > 0 and
		(.outcomes | .permit > 0 and .deny > 0 and .error == 0 and
		.permit + .deny + .not_applicable == 200)' "$T/cell" >/dev/null || { jq .outcomes "$T/cell"; return 1; }
	"$CIPHERWATT" load "$URL" --workload access --clients 1 --count 20 --warmup 0 >"$T/text"
	grep -qE '^answers +[0-9]+ (permit|deny|not_applicable)' "$T/text" || { show "$T/text"; return 1; }
	# A page is no decision, whatever its status.
	status=0
	"$CIPHERWATT" load "$URL/page/9" --workload access --clients 1 --count 5 --warmup 0 \
		>"$T/text" 2>&1 || status=$?
	[ "$status" -eq 1 ]
}

@test "what another program cannot obey is refused, not ignored" {
	local option
	for option in "--histogram=californium" "--count-per-client=4" --early-data; do
		refute "$CIPHERWATT" load http://127.0.0.1:9/ --driver wrk "$option" 2>"$T/err"
		grep -q -e "${option%=*} is for --driver builtin only" "$T/err"
	done
}
