/* SPDX-License-Identifier: Apache-2.0 */
/*
 * californium - what the README of Californium's benchmark gives for its own server.
 */
#include "results/reference.h"

static const struct reference_row rows[] = {
	{ "README", "CoAPS, PSK-AES128-CCM8, 40 bytes, lowest", 0, 2000, 0,
	  REFERENCE_REQUESTS_PER_S, 34000, REFERENCE_PRINTED },
	{ "README", "CoAPS, PSK-AES128-CCM8, 40 bytes, highest", 0, 2000, 0,
	  REFERENCE_REQUESTS_PER_S, 35500, REFERENCE_PRINTED },
	{ "README", "CoAPS, PSK-AES128-CCM8, 40 bytes", 0, 2000, 0, REFERENCE_RETRANSMISSIONS_PCT,
	  1.9, REFERENCE_PRINTED },
	{ "README", "CoAPS, PSK-AES128-CCM8", 0, 2000, 0, REFERENCE_HANDSHAKES_PER_S, 2993,
	  REFERENCE_PRINTED },
	{ "README", "first request, handshake included", 0, 2000, 0, REFERENCE_MEAN_MS, 316,
	  REFERENCE_PRINTED },
};

const struct reference_study reference_californium = {
	.key = "californium",
	.title = "Eclipse Californium, cf-extplugtest benchmark",
	.source = "eclipse-californium/californium, README of cf-extplugtest-server, at d595d12",
	.notes = "Server and client on one machine with an Intel Pentium Silver J5005 and 16 GB.",
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};
