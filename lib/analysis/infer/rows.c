/* SPDX-License-Identifier: Apache-2.0 */
#include "infer/families.h"

const struct npart__infer_row npart__infer_rows[] = {
#define ROW(domain, name, since, function, parameter, ...)                                                             \
    {domain, name, since, npart__infer_##function, parameter, NULL},
#define LATER ROW
#define PATTERN(domain, name, since, text, ...) {domain, name, since, npart__infer_pattern, 0, text},
#include "operator_rows.def"
};

const size_t npart__infer_row_count = NPART__COUNT(npart__infer_rows);
