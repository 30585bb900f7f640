/* SPDX-License-Identifier: Apache-2.0 */
/* watch_library - by its name, once in the life of the program. */
#include "results/watch_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define SONAME "libmicrohttpd.so.12" /* of 0.9.x and 1.0 alike */

static int find(void *library, const char *name, void *function, struct fail *f)
{
	void *address = dlsym(library, name);

	if (!address)
		return fail_set(f, ENOTSUP,
				"%s has no %s: it is not the library that this program "
				"was built with; build it again",
				SONAME, name);
	memcpy(function, &address, sizeof(address)); /* a function pointer, as POSIX has it */
	return 0;
}

static int find_all(void *library, struct watch_library *l, struct fail *f)
{
#define FIND(name) || find(library, "MHD_" #name, &l->name, f)
	return 0 WATCH_LIBRARY(FIND) ? -1 : 0;
#undef FIND
}

const struct watch_library *watch_library(struct fail *f)
{
	static struct watch_library loaded;
	static void *library;

	if (library)
		return &loaded;
	library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fail_set(f, ENOTSUP,
			 "%s: install libmicrohttpd12 (Debian 13: libmicrohttpd12t64); "
			 "`cipherwatt report` works meanwhile, also of a campaign that "
			 "is running",
			 dlerror());
		return NULL;
	}
	if (!find_all(library, &loaded, f))
		return &loaded;
	dlclose(library);
	library = NULL;
	return NULL;
}
