/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_people - generated users and access points of a hospital: the same for the same
 * number on every machine, so that a client and a server agree without a word.
 */
#ifndef WORKLOADS_ACCESS_PEOPLE_H
#define WORKLOADS_ACCESS_PEOPLE_H

#include "workloads/access_message.h"

#define ACCESS_POINTS 64

/* User number i, from 0; *revoked: one in 64. */
void access_person(int64_t i, struct access_user *u, bool *revoked);
/* Access point number i, from 0; one in 32 is *disabled. */
void access_door(int64_t i, struct access_point *p, bool *disabled);

#endif
