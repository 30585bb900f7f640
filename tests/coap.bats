#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# coap - what others' clients of CoAP get from our server: plain, over DTLS with certificates
# and with pre-shared keys, from each engine, block by block, through a bad network.

load helpers

CCM8=dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256
PSK_CCM8=dtls1.2:PSK-AES128-CCM8:none:psk
PSK_CHACHA=dtls1.2:PSK-CHACHA20-POLY1305:none:psk
SECRET=secretPSKsecretPSK

setup() {
	setup_common
	printf 'somebody=AAAAAAAAAAAAAAAAAAAAAA==\nClient_identity=%s\n' \
		"$(printf %s "$SECRET" | base64)" >"$T/psk"
}

teardown() {
	teardown_common
}

# get TOOL URL [ARG...]: one GET with libcoap's client built on TOOL, into $T/got.
get() {
	local tool=$1 url=$2
	shift 2
	timeout -k 5 20 "coap-client-$tool" -v 3 "$@" -m get "$url" >"$T/got" 2>"$T/got.err" 3>&- ||
		{ show "$T/got" "$T/got.err" "$T/serve.err"; return 1; }
}

got_page() { # BYTES: and the newline that the client adds
	[ "$(wc -c <"$T/got")" -eq $(($1 + 1)) ] && grep -q '"sensor":"node-01"' "$T/got" ||
		{ show "$T/got" "$T/got.err" "$T/serve.err"; return 1; }
}

keys() { # what libcoap's client is told
	printf '%s\n' -u Client_identity -k "$SECRET"
}

@test "CoAP without DTLS: pages, blocks, links, what is not there" {
	need coap-client-notls
	start_serve coap://127.0.0.1:0 --payload 300
	get notls "$URL/" && got_page 300
	get notls "$URL/page/50000" && got_page 50000
	get notls "$URL/page/3000" -b 64 && got_page 3000
	get notls "$URL/.well-known/core" && grep -q '</>' "$T/got"
	get notls "$URL/nonsense" || true
	grep -q '4\.04' "$T/got" "$T/got.err"
}

# Both of libcoap's libraries against this engine, with a certificate and with a key.
libcoap_and() { # ENGINE PSK_SUITE
	local tool
	need coap-client-openssl coap-client-gnutls
	need_engine "$1"
	start_serve coaps://127.0.0.1:0 --engine "$1" --suite "$CCM8"
	for tool in openssl gnutls; do
		get "$tool" "$URL/page/200" && got_page 200
		get "$tool" "$URL/page/20000" && got_page 20000
	done
	start_serve coaps://127.0.0.1:0 --engine "$1" --suite "$2" --psk-file "$T/psk"
	for tool in openssl gnutls; do
		get "$tool" "$URL/page/200" $(keys) && got_page 200
		get "$tool" "$URL/page/20000" $(keys) && got_page 20000
	done
}

@test "libcoap's clients over OpenSSL and GnuTLS: our OpenSSL" {
	libcoap_and openssl "$PSK_CCM8"
}

@test "libcoap's clients over OpenSSL and GnuTLS: our wolfSSL" {
	libcoap_and wolfssl "$PSK_CHACHA"
}

@test "a wrong key and an unknown identity are told nothing and lose their place in time" {
	need coap-client-openssl
	need_engine openssl
	local who strangers=()
	start_serve coaps://127.0.0.1:0 --engine openssl --suite "$PSK_CCM8" --psk-file "$T/psk" \
		--max-handshakes 2 --handshake-timeout 1s
	# More than there are places, all at once and for longer than their time.
	for who in Client_identity nobody Client_identity nobody; do
		timeout 4 coap-client-openssl -B 4 -u "$who" -k wrongwrongwrongwrong -v 7 \
			-m get "$URL/" >"$T/wrong.${#strangers[@]}" 2>&1 3>&- &
		strangers+=($!)
	done
	get openssl "$URL/page/200" $(keys) && got_page 200
	for who in 0 1 2 3; do
		wait "${strangers[$who]}" || true
		grep -qi dtls "$T/wrong.$who" || { show "$T/wrong.$who"; return 1; }
		refute grep -q sensor "$T/wrong.$who"
	done
}

