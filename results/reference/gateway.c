/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway - the study of a fog gateway on an Orange Pi PC: what its abstract states, and public
 * speeds of the same processor core, which its own figures are not available for.
 */
#include "results/reference.h"

static const struct reference_row rows[] = {
	{ "abstract", "ECDHE-ECDSA against ECDHE-RSA", 0, 0, 0, REFERENCE_ENERGY_SAVING_PCT, 50,
	  REFERENCE_AT_MOST },
	{ "abstract", "ECDHE-ECDSA against ECDHE-RSA", 0, 0, 0, REFERENCE_THROUGHPUT_RATIO, 2,
	  REFERENCE_PRINTED },
	{ "Cortex-A7", "RSA-1024", 0, 0, 0, REFERENCE_SIGN_MS, 6.83, REFERENCE_PRINTED },
	{ "Cortex-A7", "RSA-1024", 0, 0, 0, REFERENCE_VERIFY_MS, 0.380, REFERENCE_PRINTED },
	{ "Cortex-A7", "RSA-2048", 0, 0, 0, REFERENCE_SIGN_MS, 45.5, REFERENCE_PRINTED },
	{ "Cortex-A7", "RSA-2048", 0, 0, 0, REFERENCE_VERIFY_MS, 1.403, REFERENCE_PRINTED },
	{ "Cortex-A7", "RSA-4096", 0, 0, 0, REFERENCE_SIGN_MS, 336, REFERENCE_PRINTED },
	{ "Cortex-A7", "RSA-4096", 0, 0, 0, REFERENCE_VERIFY_MS, 5.411, REFERENCE_PRINTED },
	{ "Cortex-A7", "secp160r1", 0, 0, 0, REFERENCE_SIGN_MS, 0.8, REFERENCE_PRINTED },
	{ "Cortex-A7", "secp160r1", 0, 0, 0, REFERENCE_VERIFY_MS, 3.0, REFERENCE_PRINTED },
	{ "Cortex-A7", "secp160r1", 0, 0, 0, REFERENCE_ECDH_MS, 2.5, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-192", 0, 0, 0, REFERENCE_SIGN_MS, 1.0, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-192", 0, 0, 0, REFERENCE_VERIFY_MS, 4.2, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-192", 0, 0, 0, REFERENCE_ECDH_MS, 3.5, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-224", 0, 0, 0, REFERENCE_SIGN_MS, 1.3, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-224", 0, 0, 0, REFERENCE_VERIFY_MS, 5.6, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-224", 0, 0, 0, REFERENCE_ECDH_MS, 4.7, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-256", 0, 0, 0, REFERENCE_SIGN_MS, 1.6, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-256", 0, 0, 0, REFERENCE_VERIFY_MS, 7.2, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-256", 0, 0, 0, REFERENCE_ECDH_MS, 6.1, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-384", 0, 0, 0, REFERENCE_SIGN_MS, 3.4, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-384", 0, 0, 0, REFERENCE_VERIFY_MS, 17.8, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-384", 0, 0, 0, REFERENCE_ECDH_MS, 14.8, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-521", 0, 0, 0, REFERENCE_SIGN_MS, 7.2, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-521", 0, 0, 0, REFERENCE_VERIFY_MS, 40.0, REFERENCE_PRINTED },
	{ "Cortex-A7", "P-521", 0, 0, 0, REFERENCE_ECDH_MS, 33.3, REFERENCE_PRINTED },
};

const struct reference_study reference_gateway = {
	.key = "gateway",
	.title = "A practical evaluation of a high-security energy-efficient gateway for IoT fog "
		 "computing applications",
	.source =
		"M. Suarez-Albela, T. M. Fernandez-Carames, P. Fraga-Lamas, L. Castedo, Sensors "
		"2017, 17(9), 1978, doi 10.3390/s17091978; Cortex-A7: openssl speed of a Raspberry "
		"Pi 2 at 900 MHz, OpenSSL 1.0.1f, one core (rfinnie/jekyll-finnie)",
	.notes = "The abstract says twice the throughput in most scenarios and up to half of the "
		 "energy saved, and that gzip does not pay for small payloads. Its matrix has "
		 "Apache "
		 "and nginx, pages of 512 bytes to 128 kB and 2, 16, 32 and 128 clients; no figure "
		 "in "
		 "requests, joules or milliseconds is available. The speeds are of the same core, "
		 "not "
		 "of the study.",
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};
