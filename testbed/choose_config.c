/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose_config - a suite in the words of nginx, Apache, an openssl.cnf, a program with wolfSSL and
 * libcoap's server. Each pins version, cipher and group, and says where the certificate goes.
 */
#include <errno.h>
#include <string.h>

#include "testbed/choose_suite.h"

static int needs_tls(const struct suite *s, const char *program, struct fail *f)
{
	if (suite_is_plain(s))
		return fail_set(f, EINVAL, "plain needs no configuration of TLS");
	if (tls_version_is_datagram(s->version))
		return fail_set(f, EINVAL, "%s serves no DTLS: libcoap and wolfssl do", program);
	if (s->credential->key == KEY_PSK)
		return fail_set(f, EINVAL, "%s takes no pre-shared keys", program);
	return 0;
}

/* "TLSv1.2" as OpenSSL's programs write it. */
static const char *version_word(const struct suite *s)
{
	static const char *const words[TLS_VERSIONS] = { "", "TLSv1.2", "TLSv1.3", "DTLSv1.2",
							 "DTLSv1.3" };

	return words[s->version];
}

static bool is_13(const struct suite *s)
{
	return s->version == TLS13 || s->version == DTLS13;
}

/* The groups; up to TLS 1.2 the certificate's curve has to be among them. */
static void put_groups(const struct suite *s, struct buf *out)
{
	const char *curve = s->credential->curve;

	buf_puts(out, s->group->openssl);
	if (!is_13(s) && curve && strcmp(curve, s->group->openssl) != 0)
		buf_printf(out, ":%s", curve);
}

static int write_nginx(const struct suite *s, struct buf *out, struct fail *f)
{
	if (needs_tls(s, "nginx", f) < 0)
		return -1;
	buf_printf(
		out,
		"# in a server { listen 443 ssl; } of nginx\nssl_certificate server.pem;    # %s\n",
		s->credential->name);
	buf_printf(out, "ssl_certificate_key server.key;\nssl_protocols %s;\n", version_word(s));
	buf_printf(out,
		   is_13(s) ? "ssl_conf_command Ciphersuites %s;\n"
			    : "ssl_ciphers %s;\nssl_prefer_server_ciphers on;\n",
		   s->cipher->openssl);
	if (s->group->id) {
		buf_puts(out, "ssl_ecdh_curve ");
		put_groups(s, out);
		buf_puts(out, ";\n");
	}
	return 0;
}

static int write_apache(const struct suite *s, struct buf *out, struct fail *f)
{
	if (needs_tls(s, "Apache", f) < 0)
		return -1;
	buf_printf(out,
		   "# in a <VirtualHost *:443> of Apache with mod_ssl\nSSLEngine on\n"
		   "# the certificate: %s\nSSLCertificateFile server.pem\n",
		   s->credential->name);
	buf_printf(out, "SSLCertificateKeyFile server.key\nSSLProtocol -all +%s\n",
		   version_word(s));
	buf_printf(out,
		   is_13(s) ? "SSLCipherSuite TLSv1.3 %s\n"
			    : "SSLCipherSuite %s\nSSLHonorCipherOrder on\n",
		   s->cipher->openssl);
	if (s->group->id) {
		buf_puts(out, "SSLOpenSSLConfCmd Groups ");
		put_groups(s, out);
		buf_puts(out, "\n");
	}
	return 0;
}

/* For every program that reads OpenSSL's configuration. */
static int write_openssl(const struct suite *s, struct buf *out, struct fail *f)
{
	if (suite_is_plain(s))
		return fail_set(f, EINVAL, "plain needs no configuration of TLS");
	buf_puts(
		out,
		"# openssl.cnf, or a file that OPENSSL_CONF names\nopenssl_conf = openssl_init\n\n"
		"[openssl_init]\nssl_conf = ssl_module\n\n[ssl_module]\nsystem_default = chosen\n\n"
		"[chosen]\n");
	buf_printf(out, "MinProtocol = %s\nMaxProtocol = %s\n", version_word(s), version_word(s));
	buf_printf(out, "%s = %s\n", is_13(s) ? "Ciphersuites" : "CipherString",
		   s->cipher->openssl);
	/* Else the client's first group is taken, where the certificate's curve is in the list too.
	 */
	buf_puts(out, "Options = ServerPreference\n");
	if (s->group->id) {
		buf_puts(out, "Groups = ");
		put_groups(s, out);
		buf_puts(out, "\n");
	}
	return 0;
}

