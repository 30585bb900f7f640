#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# message - secured messages: what xmlsec1 makes of ours, what we make of what it wrote, the
# workload over HTTP and HTTPS, and the figures that come with it.

load helpers

setup() {
	setup_common
	need_messages
	DIR="$BATS_FILE_TMPDIR/credentials"
	printf 'close the valve & <open> "it" again' >"$T/text"
}

teardown() {
	teardown_common
}

message() {
	"$CIPHERWATT" message --credentials "$DIR" "$@"
}

ids() {
	local wsu=http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd
	echo --id-attr:Id http://schemas.xmlsoap.org/soap/envelope/:Body --id-attr:Id "$wsu:Timestamp" \
		--id-attr:Id http://www.w3.org/2001/04/xmlenc#:EncryptedKey
}

# decrypt FILE KEY: as xmlsec1 does it, without a word of ours.
decrypt() {
	# shellcheck disable=SC2046
	xmlsec1 --decrypt $(ids) --privkey-pem "$2" "$1"
}

verify() {
	# shellcheck disable=SC2046
	xmlsec1 --verify $(ids) --pubkey-cert-pem "$2" "$1"
}

# signer PROFILE: the kind of its credentials.
signer() {
	case $1 in
	modern-ecdsa) echo p256 ;;
	*) echo rsa2048 ;;
	esac
}

xmlsec_accepts_ours() { # PROFILE
	local kind
	need xmlsec1
	kind=$(signer "$1")
	message --profile "$1" --secure "$T/text" >"$T/secured.xml"
	refute grep -q 'close the valve' "$T/secured.xml"
	decrypt "$T/secured.xml" "$DIR/rsa2048.key" >"$T/clear.xml"
	grep -q 'close the valve &amp; &lt;open&gt; "it" again' "$T/clear.xml"
	verify "$T/clear.xml" "$DIR/$kind-client.pem"
	sed -i 's/close the valve/open the valve/' "$T/clear.xml"
	refute verify "$T/clear.xml" "$DIR/$kind-client.pem"
}

@test "xmlsec1 decrypts and verifies our messages: modern-ecdsa" {
	xmlsec_accepts_ours modern-ecdsa
}

@test "xmlsec1 decrypts and verifies our messages: modern-rsa" {
	xmlsec_accepts_ours modern-rsa
}

@test "xmlsec1 decrypts and verifies our messages: legacy" {
	xmlsec_accepts_ours legacy
}

