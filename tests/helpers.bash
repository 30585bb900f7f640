# SPDX-License-Identifier: Apache-2.0
# helpers - shared by the bats files: the program, a directory for each test, processes that
# are ended by their id, servers on ports of the kernel's choosing. `load helpers`, then call
# setup_common from setup() and teardown_common from teardown().

CIPHERWATT=$(realpath "${CIPHERWATT:-$BATS_TEST_DIRNAME/../build/cipherwatt}")

setup_common() {
	T=$(mktemp -d "${BATS_TMPDIR:-/tmp}/cipherwatt-XXXXXX")
	export XDG_CACHE_HOME="${BATS_FILE_TMPDIR:-$T}/cache" XDG_DATA_HOME="$T/data" XDG_STATE_HOME="$T/state"
	PIDS=()
}

# TERM, two seconds of patience, KILL; by id and nothing else.
end_process() {
	local pid=$1 tries=100
	kill -TERM "$pid" 2>/dev/null || true
	while kill -0 "$pid" 2>/dev/null; do
		if ((--tries == 0)); then
			kill -KILL "$pid" 2>/dev/null || true
		fi
		sleep 0.02
	done
	wait "$pid" 2>/dev/null || true
}

teardown_common() {
	local pid
	for pid in "${PIDS[@]}"; do
		end_process "$pid"
	done
	rm -rf "$T"
}

# Skip the test, with the reason, where a program is absent.
need() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# need_engine ENGINE: skip where this program was built without it.
need_engine() {
	"$CIPHERWATT" --version | grep -q "^engine $1 " || skip "built without $1"
}

# need_messages: skip where it was built without a library of secured messages.
need_messages() {
	"$CIPHERWATT" --help | grep -q '^  message ' || skip "built without messages"
}

# need_capture: skip where nothing may capture packets, or the build has no libpcap. A capture that
# fails for another reason fails the test.
need_capture() {
	local effective
	effective=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	((0x$effective >> 13 & 1)) || skip "capturing needs root, or CAP_NET_RAW"
	"$CIPHERWATT" timeline --live lo --duration 1ms >/dev/null 2>"$T/capture.err" && return 0
	grep -q 'this program was built without libpcap' "$T/capture.err" && skip "built without libpcap"
	show "$T/capture.err"
	return 1
}

# wait_until SECONDS COMMAND...: poll until the command succeeds.
wait_until() {
	local tries=$(($1 * 50))
	shift
	while ((tries-- > 0)); do
		"$@" && return 0
		sleep 0.02
	done
	echo "gave up waiting for: $*" >&2
	return 1
}

# refute COMMAND...: it must fail (a plain `!` is not seen by bats).
refute() {
	if "$@"; then
		echo "succeeded: $*" >&2
		return 1
	fi
}

show() {
	local file
	for file in "$@"; do
		echo "--- $file" && cat "$file"
	done >&2
}

ended() {
	! kill -0 "$1" 2>/dev/null
}

serve_says_or_ended() {
	grep -q '^listening on ' "$T/serve.out" || ended "$SERVE_PID"
}

# start_serve ARG...: run the server; its first URL in $URL, its id in $SERVE_PID. It reads
# $SERVE_INPUT, or nothing.
start_serve() {
	: >"$T/serve.out"
	"$CIPHERWATT" serve "$@" >"$T/serve.out" 2>"$T/serve.err" <"${SERVE_INPUT:-/dev/null}" 3>&- &
	SERVE_PID=$!
	PIDS+=("$SERVE_PID")
	wait_until 20 serve_says_or_ended
	URL=$(sed -n 's/^listening on \([^ ]*\).*/\1/p' "$T/serve.out" | head -n 1)
	URL=${URL%/}
	[ -n "$URL" ] || { show "$T/serve.err"; return 1; }
}

# A port that was free a moment ago. Who binds it must be ready to try another.
free_port() {
	perl -MIO::Socket::INET -e \
		'print IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)->sockport'
}

# Two ports of UDP side by side that were free a moment ago, the lower of them: libcoap takes the
# second for DTLS.
free_pair() {
	perl -MIO::Socket::INET -e '
		for (1 .. 100) {
			my $a = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Proto => "udp");
			my $port = $a->sockport;
			my $b = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port + 1,
				Proto => "udp") or next;
			print $port;
			exit 0;
		}
		exit 1;'
}

