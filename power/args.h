/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args - what stands behind "NAME:" in a METER text: "FIRST,key=value,flag".
 *
 * The meter takes what it knows; what nobody took is refused with the nearest key that was
 * asked for. Errors are sticky in the struct fail given to args_init.
 */
#ifndef POWER_ARGS_H
#define POWER_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fail.h"

#define ARGS_MAX   40
#define ARGS_BYTES 512

struct args {
	char text[ARGS_BYTES];                 /* cut at the commas */
	char *key[ARGS_MAX], *value[ARGS_MAX]; /* value NULL: a flag */
	bool taken[ARGS_MAX];
	int count;
	const char *known[ARGS_MAX + 1]; /* keys asked for: literals, borrowed */
	int known_count;
	struct fail *fail;
};

int args_init(struct args *a, const char *text, struct fail *f);
/* The item without '=' in front, or NULL; "" never. */
const char *args_first(struct args *a);
/* Each leaves *value alone when the key is not there. unit as in lib/units.h. */
bool args_quantity(struct args *a, const char *key, const char *unit, double *value);
bool args_integer(struct args *a, const char *key, int64_t min, int64_t max, int64_t *value);
bool args_duration(struct args *a, const char *key, int64_t *ns);
/* choices ends with NULL; the index. */
bool args_choice(struct args *a, const char *key, const char *const *choices, int *value);
/* A finite number without a unit. */
bool args_real(struct args *a, const char *key, double *value);
bool args_flag(struct args *a, const char *key);
/* The text as it stands, NULL: not given. */
const char *args_text(struct args *a, const char *key);
/* -1 when something was wrong or left over. */
int args_finish(struct args *a);

#endif
