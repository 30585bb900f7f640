#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# choose - the command line of `cipherwatt choose`: a ranking of a real, tiny campaign, and the
# configurations that it prints, each tried by starting the program that it is for.

load helpers

SUITE12=tls1.2:ECDHE-ECDSA-AES256-GCM-SHA384:p384:p256
SUITE13=tls1.3:CHACHA20-POLY1305-SHA256:x25519:p256

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
	PATH=$PATH:/usr/sbin
}

teardown() {
	teardown_common
}

# choose ARG...: standard output in $T/out, standard error in $T/err
choose() {
	"$CIPHERWATT" choose "$@" >"$T/out" 2>"$T/err" </dev/null 3>&-
}

# refused STATUS WORD ARG...
refused() {
	local expected=$1 word=$2 status=0
	shift 2
	choose "$@" || status=$?
	[ "$status" -eq "$expected" ] || { show "$T/err"; echo "exit status $status" >&2; return 1; }
	[ ! -s "$T/out" ]
	grep -qF -e "$word" "$T/err" || { show "$T/err"; return 1; }
}

# One that servers may read which do not stay root.
open_certificate() {
	make_certificate server p256
	chmod 644 "$T/server.key"
	chmod 755 "$T"
}

# start PROGRAM ARG...: in $T, in the background, until its port takes a connection
start() {
	(cd "$T" && exec "$@") >"$T/server.log" 2>&1 </dev/null 3>&- &
	PIDS+=($!)
}

# What a client with every version, cipher and group agrees on with 127.0.0.1:$PORT.
agree() {
	openssl s_client -connect "127.0.0.1:$PORT" -cipher ALL:@SECLEVEL=0 </dev/null >"$T/client.out" 2>&1
	grep -q 'Cipher is [A-Z]' "$T/client.out"
}

# agreed VERSION CIPHER KEY-EXCHANGE
agreed() {
	wait_until 10 agree || { show "$T/client.out" "$T/server.log"; return 1; }
	grep -q "^New, $1, Cipher is $2\$" "$T/client.out" || { show "$T/client.out"; return 1; }
	grep -q "^Server Temp Key: .*$3" "$T/client.out" || { show "$T/client.out"; return 1; }
}

each_suite() { # COMMAND
	"$1" "$SUITE12" TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384 secp384r1 || return 1
	"$1" "$SUITE13" TLSv1.3 TLS_CHACHA20_POLY1305_SHA256 X25519
}

@test "a ranking says first what energy it stands on" {
	choose "$MADE" --allow-legacy || { show "$T/err"; return 1; }
	head -n 1 "$T/out" | grep -q '^Ranking on modelled energy of campaign '
	grep -q 'tls1' "$T/out"
}

@test "JSON has the ranking, the refused and why" {
	need jq
	choose "$MADE" --json || { show "$T/err"; return 1; }
	jq -e '.schema == "cipherwatt/1" and .energy == "modelled" and (.ranking | length) > 0' "$T/out"
	jq -e '.ranking | all(.failed == []) and all(.value.mean > 0)' "$T/out"
	jq -e '.refused | all(.failed != [])' "$T/out"
}

@test "no suite within the constraints is exit status 4, and each says why" {
	local status=0
	choose "$MADE" --min-bits 500 || status=$?
	[ "$status" -eq 4 ]
	grep -q 'No suite meets all constraints' "$T/out"
	grep -q '^refused: .*--min-bits' "$T/out"
	grep -q '^Without --min-bits: .* would be left$' "$T/out"
}

@test "JSON has every option that was asked for, and the campaign" {
	need jq
	choose "$MADE" --json --min-bits 112 --objective energy=2,latency=1 || { show "$T/err"; return 1; }
	jq -e '.options | .min_bits == 112 and .objective == {energy: 2, latency: 1} and .role == "server"' "$T/out"
	jq -e '.campaign.name != "" and .campaign.id > 0' "$T/out"
}

@test "--help says what a score is" {
	choose --help
	tr -s ' \n' '  ' <"$T/out" | grep -qF 'energy=2,latency=1 is (energy^2 / latency)^(1/3)'
}

@test "a configuration says in its first line what chose it" {
	local program
	for program in nginx apache openssl; do
		choose "$MADE" --allow-legacy --versions tls1.2,tls1.3 --config $program || { show "$T/err"; return 1; }
		head -n 1 "$T/out" | grep -q '^# tls1.*, the first of campaign .* by requests per mWh of the server; its energy is modelled, not measured$' ||
			{ show "$T/out"; return 1; }
	done
	choose --suite "$SUITE12" --config wolfssl
	head -n 1 "$T/out" | grep -qF "/* $SUITE12, as named; no campaign chose it */"
}

@test "what cannot be obeyed is refused in a sentence" {
	refused 2 '"speed" is none; expected energy' "$MADE" --objective speed
	refused 2 'weight "-1"' "$MADE" --objective energy=-1
	refused 2 'energy stands there twice' "$MADE" --objective energy=1,energy=2
	refused 2 '--objective is empty' "$MADE" --objective ''
	refused 2 '--json and --config' "$MADE" --config nginx --json
	refused 4 'no suite meets all constraints' "$MADE" --config nginx --memory-max 1
	refused 2 '--versions: "tls1.4"' "$MADE" --versions tls1.2,tls1.4
	refused 2 '--keys: "rsaa"' "$MADE" --keys rsaa
	refused 2 '--suite goes with --config' "$MADE" --suite plain
	refused 2 'no database was named'
	refused 1 'no cell like nothing' "$MADE" --like nothing
	refused 1 'not measured' "$MADE" --energy-source measured
	refused 1 'plain needs no configuration' --suite plain --config nginx
	refused 1 'libcoap is for DTLS' --suite "$SUITE12" --config libcoap
	refused 1 'nginx serves no DTLS' --suite dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256 --config nginx
}