# port_answers PORT: whether a TCP connection to it is taken.
port_answers() {
	(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# start_proxy PORT ARG...: the bad network of datagrams before 127.0.0.1:PORT; its own HOST:PORT
# in $PROXY. More than one may run. It ends with its input, which is a pipe that it holds itself.
start_proxy() {
	local program=${UDP_PROXY:-${CIPHERWATT%/*}/servers/udp_proxy} port=$1 pipe="$T/proxy.${#PIDS[@]}"
	shift
	[ -x "$program" ] || { echo "$program is not built: make tests" >&2; return 1; }
	mkfifo "$pipe"
	"$program" --to "127.0.0.1:$port" "$@" <>"$pipe" >"$pipe.out" 2>&1 3>&- &
	PIDS+=($!)
	wait_until 10 grep -q '^listening on ' "$pipe.out" || { show "$pipe.out"; return 1; }
	PROXY=$(sed -n 's/^listening on //p' "$pipe.out")
}

# make_certificate NAME KIND: $T/NAME.pem and $T/NAME.key, self-signed for the loopback names.
make_certificate() {
	local key
	case $2 in
	p256) key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256) ;;
	rsa*) key=(-newkey "rsa:${2#rsa}") ;;
	esac
	openssl req -x509 "${key[@]}" -nodes -sha256 -days 2 -subj "/CN=localhost" \
		-addext "subjectAltName=DNS:localhost,IP:127.0.0.1" \
		-keyout "$T/$1.key" -out "$T/$1.pem" 2>"$T/openssl.err" || {
		show "$T/openssl.err"
		return 1
	}
}

nginx_is_up_or_ended() {
	[ -s "$T/nginx.pid" ] || ended "$NGINX_PID"
}

nginx_config() { # PORT TLS_PORT LINES
	cat <<-END
		daemon off; master_process off; pid $T/nginx.pid; error_log $T/nginx.err notice;
		events { worker_connections 256; }
		http {
			log_format brief '\$ssl_protocol \$ssl_session_reused \$status \$request';
			access_log $T/nginx.log brief;
			client_body_temp_path $T/t1; proxy_temp_path $T/t2; fastcgi_temp_path $T/t3;
			uwsgi_temp_path $T/t4; scgi_temp_path $T/t5;
			types { } default_type text/plain;
			server {
				listen 127.0.0.1:$1; listen 127.0.0.1:$2 ssl;
				ssl_certificate $T/server.pem; ssl_certificate_key $T/server.key;
				ssl_protocols TLSv1.2 TLSv1.3;
				root $T/www;
				$3
			}
		}
	END
}

# start_nginx LINES: nginx with the certificate `server`, and these lines in its server
# block; $NGINX_HTTP and $NGINX_HTTPS are its URLs. Another port is tried when the one that was
# free has been taken meanwhile, and only then.
start_nginx() {
	local try port tls_port
	mkdir -p "$T/www"
	for try in 1 2 3 4 5; do
		port=$(free_port) tls_port=$(free_port)
		rm -f "$T/nginx.pid"
		nginx_config "$port" "$tls_port" "${1:-}" >"$T/nginx.conf"
		nginx -p "$T" -e "$T/nginx.err" -c "$T/nginx.conf" 2>"$T/nginx.out" </dev/null 3>&- &
		NGINX_PID=$!
		PIDS+=("$NGINX_PID")
		wait_until 10 nginx_is_up_or_ended
		if ! ended "$NGINX_PID"; then
			NGINX_HTTP="http://127.0.0.1:$port" NGINX_HTTPS="https://127.0.0.1:$tls_port"
			return 0
		fi
		grep -q 'Address already in use' "$T/nginx.err" "$T/nginx.out" || break
	done
	show "$T/nginx.out" "$T/nginx.err"
	return 1
}

# cell FILTER: what jq finds in the last result, $T/cell.json.
cell() {
	jq -r "$1" "$T/cell.json"
}

# check FILTER...: each must be true of the last result.
check() {
	local filter all=true
	for filter in "$@"; do
		all+=" and ($filter)"
	done
	# One process where all is well, which is nearly always; else each, to say which.
	jq -e "$all" "$T/cell.json" >/dev/null 2>&1 && return 0
	for filter in "$@"; do
		jq -e "$filter" "$T/cell.json" >/dev/null || {
			echo "not true: $filter" >&2
			jq 'del(.histograms)' "$T/cell.json" >&2
			return 1
		}
	done
}

# load_cell ARG...: run the load generator; result in $T/cell.json, messages in $T/load.err.
load_cell() {
	"$CIPHERWATT" load "$@" --json >"$T/cell.json" 2>"$T/load.err" </dev/null 3>&- || {
		local status=$?
		show "$T/load.err"
		return "$status"
	}
}

BALANCE='.requests | .started == .succeeded + .failed + .timed_out + .in_flight'
