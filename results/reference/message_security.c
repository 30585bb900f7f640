/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_security - the stage times of a WS-Security stack (WSS4J): one direction of
 * its signed and encrypted scenario, whole pairs, and the scenario of a username token.
 */
#include "results/reference.h"

#define RANGE_MS(table, what, low, high)                                         \
	{ table, what, 0, 0, 0, REFERENCE_LOW_MS, low, REFERENCE_PRINTED },      \
	{                                                                        \
		table, what, 0, 0, 0, REFERENCE_HIGH_MS, high, REFERENCE_PRINTED \
	}

/* The middle of the stage's range, of the middles of all seven together. */
#define SHARE(what, pct)                                                                 \
	{                                                                                \
		"scenario 3", what, 0, 0, 0, REFERENCE_SHARE_PCT, pct, REFERENCE_DERIVED \
	}

static const struct reference_row rows[] = {
	RANGE_MS("scenario 3", "client sends", 34, 37),
	RANGE_MS("scenario 3", "sign", 27, 28),
	RANGE_MS("scenario 3", "encrypt", 5, 6),
	RANGE_MS("scenario 3", "rest of sending", 1, 3),
	RANGE_MS("scenario 3", "server receives", 42, 47),
	RANGE_MS("scenario 3", "verify", 5, 6),
	RANGE_MS("scenario 3", "decrypt", 24, 26),
	RANGE_MS("scenario 3", "trust, timestamp, header", 4, 5),
	RANGE_MS("scenario 3", "rest of reading", 6, 10),
	SHARE("sign", 35.3),
	SHARE("encrypt", 7.1),
	SHARE("rest of sending", 2.6),
	SHARE("verify", 7.1),
	SHARE("decrypt", 32.1),
	SHARE("trust, timestamp, header", 5.8),
	SHARE("rest of reading", 10.3),
	SHARE("sign, encrypt, verify, decrypt", 81.4),
	{ "scenario 3", "private key, of decrypting", 0, 0, 0, REFERENCE_LOW_PCT, 60,
	  REFERENCE_PRINTED },
	{ "scenario 3", "private key, of decrypting", 0, 0, 0, REFERENCE_HIGH_PCT, 65,
	  REFERENCE_PRINTED },
	RANGE_MS("pairs", "20 pairs, scenario 3", 4100, 4200),
	RANGE_MS("pairs", "a pair, scenario 3", 205, 210),
	RANGE_MS("pairs", "security of one direction", 75, 85),
	RANGE_MS("pairs", "security of a pair", 150, 170),
	RANGE_MS("pairs", "sign, encrypt, decrypt of a pair", 120, 140),
	RANGE_MS("pairs", "a pair, scenario 1", 22, 25),
	{ "pairs", "sign, encrypt, decrypt, of security", 0, 0, 0, REFERENCE_LOW_PCT, 80,
	  REFERENCE_PRINTED },
	{ "pairs", "sign, encrypt, decrypt, of security", 0, 0, 0, REFERENCE_HIGH_PCT, 90,
	  REFERENCE_PRINTED },
};

const struct reference_study reference_message_security = {
	.key = "message-security",
	.title = "Stage times of WSS4J, interoperability scenarios 1 and 3",
	.source = "mail on the performance of WSS4J: Axis client and server, Java 1.4.2 on "
		  "an Athlon64 3000",
	.notes = "Scenario 3 signs the body with RSA and SHA-1, encrypts it with 3DES under a key "
		 "that RSA wraps, and adds a timestamp, in both directions; scenario 1 sends a "
		 "username token. One pair to warm up, 20 timed, read off a system clock on a "
		 "system that was not idle. Milliseconds are of that machine; shares can be "
		 "compared.",
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};
