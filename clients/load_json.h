/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_json - a run's figures as the one cell object of the contract (docs/design.md), and
 * the same values as text for people: the text is written from the JSON, so they agree.
 */
#ifndef CLIENTS_LOAD_JSON_H
#define CLIENTS_LOAD_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "clients/load.h"

/* A new reference, or NULL: no memory. Every option of p is in it under "asked". */
json_t *load_json(const struct load_params *p, const struct load_result *r);

/* "asked" alone: every option, default or not. */
json_t *load_asked_json(const struct load_params *p);
/* "page" and its like, or null. */
json_t *load_workload_json(const struct load_params *p);
/* This machine and the engine. */
json_t *load_environment_json(const struct load_params *p);

/* null where it is no number. */
json_t *load_real_json(double value);
/* Percentiles of one histogram, in microseconds. */
json_t *load_latency_json(const struct hist *h);
/* load_json_datagrams.c. Response times by class, fairness, datagrams, Californium's summary: keys
 * of cell. */
void load_json_classes(json_t *cell, const struct load_params *p, const struct load_result *r);
/* The settings of datagrams, or null. */
json_t *load_asked_datagrams_json(const struct load_params *p);

/* A table; cell is what load_json() gave. */
void load_text(const json_t *cell, FILE *out);

#endif
