/* SPDX-License-Identifier: Apache-2.0 */
/* access - the words of the settings, and of the wire. */
#include "workloads/access.h"

#include <string.h>
#include <strings.h>

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

bool access_encoding_of(const char *content_type, enum access_encoding *e)
{
	size_t len = content_type ? strcspn(content_type, "; \t") : 0;

	for (int i = 0; i < ACCESS_ENCODINGS; i++)
		if (len == strlen(access_content_type[i]) &&
		    strncasecmp(content_type, access_content_type[i], len) == 0) {
			*e = (enum access_encoding)i;
			return true;
		}
	return false;
}