# Bytes of a request in, the page out, through a client that knows no CoAP.
raw_client() { # COMMAND...
	mkfifo "$T/in"
	"$@" <"$T/in" >"$T/raw" 2>&1 3>&- &
	PIDS+=($!)
	exec 8>"$T/in"
	# CON GET, id AA, a payload that ends the line.
	printf '\x40\x01AA\xff\n' >&8
	wait_until 10 grep -qa '"sensor":"node-01"' "$T/raw" || { show "$T/raw"; return 1; }
	exec 8>&-
}

@test "openssl s_client -dtls1_2 -psk" {
	need_engine openssl
	start_serve coaps://127.0.0.1:0 --engine openssl --suite "$PSK_CCM8" --psk-file "$T/psk"
	raw_client openssl s_client -dtls1_2 -cipher PSK-AES128-CCM8:@SECLEVEL=0 \
		-psk_identity Client_identity -psk "$(printf %s "$SECRET" | od -An -tx1 | tr -d ' \n')" \
		-connect "${URL#coaps://}"
}

@test "gnutls-cli -u" {
	need gnutls-cli
	start_serve coaps://127.0.0.1:0 --suite "$CCM8"
	raw_client gnutls-cli -u --insecure --priority NORMAL:+AES-128-CCM-8:+ECDHE-ECDSA \
		-p "${URL##*:}" 127.0.0.1
}

@test "the npm package coap" {
	need node npm
	(cd "$T" && timeout 25 npm install --no-audit --no-fund --silent coap@1.5.0 >"$T/npm.out" 2>&1) ||
		skip "npm cannot install coap here"
	start_serve coap://127.0.0.1:0
	cat >"$T/get.js" <<-'END'
		const req = require('coap').request(process.argv[2]);
		req.on('response', r => {
			let n = 0;
			r.on('data', d => { n += d.length; });
			r.on('end', () => { console.log(r.code, n); process.exit(0); });
		});
		req.end();
	END
	(cd "$T" && timeout 10 node get.js "$URL/page/700" >"$T/got" 2>&1)
	grep -qx '2.05 700' "$T/got" || { show "$T/got"; return 1; }
}

# What clients offer: over datagrams wolfSSL takes any curve of P-256's size, and the server
# refuses what is not its suite.
offer_p256() {
	cat >"$T/p256.cnf" <<-END
		openssl_conf = init
		[init]
		ssl_conf = modules
		[modules]
		system_default = groups
		[groups]
		Groups = P-256
	END
}

# A client may give up, and come again.
stubborn_get() { # HOST:PORT NAME BYTES
	local try
	for try in 1 2 3; do
		OPENSSL_CONF=$T/p256.cnf timeout 40 coap-client-openssl -B 30 -m get "coaps://$1/page/$3" \
			>"$T/got.$2" 2>"$T/err.$2" || continue
		[ "$(wc -c <"$T/got.$2")" -ne $(($3 + 1)) ] || return 0
	done
	return 1
}

# Clients of both engines at once, so that their waits are one.
through_bad_network() { # PERCENT CLIENTS BYTES
	local i engine clients=() names=()
	need coap-client-openssl
	offer_p256
	for engine in openssl wolfssl; do
		"$CIPHERWATT" --version | grep -q "^engine $engine " || continue
		start_serve coaps://127.0.0.1:0 --engine "$engine" --suite "$CCM8" --dtls-timeout 300ms
		start_proxy "${URL##*:}" --loss "$1" --reorder "$1" --duplicate "$1" --seed 7
		for ((i = 0; i < $2; i++)); do
			stubborn_get "$PROXY" "$engine.$i" "$3" 3>&- &
			clients+=($!) names+=("$engine.$i")
		done
	done
	for ((i = 0; i < ${#clients[@]}; i++)); do
		wait "${clients[i]}" || { show "$T/got.${names[i]}" "$T/err.${names[i]}"; return 1; }
	done
}

@test "5 % of the datagrams lost, 5 % late, 5 % twice" {
	through_bad_network 5 4 1500
}

@test "20 % of the datagrams lost, 20 % late, 20 % twice" {
	through_bad_network 20 2 500
}
