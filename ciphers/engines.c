/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engines - the list of engines that this program was built with.
 *
 * With credential.c the only place that asks which libraries there are.
 */
#include <string.h>

#include "ciphers/engine.h"

const struct engine_ops *const engines[] = {
	&engine_null,
#ifdef WITH_OPENSSL
	&engine_openssl,
#endif
#ifdef WITH_WOLFSSL
	&engine_wolfssl,
#endif
	NULL,
};

const struct engine_ops *engine_by_name(const char *name)
{
	for (int i = 0; engines[i]; i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}

void engines_begin(void)
{
	for (int i = 0; engines[i]; i++)
		if (engines[i]->begin)
			engines[i]->begin();
}

const struct engine_ops *engine_default(void)
{
	return engines[1] ? engines[1] : engines[0];
}
