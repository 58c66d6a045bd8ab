/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that the library treats in a way of their own, by role and not by name: so that the
 * stages that ask name none (`make check-structure`).
 */
#include "release/release.h"

/* The operators of a role, up to NULL. The second inclusion gives each list its place, so that a role which is added
 * needs no code. */
static const char *const *operators_of(enum npart__role role)
{
#define ROLE(name, ...) static const char *const name[] = {__VA_ARGS__, NULL};
#include "operator_roles.def"
    static const char *const *const roles[] = {
#define ROLE(name, ...) [NPART__ROLE_##name] = name,
#include "operator_roles.def"
    };
    return roles[role];
}

const char *npart__role_op(enum npart__role role)
{
    return operators_of(role)[0];
}

/* Lists are short, and most names differ in the first letter. */
bool npart__op_plays(const char *op, enum npart__role role)
{
    const char *const *at = operators_of(role);
    while (*at && !npart__same_text(*at, op))
        at++;
    return *at != NULL;
}