@test "nginx takes its configuration and agrees on the suite" {
	need nginx openssl perl
	open_certificate
	one() {
		PORT=$(free_port)
		choose --suite "$1" --config nginx || { show "$T/err"; return 1; }
		cat >"$T/nginx.conf" <<-END
			daemon off; pid nginx.pid; error_log error.log; events { }
			http { access_log off; client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t;
			uwsgi_temp_path t; scgi_temp_path t;
			server { listen 127.0.0.1:$PORT ssl; $(printf '\n'; cat "$T/out") } }
		END
		start nginx -p "$T" -e error.log -c nginx.conf
		agreed "$2" "$3" "$4"
	}
	each_suite one
}

@test "Apache takes its configuration and agrees on the suite" {
	need apache2 openssl perl
	local modules=/usr/lib/apache2/modules
	[ -e $modules/mod_ssl.so ] || skip "mod_ssl is not installed"
	open_certificate
	one() {
		PORT=$(free_port)
		choose --suite "$1" --config apache || { show "$T/err"; return 1; }
		cat >"$T/apache.conf" <<-END
			ServerRoot $T
			ServerName localhost
			PidFile $T/apache-$PORT.pid
			DefaultRuntimeDir $T
			ErrorLog $T/error.log
			LoadModule mpm_event_module $modules/mod_mpm_event.so
			LoadModule authz_core_module $modules/mod_authz_core.so
			LoadModule socache_shmcb_module $modules/mod_socache_shmcb.so
			LoadModule ssl_module $modules/mod_ssl.so
			Listen 127.0.0.1:$PORT
			<VirtualHost *:$PORT>
			$(cat "$T/out")
			</VirtualHost>
		END
		start apache2 -X -f "$T/apache.conf"
		agreed "$2" "$3" "$4"
	}
	each_suite one
}

@test "a program with OpenSSL's configuration agrees on the suite" {
	need openssl perl
	open_certificate
	one() {
		PORT=$(free_port)
		choose --suite "$1" --config openssl || { show "$T/err"; return 1; }
		cp "$T/out" "$T/chosen.cnf"
		start env OPENSSL_CONF="$T/chosen.cnf" openssl s_server -accept "127.0.0.1:$PORT" -cert server.pem \
			-key server.key -www
		agreed "$2" "$3" "$4"
	}
	each_suite one
}

@test "a program with wolfSSL's lines agrees on the suite" {
	need gcc openssl perl
	[ -e /usr/include/wolfssl/ssl.h ] || skip "libwolfssl-dev is not installed"
	open_certificate
	one() {
		PORT=$(free_port)
		choose --suite "$1" --config wolfssl || { show "$T/err"; return 1; }
		cat >"$T/server.c" <<-END
			#include <arpa/inet.h>
			#include <sys/socket.h>
			#include <wolfssl/options.h>
			#include <wolfssl/ssl.h>
			int main(void)
			{
				struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons($PORT),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
				int s = socket(AF_INET, SOCK_STREAM, 0), fd;
				wolfSSL_Init();
				$(cat "$T/out")
				if (bind(s, (void *)&at, sizeof at) || listen(s, 5))
					return 1;
				while ((fd = accept(s, 0, 0)) >= 0) {
					WOLFSSL *ssl = wolfSSL_new(ctx);
					wolfSSL_set_fd(ssl, fd);
					wolfSSL_accept(ssl);
					wolfSSL_shutdown(ssl);
					wolfSSL_free(ssl);
					shutdown(fd, SHUT_RDWR);
				}
			}
		END
		gcc -o "$T/server-$PORT" "$T/server.c" -lwolfssl 2>"$T/gcc.err" || { show "$T/gcc.err" "$T/server.c"; return 1; }
		start "$T/server-$PORT"
		agreed "$2" "$3" "$4"
	}
	each_suite one
}

# libcoap has its list of ciphers compiled in, so the client offers one alone.
@test "libcoap's server takes its configuration and agrees on the suite" {
	need coap-server-openssl openssl perl
	PORT=$(($(free_pair) + 1))
	choose --suite dtls1.2:PSK-AES128-CCM8:none:psk --config libcoap || { show "$T/err"; return 1; }
	cp "$T/out" "$T/chosen.cnf"
	start env OPENSSL_CONF="$T/chosen.cnf" coap-server-openssl -A 127.0.0.1 -p $((PORT - 1)) -k secretPSK -h hint
	dtls() {
		timeout 2 openssl s_client "$1" -connect "127.0.0.1:$PORT" -psk_identity us \
			-psk "$(printf secretPSK | od -An -tx1 | tr -d ' \n')" -cipher "$2" \
			</dev/null >"$T/client.out" 2>&1
		grep -q 'Cipher is PSK-' "$T/client.out"
	}
	local tries=10
	until dtls -dtls1_2 PSK-AES128-CCM8:@SECLEVEL=0; do
		((tries-- > 0)) && ! ended "${PIDS[-1]}" || { show "$T/client.out" "$T/server.log"; return 1; }
	done
	refute dtls -dtls1 PSK-AES128-CBC-SHA:@SECLEVEL=0
}
