/* SPDX-License-Identifier: Apache-2.0 */
/* access - the words of the settings. */
#include "workloads/access.h"

const char *const access_encoding_name[ACCESS_ENCODINGS + 1] = {
	[ACCESS_JSON] = "json",
	[ACCESS_CBOR] = "cbor",
};
const char *const access_model_name[ACCESS_MODELS + 1] = {
	[ACCESS_ABAC] = "abac",
	[ACCESS_RBAC] = "rbac",
};
const char *const access_durability_name[ACCESS_DURABILITIES + 1] = {
	[ACCESS_NONE] = "none",
	[ACCESS_BATCHED] = "batched",
	[ACCESS_EACH] = "each",
};
const char *const access_content_type[ACCESS_ENCODINGS] = {
	[ACCESS_JSON] = "application/json",
	[ACCESS_CBOR] = "application/cbor",
};
