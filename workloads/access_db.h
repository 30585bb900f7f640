/* SPDX-License-Identifier: Apache-2.0 */
/* access_db - the database of access_users: opened, or made with generated users. */
#ifndef WORKLOADS_ACCESS_DB_H
#define WORKLOADS_ACCESS_DB_H

#include "lib/fail.h"
#include "workloads/access_people.h"

struct sqlite3;

/* As access_users_open() says; *db is to be closed even when this fails. */
int access_db_open(const char *file, int64_t users, struct sqlite3 **db, struct fail *f);

#endif
