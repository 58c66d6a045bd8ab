/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that the library treats in a way of their own, by role and not by name: so that the
 * stages that ask name none (`make check-structure`).
 */
#include "runtime/runtime.h"

/* Lists are short, and most names differ in the first letter. The second inclusion gives each list its place, so
 * that a role which is added needs no code. */
bool npart__op_plays(const char *op, enum npart__role role)
{
#define ROLE(name, ...) static const char *const name[] = {__VA_ARGS__, NULL};
#include "runtime/roles.def"
    static const char *const *const roles[] = {
#define ROLE(name, ...) [NPART__ROLE_##name] = name,
#include "runtime/roles.def"
    };
    const char *const *at = roles[role];
    while (*at && !npart__same_text(*at, op))
        at++;
    return *at != NULL;
}
