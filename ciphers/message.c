/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message - names of handshake messages, as in the registry of TLS HandshakeTypes, so that
 * what an engine tells can be laid beside what was captured.
 */
#include "ciphers/engine.h"

static const struct {
	uint8_t type;
	const char *name;
} names[] = {
	{ 0, "hello_request" },
	{ 1, "client_hello" },
	{ 2, "server_hello" },
	{ 3, "hello_verify_request" },
	{ 4, "new_session_ticket" },
	{ 5, "end_of_early_data" },
	{ 8, "encrypted_extensions" },
	{ 11, "certificate" },
	{ 12, "server_key_exchange" },
	{ 13, "certificate_request" },
	{ 14, "server_hello_done" },
	{ 15, "certificate_verify" },
	{ 16, "client_key_exchange" },
	{ 20, "finished" },
	{ 22, "certificate_status" },
	{ 24, "key_update" },
	{ TLS_MESSAGE_CHANGE_CIPHER_SPEC, "change_cipher_spec" },
	{ TLS_MESSAGE_ALERT, "alert" },
};

const char *tls_message_name(uint8_t type)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].type == type)
			return names[i].name;
	return "unknown";
}
