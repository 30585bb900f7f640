/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/version.h"

const char cipherwatt_version[] = CIPHERWATT_VERSION;
