/* SPDX-License-Identifier: Apache-2.0 */
/*
 * player - plays the part of a power monitor on the kernel's i2c-stub, which only holds
 * registers: it clears the reset bit, puts the power-on values back, and "converts" by
 * writing the same values again with the ready flag.
 *
 *	player play BUS ADDRESS RESET_VALUE [r]REGISTER=VALUE...   until killed
 *	player set BUS ADDRESS REGISTER=VALUE...                   once
 *	player get BUS ADDRESS REGISTER                            a word, as the chip means it
 *	player byte BUS ADDRESS                                    without a register
 *	player nobody COMMAND...                                   as a user without rights
 *
 * Values are as the chip sends them, high byte first. With "r" in front a register is
 * cleared by a reset and then left to the reader. Built by scripts/check-kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <i2c/smbus.h>

#define RESET     0x8000
#define PERIOD_NS 300000
#define NOBODY    65534

static int open_chip(const char *bus, const char *address)
{
	int fd = open(bus, O_RDWR | O_CLOEXEC);

	/* By force: a driver may be bound. */
	if (fd < 0 || ioctl(fd, I2C_SLAVE_FORCE, strtol(address, NULL, 0)) < 0) {
		perror(bus);
		exit(1);
	}
	return fd;
}

static uint16_t swap(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

static void put(int fd, uint8_t reg, uint16_t val)
{
	if (i2c_smbus_write_word_data(fd, reg, swap(val)) < 0) {
		perror("player: write");
		exit(1);
	}
}

static uint16_t get(int fd, uint8_t reg)
{
	int32_t word = i2c_smbus_read_word_data(fd, reg);

	if (word < 0) {
		perror("player: read");
		exit(1);
	}
	return swap((uint16_t)word);
}

static void put_pair(int fd, const char *pair)
{
	char *end;
	long reg = strtol(pair, &end, 0);

	put(fd, (uint8_t)reg, (uint16_t)strtol(end + 1, NULL, 0));
}

static void power_on(int fd, uint16_t reset, int count, char **pairs)
{
	static const uint8_t identities[] = { 0x3E, 0x3F, 0xFE, 0xFF };

	/* The stub remembers who was played before. */
	for (size_t i = 0; i < sizeof identities; i++)
		put(fd, identities[i], 0);
	for (int i = 0; i < count; i++)
		if (pairs[i][0] == 'r')
			put_pair(fd, pairs[i] + 1);
	put(fd, 0, reset);
}

static void convert(int fd, int count, char **pairs)
{
	for (int i = 0; i < count; i++)
		if (pairs[i][0] != 'r')
			put_pair(fd, pairs[i]);
}

static void play(int fd, uint16_t reset, int count, char **pairs)
{
	const struct timespec period = { 0, PERIOD_NS };

	power_on(fd, reset, count, pairs);
	for (;;) {
		/* A plain memory keeps the reset bit: that is the player's cue. */
		if (get(fd, 0) & RESET && !(reset & RESET))
			power_on(fd, reset, count, pairs);
		convert(fd, count, pairs);
		nanosleep(&period, NULL);
	}
}

static int as_nobody(char **command)
{
	if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
		perror("player: nobody");
		return 1;
	}
	execvp(command[0], command);
	perror(command[0]);
	return 1;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (argc > 2 && strcmp(verb, "nobody") == 0)
		return as_nobody(argv + 2);
	if (argc > 4 && strcmp(verb, "play") == 0)
		play(open_chip(argv[2], argv[3]), (uint16_t)strtol(argv[4], NULL, 0), argc - 5,
		     argv + 5);
	if (argc > 4 && strcmp(verb, "set") == 0)
		convert(open_chip(argv[2], argv[3]), argc - 4, argv + 4);
	else if (argc == 5 && strcmp(verb, "get") == 0)
		printf("0x%04x\n",
		       get(open_chip(argv[2], argv[3]), (uint8_t)strtol(argv[4], NULL, 0)));
	else if (argc == 4 && strcmp(verb, "byte") == 0)
		printf("0x%02x\n", (unsigned)i2c_smbus_read_byte(open_chip(argv[2], argv[3])));
	else {
		fprintf(stderr, "usage: see the head of tests/kernel/player.c\n");
		return 2;
	}
	return 0;
}