# The same envelope, with every value taken out, signed and encrypted by xmlsec1 alone: what
# it puts behind EncryptedData's KeyInfo stands in the header, as WS-Security has it.
we_accept_xmlsecs() { # PROFILE SESSION_KEY
	local kind
	need xmlsec1 perl
	kind=$(signer "$1")
	message --profile "$1" --secure "$T/text" >"$T/secured.xml"
	decrypt "$T/secured.xml" "$DIR/rsa2048.key" >"$T/clear.xml"
	perl -0pe 's{(<(ds:)?(DigestValue|SignatureValue)>).*?(</)}{$1$4}gs' "$T/clear.xml" >"$T/blank.xml"
	refute grep -q 'SignatureValue>[^<]' "$T/blank.xml"
	# shellcheck disable=SC2046
	xmlsec1 --sign $(ids) --privkey-pem "$DIR/$kind-client.key" --output "$T/signed.xml" "$T/blank.xml"
	perl -0ne 'print $& if m{<xenc:EncryptedKey.*?</xenc:EncryptedKey>}s' "$T/signed.xml" >"$T/key.xml"
	perl -e '
		my ($key, $data) = map { local $/; open my $f, "<", $_ or die; <$f> } @ARGV;
		my ($start, $method) = $key =~ m{(<xenc:EncryptedKey[^>]*>)(<xenc:EncryptionMethod[^>]*/>)};
		my ($cipher) = $data =~ m{<EncryptionMethod[^>]*/>}g ? $& : die;
		print "<EncryptedData xmlns=\"http://www.w3.org/2001/04/xmlenc#\" Id=\"Data-1\" ",
			"Type=\"http://www.w3.org/2001/04/xmlenc#Content\">$cipher",
			"<KeyInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\">$start$method",
			"<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedKey></KeyInfo>",
			"<CipherData><CipherValue/></CipherData></EncryptedData>"
	' "$T/key.xml" "$T/secured.xml" >"$T/template.xml"
	xmlsec1 --encrypt --pubkey-cert-pem "$DIR/rsa2048.pem" --session-key "$2" \
		--xml-data "$T/signed.xml" --node-name http://schemas.xmlsoap.org/soap/envelope/:Body \
		--output "$T/theirs.xml" "$T/template.xml"
	perl -0pe '
		s{(<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#">)<xenc:EncryptedKey.*?<xenc:CipherValue>(.*?)</xenc:CipherValue>.*?</xenc:EncryptedKey></KeyInfo>}{}s or die "no key";
		my $value = $2;
		s{(<xenc:EncryptedKey.*?<xenc:CipherValue>).*?(</xenc:CipherValue>)}{$1$value$2}s or die "no header";
	' "$T/theirs.xml" >"$T/wss.xml"
	message --profile "$1" --read "$T/wss.xml" >"$T/read"
	cmp "$T/text" "$T/read"
	# A second later is as good a time, but not what was signed.
	perl -MTime::Piece -pe '
		s{(<wsu:Created>)([^<]*)}{$1 . (Time::Piece->strptime($2, "%Y-%m-%dT%H:%M:%SZ") + 1)->strftime("%Y-%m-%dT%H:%M:%SZ")}e
	' "$T/wss.xml" >"$T/bad.xml"
	refute cmp -s "$T/wss.xml" "$T/bad.xml"
	refute message --profile "$1" --read "$T/bad.xml" 2>"$T/err"
	grep -q 'signature' "$T/err"
}

@test "we read what xmlsec1 signed and encrypted: modern-ecdsa" {
	we_accept_xmlsecs modern-ecdsa aes-128
}

@test "we read what xmlsec1 signed and encrypted: modern-rsa" {
	we_accept_xmlsecs modern-rsa aes-128
}

@test "we read what xmlsec1 signed and encrypted: legacy" {
	we_accept_xmlsecs legacy des-192
}

@test "XML holds no control characters, COSE does" {
	printf 'a\001b' >"$T/odd"
	refute message --secure "$T/odd" 2>"$T/err"
	grep -q "odd: byte 1 is a control character, .*; --profile cose carries any bytes$" "$T/err"
	message --profile cose --secure "$T/odd" >"$T/m"
	message --profile cose --read "$T/m" >"$T/read"
	cmp "$T/odd" "$T/read"
}

@test "options that nothing would look at are refused" {
	refute message --count 5 --secure "$T/text" 2>"$T/err"
	grep -q -e "--count is of a measurement, and --secure measures nothing" "$T/err"
	refute message --from server 2>"$T/err"
	grep -q -e "--from is of one message: give --secure or --read" "$T/err"
}

@test "a message is for one role, one profile, one directory" {
	message --secure "$T/text" >"$T/m"
	message --read "$T/m" >"$T/read"
	cmp "$T/text" "$T/read"
	refute message --from server --read "$T/m" 2>"$T/err"
	refute message --profile modern-rsa --read "$T/m" 2>"$T/err"
	grep -q "(read as modern-rsa; --profile names another" "$T/err"
	refute "$CIPHERWATT" message --credentials "$T/other" --read "$T/m"
	refute message --profile best --secure "$T/text" 2>"$T/err"
	grep -q "no profile 'best'; expected modern-ecdsa, .*cose" "$T/err"
	message --from server --secure "$T/text" >"$T/m"
	message --from server --read "$T/m" >"$T/read"
	cmp "$T/text" "$T/read"
	chmod_of=$(stat -c %a "$DIR/rsa2048.key")
	[ "$chmod_of" = 600 ]
}

@test "an external entity is not opened" {
	local status=0
	mkfifo "$T/secret" # who opens it waits for ever
	printf '<!DOCTYPE x [<!ENTITY e SYSTEM "file://%s/secret">]><x>&e;</x>' "$T" >"$T/xxe.xml"
	timeout -k 5 20 "$CIPHERWATT" message --credentials "$DIR" --profile none --read "$T/xxe.xml" \
		2>"$T/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q 'document type' "$T/err"
}

@test "stages of every profile, as a table and as JSON" {
	local profile
	[ "$(message --list | awk '{ print $1 }' | xargs)" = \
		"modern-ecdsa modern-rsa cose username-token none legacy" ]
	for profile in modern-ecdsa modern-rsa cose username-token none legacy; do
		message --profile "$profile" --count 5 >"$T/table"
		grep -q "^profile $profile, text of 512 bytes, 5 pairs" "$T/table"
		grep -q 'client secures' "$T/table"
		case $profile in
		username-token | none) refute grep -q 'times a pair' "$T/table" ;;
		*) grep -q '^that is [0-9.]* times a pair with a username token' "$T/table" ;;
		esac
		message --profile "$profile" --count 5 --json >"$T/cell.json"
		check ".profile == \"$profile\" and .pairs == 5" \
			'[.request, .response] | all(.send_us.n == 5 and .send_us.median > 0)' \
			'[.request, .response] | all(.stages_us | all(.p5 <= .median and .median <= .p95))'
	done
	# Two private keys in a message of RSA; none in a message without security.
	message --profile modern-rsa --count 5 --json >"$T/cell.json"
	check '.request.stages_us | .sign.median > .digest.median and .decrypt_key.median > .decrypt_data.median'
	message --profile none --count 5 --json >"$T/cell.json"
	check '.request.crypto_share == 0'
}

