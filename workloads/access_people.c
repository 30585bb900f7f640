/* SPDX-License-Identifier: Apache-2.0 */
/* access_people - users and access points from their numbers. */
#include "workloads/access_people.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/rng.h"

#define ROWS(A)   (sizeof(A) / sizeof *(A))
#define FROM_MS   INT64_C(1577836800000) /* 2020-01-01 */
#define UNTIL_MS  INT64_C(2208988800000) /* 2040-01-01 */
#define KEY_SALT  UINT64_C(0x6b657973)
#define DOOR_SALT UINT64_C(0x646f6f72)

static const struct {
	const char *name;
	int clearance, weight; /* of 32 */
} roles[] = {
	{ "nurse", 4, 11 },     { "doctor", 5, 6 },     { "visitor", 1, 5 },  { "cleaner", 2, 4 },
	{ "technician", 3, 3 }, { "pharmacist", 5, 2 }, { "security", 9, 1 },
};

static const char *const departments[] = { "cardiology", "surgery",   "oncology",
					   "pediatrics", "radiology", "facilities" };

static const struct {
	const char *name;
	int security, floor;
} areas[] = {
	{ "hall", 0, 0 },     { "ward-1", 2, 1 },    { "ward-2", 2, 2 },    { "ward-3", 2, 3 },
	{ "ward-4", 2, 4 },   { "theatre-1", 4, 1 }, { "theatre-2", 4, 1 }, { "laboratory", 3, -1 },
	{ "pharmacy", 4, 0 }, { "plant", 3, -2 },
};

static size_t choose_role(struct rng *r)
{
	int at = (int)rng_below(r, 32);
	size_t role = 0;

	while (at >= roles[role].weight)
		at -= roles[role++].weight;
	return role;
}

void access_person(int64_t i, struct access_user *u, bool *revoked)
{
	struct rng r;
	size_t role;

	rng_seed(&r, (uint64_t)i ^ KEY_SALT << 32);
	role = choose_role(&r);
	*u = (struct access_user){ .clearance = roles[role].clearance,
				   .valid_from_ms = FROM_MS,
				   .valid_until_ms = UNTIL_MS };
	snprintf(u->id, sizeof u->id, "U%07" PRId64, i);
	snprintf(u->role, sizeof u->role, "%s", roles[role].name);
	snprintf(u->department, sizeof u->department, "%s",
		 departments[rng_below(&r, ROWS(departments))]);
	snprintf(u->employment, sizeof u->employment, "%s",
		 rng_below(&r, 4) ? "permanent" : "contract");
	snprintf(u->issuer, sizeof u->issuer, "hospital-keys-2026");
	if (rng_below(&r, 8) == 0)
		u->clearance = 1; /* new here */
	*revoked = rng_below(&r, 64) == 0;
	for (size_t k = 0; k < sizeof u->key; k++)
		u->key[k] = (uint8_t)rng_next(&r);
}

void access_door(int64_t i, struct access_point *p, bool *disabled)
{
	static const char *const kinds[] = { "door", "gate", "lift" };
	static const char *const buildings[] = { "east", "west" };
	const size_t area = (size_t)i % ROWS(areas);
	struct rng r;

	rng_seed(&r, (uint64_t)i ^ DOOR_SALT << 32);
	*p = (struct access_point){ .floor = areas[area].floor, .security = areas[area].security };
	snprintf(p->id, sizeof p->id, "P%04" PRId64, i);
	snprintf(p->area, sizeof p->area, "%s", areas[area].name);
	snprintf(p->building, sizeof p->building, "%s", buildings[rng_below(&r, 2)]);
	snprintf(p->kind, sizeof p->kind, "%s", kinds[rng_below(&r, ROWS(kinds))]);
	*disabled = i % 32 == 31;
}
