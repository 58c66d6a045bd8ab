/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime: the products that do something with a model by themselves, each a folder and a row.
 */
#ifndef NPART_RUNTIME_H
#define NPART_RUNTIME_H

#include "partition/product.h"

/* Ended by a row without a name. */
extern const struct npart__product npart__products[];

#endif