served() { # PROFILE URL ARGUMENT_OF_LOAD...
	local profile=$1 url=$2
	shift 2
	start_serve "$url" --workload message --profile "$profile" --credentials "$DIR" --threads 1
	load_cell "$URL/" --workload message --profile "$profile" --credentials "$DIR" --count 12 \
		--clients 2 --warmup 0s "$@"
	check '.requests.succeeded == 12 and .requests.failed == 0' '.outcomes.message == 12' \
		'.workload == "message"' \
		'.message | .secured + .warm_up.secured == 12 and .read + .warm_up.read == 12'
}

@test "every profile over HTTP, with the times of both sides" {
	local profile
	for profile in modern-ecdsa modern-rsa cose username-token none legacy; do
		served "$profile" http://127.0.0.1:0
		end_process "$SERVE_PID"
	done
}

@test "messages over HTTPS" {
	served modern-ecdsa https://127.0.0.1:0 --insecure
	check '.message | .secure_ns > .stages_ns.sign and .read_ns > .stages_ns.verify'
	"$CIPHERWATT" load "$URL/" --workload message --credentials "$DIR" --insecure --count 5 \
		--warmup 0s --clients 1 >"$T/text.out" 2>/dev/null </dev/null 3>&-
	grep -q '^messages .* ms to secure one, .* ms to read one, .* % of it cryptography' "$T/text.out"
}

@test "messages over CoAP, block by block, and over CoAPS" {
	local suite=dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256
	served modern-ecdsa coap://127.0.0.1:0
	end_process "$SERVE_PID"
	start_serve coaps://127.0.0.1:0 --suite "$suite" --workload message --profile cose \
		--credentials "$DIR" --threads 1
	load_cell "$URL/" --suite "$suite" --insecure --workload message --profile cose \
		--credentials "$DIR" --count 12 --clients 2 --warmup 0s
	check '.requests.succeeded == 12' '.outcomes.message == 12'
}

@test "the campaign of messages can be run" {
	local yaml="$BATS_TEST_DIRNAME/../testbed/campaigns/messages.yaml"
	"$CIPHERWATT" run "$yaml" --dry-run >"$T/plan"
	grep -q 'keepalive/null/message/message.profile=modern-ecdsa' "$T/plan"
	sed -e 's/^  \(settle\|idle\|warmup\): .*/  \1: 100ms/' -e 's/^  measure: .*/  count: 60/' \
		-e '/^  server:/d' -e '/^    meter:/d' -e '/^nodes:/d' "$yaml" >"$T/short.yaml"
	"$CIPHERWATT" run "$T/short.yaml" --blocks 1 --db "$T/run.db" --json \
		--only '*CCM8*/full/*cose,plain/512B/identity/c4/full/null/message/*modern-rsa' \
		>"$T/cell.json" 2>"$T/run.err" </dev/null 3>&- || [ $? -eq 3 ] || { show "$T/run.err"; false; }
	check '.cells | length == 2' \
		'.cells | all(.workload == "message" and .requests.failed == 0 and .requests.succeeded == 60)'
}

@test "a server tells the times of its stages" {
	mkfifo "$T/in"
	exec 7<>"$T/in"
	SERVE_INPUT="$T/in" start_serve http://127.0.0.1:0 --workload message --credentials "$DIR" --counters
	load_cell "$URL/" --workload message --credentials "$DIR" --count 10 --warmup 0s
	echo >&7
	wait_until 5 grep -q '^{' "$T/serve.out"
	grep '^{' "$T/serve.out" | head -n 1 >"$T/cell.json"
	check '.message | .read + .warm_up.read == 10 and .stages_ns.verify > 0 and .stages_ns.sign > 0'
	exec 7>&-
}

@test "a server of one profile refuses another, without a reason" {
	start_serve http://127.0.0.1:0 --workload message --credentials "$DIR"
	refute load_cell "$URL/" --workload message --profile legacy --credentials "$DIR" --count 3 --warmup 0s
	check '.requests.failed == 3'
	message --profile legacy --secure "$T/text" >"$T/m"
	curl -s -o "$T/answer" -w '%{http_code}' --data-binary "@$T/m" "$URL/message" >"$T/status"
	[ "$(cat "$T/status")" = 400 ]
	[ "$(cat "$T/answer")" = "the message was refused" ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' "$URL/message")" = 405 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' "$URL/other")" = 404 ]
}

@test "a signed message is believed once, by whichever thread" {
	need curl
	start_serve http://127.0.0.1:0 --workload message --credentials "$DIR" --threads 2
	post() {
		curl -s -o "$T/answer" -w '%{http_code}' --data-binary "@$1" "$URL/message"
	}
	message --secure "$T/text" >"$T/one"
	message --secure "$T/text" >"$T/another"
	[ "$(post "$T/one")" = 200 ]
	for _ in 1 2 3 4; do
		[ "$(post "$T/one")" = 400 ]
	done
	grep -q 'the message was refused' "$T/answer"
	[ "$(post "$T/another")" = 200 ]
}
