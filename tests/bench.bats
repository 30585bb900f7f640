#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bench - the benches print what they measured and judge it rightly; how fast anything is, is no
# test.

load helpers

setup() {
	setup_common
	cd "$BATS_TEST_DIRNAME/.."
}

teardown() {
	teardown_common
}

# judge LINE...: what bench-tls.awk says of these samples (ROUND METRIC WHO VALUE).
judge() {
	printf '%s\n' "$@" >"$T/samples"
	awk -v suite=tls1.3:AES128-GCM-SHA256:x25519:p256 -f scripts/bench-tls.awk "$T/samples" >"$T/lines"
}

has_line() {
	grep -Fxq "$1" "$T/lines" || { show "$T/lines"; return 1; }
}

@test "bench-tls takes medians, and of ratios those within a round" {
	judge "1 server.full ours 100" "2 server.full ours 10" "3 server.full ours 1000" \
		"1 server.full nginx 114" "2 server.full nginx 20" "3 server.full nginx 1200"
	has_line "bench tls.server.full.p256.tls1.3.ours 100.00 us - info"
	has_line "bench tls.server.full.p256.tls1.3.nginx 114.00 us - info"
	has_line "bench tls.server.full.p256.tls1.3.vs_nginx 1.200 ratio >=1.15 met"
}

@test "bench-tls adds the engine in memory and the null engine to its limit" {
	judge "1 server.full ours 163" "1 server.full memory 100" "1 server.full plain 50" \
		"2 server.full ours 161" "2 server.full memory 100" "2 server.full plain 50"
	has_line "bench tls.server.full.p256.tls1.3.limit 150.00 us - info"
	has_line "bench tls.server.full.p256.tls1.3.over_limit 1.080 ratio <=1.08 met"
	judge "1 server.full ours 165" "1 server.full memory 100" "1 server.full plain 50"
	has_line "bench tls.server.full.p256.tls1.3.over_limit 1.100 ratio <=1.08 short"
}

@test "bench-tls holds our client against the best of the others, round by round" {
	judge "1 client.full ours 100" "1 client.full wrk 130" "1 client.full ab 120" \
		"1 client.full h2load 200" "2 client.full ours 100" "2 client.full wrk 110" \
		"2 client.full ab 140" "2 client.full h2load 200"
	has_line "bench tls.client.full.p256.tls1.3.vs_best 1.150 ratio >=1.25 short"
}

@test "bench-tls names the package of what is missing" {
	judge "1 server.full ours 100" "1 memory.idle ours 30"
	has_line "bench tls.server.full.p256.tls1.3.vs_nginx n/a ratio >=1.15 info unavailable (package nginx-light)"
	has_line "bench tls.memory.idle.p256.tls1.3.over_nginx n/a ratio <=1 info unavailable (package nginx-light)"
}

@test "bench-tls tells a figure below its noise from one that is not there" {
	judge "1 client.keepalive ours -0.4" "1 client.keepalive wrk 9"
	has_line "bench tls.client.keepalive.p256.tls1.3.vs_wrk n/a ratio - info below-noise"
	judge "1 client.keepalive ours -0.4" "1 client.keepalive wrk 9" \
		"2 client.keepalive ours 6" "2 client.keepalive wrk 9"
	has_line "bench tls.client.keepalive.p256.tls1.3.vs_wrk 1.500 ratio - info"
}

@test "bench-tls measures every program that is there" {
	need jq taskset ss nginx ab wrk h2load
	need_engine openssl
	local tool=${CIPHERWATT%/cipherwatt}/testbed/bench_tls
	[ -x "$tool" ] || { echo "$tool is not built: make tests" >&2; return 1; }
	export TMPDIR=$T
	chmod 711 "$T"
	BENCH_TOOL=$tool CIPHERWATT=$CIPHERWATT timeout 300 scripts/bench-tls smoke >"$T/out" 2>"$T/err" || {
		show "$T/out" "$T/err"
		return 1
	}
	[ ! -s "$T/err" ] || { show "$T/err"; return 1; }
	grep -q '^# machine: ' "$T/out"
	refute grep -Ev '^# |^bench tls\.[a-z0-9_.]+ ([0-9.-]+ (us|ms|KiB|ratio) (-|[<>]=[0-9.]+) (met|short|info)|n/a ratio (-|[<>]=[0-9.]+) info below-noise)$' "$T/out"
	for name in server.full.p256.tls1.3.over_limit server.full.p256.tls1.3.vs_nginx \
		server.keepalive.p256.tls1.3.vs_nginx client.full.p256.tls1.3.vs_best \
		client.keepalive.p256.tls1.3.vs_best memory.idle.p256.tls1.3.over_nginx \
		client.verification.p256.tls1.3.socket; do
		grep -Eq "^bench tls.$name ([0-9-]|n/a ratio .* below-noise)" "$T/out" || { show "$T/out"; return 1; }
	done
}

@test "bench-tls holds many threads against one" {
	judge "1 server.full threads_1 100" "1 server.full threads_2 110" "1 server.full threads_4 150" \
		"2 server.full threads_1 200" "2 server.full threads_2 240" "2 server.full threads_4 300"
	has_line "bench tls.server.full.p256.tls1.3.threads_2 175.00 us - info"
	has_line "bench tls.server.full.p256.tls1.3.threads_2.over_one 1.150 ratio - info"
	has_line "bench tls.server.full.p256.tls1.3.threads_4.over_one 1.500 ratio - info"
}
