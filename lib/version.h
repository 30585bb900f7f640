/* SPDX-License-Identifier: Apache-2.0 */
/* version - the one string that lands in every record: "0.1.0+GITHASH". */
#ifndef LIB_VERSION_H
#define LIB_VERSION_H

extern const char cipherwatt_version[];

#endif
