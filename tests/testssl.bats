#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# testssl - what testssl.sh says about our server with a recommended suite, on each engine:
# protocols, ciphers, forward secrecy, the server's defaults and the known vulnerabilities.
# Nothing of severity HIGH or CRITICAL may be found but what the private CA brings about.

load helpers

setup() {
	setup_common
}

teardown() {
	teardown_common
}

# The certificates are for a lab: made once, by a CA that is nobody's but the operator's.
#   cert_validityPeriod: ten years, so that a campaign can be repeated with the same chain
#   cert_revocation: that CA publishes no list and answers no OCSP
EXPECTED='["cert_validityPeriod", "cert_revocation"]'

# testssl_finds_nothing ENGINE SUITE: with HTTP/2, tickets and the made chain, all of it on.
testssl_finds_nothing() {
	need testssl openssl jq
	need_engine "$1"
	local ca
	start_serve https://127.0.0.1:0 --engine "$1" --suite "$2" --http 2 --tickets 2 \
		--credentials "$BATS_FILE_TMPDIR/credentials"
	ca=$(sed -n 's/.* with --ca //p' "$T/serve.err")
	timeout -k 5 400 testssl --quiet --color 0 --warnings batch --openssl-timeout 5 \
		--add-ca "$ca" --jsonfile "$T/testssl.json" \
		--protocols --std --fs --server-preference --server-defaults --vulnerable "$URL" \
		>"$T/testssl.out" 2>&1 </dev/null 3>&- ||
		[ "$?" -lt 124 ] # its status counts findings; those above are a time-out's
	refute ended "$SERVE_PID"
	jq -r '.[] | select(.severity != "OK" and .severity != "INFO")
		| "\(.severity) \(.id): \(.finding)"' "$T/testssl.json"
	# It has looked at all of this, and liked what it saw.
	jq -e --arg version "$3" '[.[] | select(.severity == "OK") | .id] as $ok | [$version,
		"SSLv2", "SSLv3", "cert_chain_of_trust", "cert_expirationStatus",
		"heartbleed", "CCS", "ticketbleed", "ROBOT", "secure_client_renego", "CRIME_TLS",
		"POODLE_SSL", "FREAK", "DROWN", "LOGJAM", "RC4", "cipherlist_NULL",
		"cipherlist_aNULL", "cipherlist_EXPORT"] - $ok | . == []' "$T/testssl.json" ||
		{ show "$T/testssl.out"; return 1; }
	jq -e --argjson expected "$EXPECTED" '[.[]
		| select(.severity == "HIGH" or .severity == "CRITICAL" or .severity == "FATAL")
		| .id] - $expected == []' "$T/testssl.json"
}

EC=tls1.3:AES128-GCM-SHA256:x25519:p256
RSA=tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048

@test "testssl finds no fault: openssl, TLS 1.3" { testssl_finds_nothing openssl $EC TLS1_3; }
@test "testssl finds no fault: openssl, TLS 1.2" { testssl_finds_nothing openssl $RSA TLS1_2; }
@test "testssl finds no fault: wolfssl, TLS 1.3" { testssl_finds_nothing wolfssl $EC TLS1_3; }
@test "testssl finds no fault: wolfssl, TLS 1.2" { testssl_finds_nothing wolfssl $RSA TLS1_2; }
