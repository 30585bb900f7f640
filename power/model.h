/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model - "model:BOARD": CPU time of watched processes times a board's published watts,
 * through a simulated INA219. Always labelled modelled.
 */
#ifndef POWER_MODEL_H
#define POWER_MODEL_H

#include "power/meter.h"

extern const struct meter_ops meter_model;

#endif
