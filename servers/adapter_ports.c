/* SPDX-License-Identifier: Apache-2.0 */
/* adapter_ports - who listens on a port: the kernel's tables of sockets and descriptors. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/usage.h"
#include "servers/adapter_run.h"

#define TREE_MAX        256
#define SOCKETS_MAX     64
#define STATE_LISTENING 0x0a /* TCP_LISTEN, include/net/tcp_states.h of Linux */

struct sockets {
	unsigned long inode[SOCKETS_MAX];
	int count;
};

static void read_table(const char *path, uint16_t port, struct sockets *s)
{
	FILE *in = fopen(path, "re");
	unsigned local_port, state;
	unsigned long inode;
	char line[512];

	while (in && s->count < SOCKETS_MAX && fgets(line, sizeof line, in))
		if (sscanf(line,
			   " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu",
			   &local_port, &state, &inode) == 3 &&
		    local_port == port && state == STATE_LISTENING)
			s->inode[s->count++] = inode;
	if (in)
		fclose(in);
}

static bool is_one_of(const char *link, const struct sockets *s)
{
	unsigned long inode;

	if (sscanf(link, "socket:[%lu]", &inode) != 1)
		return false;
	for (int i = 0; i < s->count; i++)
		if (s->inode[i] == inode)
			return true;
	return false;
}

static bool process_has(pid_t pid, const struct sockets *s)
{
	char path[64], link[64];
	struct dirent *entry;
	bool has = false;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	dir = opendir(path);
	while (dir && !has && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof link - 1);

		link[n > 0 ? n : 0] = '\0';
		has = is_one_of(link, s);
	}
	if (dir)
		closedir(dir);
	return has;
}

bool adapter_listens(pid_t pid, uint16_t port)
{
	struct sockets s = { .count = 0 };
	pid_t tree[TREE_MAX];
	int count;

	read_table("/proc/self/net/tcp", port, &s);
	read_table("/proc/self/net/tcp6", port, &s);
	count = s.count ? usage_tree(pid, tree, TREE_MAX) : 0;
	for (int i = 0; i < count; i++)
		if (process_has(tree[i], &s))
			return true;
	return false;
}