/* All curves but one are switched off only in a context that could speak TLS 1.3 too. */
static const char *wolfssl_method(const struct suite *s)
{
	static const char *const methods[TLS_VERSIONS] = { "", "wolfSSLv23", "wolfTLSv1_3",
							   "wolfDTLSv1_2", "wolfDTLSv1_3" };

	return methods[s->version];
}

static void put_wolfssl_group(const struct suite *s, struct buf *out)
{
	if (s->version == TLS12 && s->group->kind == GROUP_EC)
		buf_printf(out, "wolfSSL_CTX_set1_curves_list(ctx, \"%s\");\n", s->group->openssl);
	else if (is_13(s) && s->group->id)
		buf_printf(
			out,
			"int group = 0x%04x; /* %s */\n\nwolfSSL_CTX_set_groups(ctx, &group, 1);\n",
			s->group->id, s->group->iana);
	if (!is_13(s) && s->group->kind == GROUP_EC)
		buf_printf(out, "wolfSSL_CTX_SetTmpEC_DHE_Sz(ctx, %d);\n",
			   s->group->strength_bits / 4);
	if (s->version == TLS12)
		buf_puts(out, "wolfSSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);\n"
			      "wolfSSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION);\n");
}

static int write_wolfssl(const struct suite *s, struct buf *out, struct fail *f)
{
	if (suite_is_plain(s))
		return fail_set(f, EINVAL, "plain needs no configuration of TLS");
	if (!s->cipher->wolfssl)
		return fail_set(f, ENOENT, "wolfSSL has no name for %s", s->cipher->iana);
	buf_printf(out,
		   "/* where a program of wolfSSL makes its server's context */\n"
		   "WOLFSSL_CTX *ctx = wolfSSL_CTX_new(%s_server_method());\n\n",
		   wolfssl_method(s));
	buf_printf(out, "wolfSSL_CTX_set_cipher_list(ctx, \"%s\");\n", s->cipher->wolfssl);
	put_wolfssl_group(s, out);
	if (s->credential->key == KEY_PSK)
		buf_puts(out, "wolfSSL_CTX_set_psk_server_callback(ctx, find_key);\n");
	else
		buf_printf(out,
			   "/* the certificate: %s */\n"
			   "wolfSSL_CTX_use_certificate_chain_file(ctx, \"server.pem\");\n"
			   "wolfSSL_CTX_use_PrivateKey_file(ctx, \"server.key\", "
			   "WOLFSSL_FILETYPE_PEM);\n",
			   s->credential->name);
	return 0;
}

/*
 * libcoap compiles its list of ciphers in and sets it after OpenSSL has read a configuration: what
 * can be given is the credential and the version, and the client's offer decides the rest.
 */
static int write_libcoap(const struct suite *s, struct buf *out, struct fail *f)
{
	if (suite_is_plain(s) || !tls_version_is_datagram(s->version))
		return fail_set(f, EINVAL,
				"libcoap is for DTLS here, and %s is not of it: choose among "
				"suites of dtls1.2",
				suite_is_plain(s) ? "plain" : tls_version_name[s->version]);
	buf_printf(out,
		   "# libcoap's server takes what its clients offer, whatever a file says: let "
		   "them offer "
		   "%s alone.\n# The version holds, with what follows as OPENSSL_CONF:\n",
		   s->cipher->openssl);
	if (s->credential->key == KEY_PSK)
		buf_puts(out, "#   OPENSSL_CONF=chosen.cnf coap-server-openssl -A 127.0.0.1 -k KEY "
			      "-h HINT\n");
	else
		buf_printf(out,
			   "#   OPENSSL_CONF=chosen.cnf coap-server-openssl -A 127.0.0.1 -c "
			   "server.pem -j "
			   "server.key -n\n# the certificate: %s\n",
			   s->credential->name);
	return write_openssl(s, out, f);
}

static const struct choose_config configs[] = {
	{ "nginx", "# ", "", write_nginx },     { "apache", "# ", "", write_apache },
	{ "openssl", "# ", "", write_openssl }, { "wolfssl", "/* ", " */", write_wolfssl },
	{ "libcoap", "# ", "", write_libcoap }, { NULL, NULL, NULL, NULL },
};

const struct choose_config *choose_config_by_name(const char *name)
{
	for (const struct choose_config *c = configs; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}
