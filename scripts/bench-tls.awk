# SPDX-License-Identifier: Apache-2.0
# bench-tls.awk - the figures of one suite: medians, and medians of the ratios within each round,
# held against their targets. Input: ROUND METRIC WHO VALUE. Set suite.
# One line each: bench NAME VALUE UNIT TARGET met|short|info.
{
	value[$1, $2, $3] = $4
	if ($1 + 0 > rounds)
		rounds = $1 + 0
}

function sort(a, n,    i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = a[i]
		for (j = i - 1; j >= 1 && a[j] > x; j--)
			a[j + 1] = a[j]
		a[j + 1] = x
	}
}

function median(a, n)
{
	sort(a, n)
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

function got(round, metric, who)
{
	return (round, metric, who) in value
}

function print_line(name, number, unit, target, judged)
{
	printf "bench tls.%s %s %s %s %s\n", name, number, unit, target, judged
}

# The median of one metric of one program; nothing where it was not measured.
function figure(metric, who, unit,    a, n, i)
{
	for (i = 1; i <= rounds; i++)
		if (got(i, metric, who))
			a[++n] = value[i, metric, who]
	if (n)
		print_line(metric "." key "." who, sprintf("%.2f", median(a, n)), unit, "-", "info")
}

function judge(number, target,    limit)
{
	if (target == "-")
		return "info"
	limit = substr(target, 3) + 0
	return (substr(target, 1, 2) == ">=" ? number >= limit : number <= limit) ? "met" : "short"
}

# Ratio by round, above[round] / below[round], its median against the target. A figure that
# came out at nothing or less was smaller than the noise of what was subtracted from it.
function ratio(name, above, below, target, package,    a, n, i, m, small)
{
	for (i = 1; i <= rounds; i++)
		if (i in above && i in below) {
			if (above[i] > 0 && below[i] > 0)
				a[++n] = above[i] / below[i]
			else
				small = 1
		}
	if (!n) {
		print_line(name, "n/a", "ratio", target, small ? "info below-noise" : "info unavailable (package " package ")")
		return
	}
	m = median(a, n)
	print_line(name, sprintf("%.3f", m), "ratio", target, judge(m, target))
}

# dst[round] = value of one program.
function column(metric, who, dst,    i)
{
	split("", dst)
	for (i = 1; i <= rounds; i++)
		if (got(i, metric, who))
			dst[i] = value[i, metric, who]
}

# dst[round] = first + second, of the rounds that have both.
function add(first, second, dst,    i)
{
	split("", dst)
	for (i = 1; i <= rounds; i++)
		if (i in first && i in second)
			dst[i] = first[i] + second[i]
}

function against(metric, who, target, package,    ours, other)
{
	column(metric, "ours", ours)
	column(metric, who, other)
	ratio(metric "." key ".vs_" who, other, ours, target, package)
}

# The least of what the other clients took in each round.
function best(metric, dst,    i, k, who, names)
{
	split("", dst)
	split("wrk ab h2load", names, " ")
	for (i = 1; i <= rounds; i++)
		for (k = 1; k <= 3; k++) {
			who = names[k]
			if (got(i, metric, who) && (!(i in dst) || value[i, metric, who] < dst[i]))
				dst[i] = value[i, metric, who]
		}
}

# The engine in memory plus the null engine over the socket.
function limit_lines(metric, target,    ours, engine, plain, limit, i)
{
	figure(metric, "memory", "us")
	figure(metric, "plain", "us")
	column(metric, "ours", ours)
	column(metric, "memory", engine)
	column(metric, "plain", plain)
	add(engine, plain, limit)
	for (i in limit)
		value[i, metric, "limit"] = limit[i]
	figure(metric, "limit", "us")
	ratio(metric "." key ".over_limit", ours, limit, target, "libssl-dev")
}

# What else a connection is held against: the primitives alone, and the limit with cold caches.
function lesser_limits(metric,    ours, cold, plain, limit, least)
{
	figure(metric, "primitives", "us")
	figure(metric, "memory_cold", "us")
	column(metric, "ours", ours)
	column(metric, "plain", plain)
	column(metric, "primitives", least)
	ratio(metric "." key ".over_primitives", ours, least, "-", "libssl-dev")
	column(metric, "memory_cold", cold)
	add(cold, plain, limit)
	ratio(metric "." key ".over_cold_limit", ours, limit, "-", "libssl-dev")
}

# Cold caches, and the flights that a handshake adds to a plain connection: each is a message in
# and one out, as a kept-alive request of the plain server is. others: what it is compared with.
function floor_lines(metric, kept, others, who, package,    ours, cold, plain, request, least, i)
{
	column(metric, "ours", ours)
	column(metric, "memory_cold", cold)
	column(metric, "plain", plain)
	column(kept, "plain", request)
	add(cold, plain, least)
	for (i in least)
		if (i in request)
			least[i] += (part[1] == "tls1.2" ? 2 : 1) * request[i]
		else
			delete least[i]
	for (i in least)
		value[i, metric, "floor"] = least[i]
	figure(metric, "floor", "us")
	ratio(metric "." key ".over_floor", ours, least, "-", "libssl-dev")
	ratio(metric "." key ".floor_vs_" who, others, least, "-", package)
}

function server_lines(    nginx)
{
	figure("server.full", "ours", "us")
	figure("server.full", "nginx", "us")
	figure("server.full", "apache", "us")
	limit_lines("server.full", "<=1.08")
	lesser_limits("server.full")
	column("server.full", "nginx", nginx)
	floor_lines("server.full", "server.keepalive", nginx, "nginx", "nginx-light")
	against("server.full", "nginx", elliptic ? ">=1.15" : "-", "nginx-light")
	against("server.full", "apache", "-", "apache2-bin")
	figure("server.keepalive", "ours", "us")
	figure("server.keepalive", "nginx", "us")
	figure("server.keepalive", "apache", "us")
	limit_lines("server.keepalive", "-")
	against("server.keepalive", "nginx", ">=1.3", "nginx-light")
	against("server.keepalive", "apache", "-", "apache2-bin")
}

function client_kind(metric,    ours, least)
{
	figure(metric, "ours", "us")
	figure(metric, "wrk", "us")
	figure(metric, "ab", "us")
	figure(metric, "h2load", "us")
	column(metric, "ours", ours)
	best(metric, least)
	ratio(metric "." key ".vs_best", least, ours, ">=1.25", "wrk, apache2-utils or nghttp2-client")
	against(metric, "wrk", "-", "wrk")
	against(metric, "ab", "-", "apache2-utils")
	against(metric, "h2load", "-", "nghttp2-client")
}

function difference(name, metric, from, less,    a, n, i)
{
	for (i = 1; i <= rounds; i++)
		if (got(i, metric, from) && got(i, metric, less))
			a[++n] = value[i, metric, from] - value[i, metric, less]
	if (n)
		print_line(name, sprintf("%.2f", median(a, n)), "us", "-", "info")
}

function client_lines(    least, limit)
{
	client_kind("client.full")
	limit_lines("client.full", "-")
	lesser_limits("client.full")
	best("client.full", least)
	floor_lines("client.full", "client.keepalive", least, "best", "wrk, apache2-utils or nghttp2-client")
	difference("client.verification." key ".socket", "client.full", "verified", "ours")
	difference("client.verification." key ".memory", "client.full", "memory_verified", "memory")
	client_kind("client.keepalive")
	limit_lines("client.keepalive", "-")
	best("client.keepalive", least)
	column("client.keepalive", "limit", limit)
	ratio("client.keepalive." key ".limit_vs_best", least, limit, "-", "wrk, apache2-utils or nghttp2-client")
}

# As many as were measured, against one.
function thread_lines(    n, one, many)
{
	column("server.full", "threads_1", one)
	for (n = 1; n <= 1024; n++) {
		if (!got(1, "server.full", "threads_" n))
			continue
		figure("server.full", "threads_" n, "us")
		if (n == 1)
			continue
		column("server.full", "threads_" n, many)
		ratio("server.full." key ".threads_" n ".over_one", many, one, "-", "none")
	}
}

function memory_lines(    ours, other)
{
	figure("memory.idle", "ours", "KiB")
	figure("memory.idle", "nginx", "KiB")
	column("memory.idle", "ours", ours)
	column("memory.idle", "nginx", other)
	ratio("memory.idle." key ".over_nginx", ours, other, "<=1", "nginx-light")
}

END {
	split(suite, part, ":")
	key = part[4] "." part[1]
	elliptic = part[4] !~ /^rsa/
	print "# suite: " suite
	server_lines()
	client_lines()
	thread_lines()
	memory_lines()
}
