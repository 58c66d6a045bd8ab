/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/operators.h"
#include "schema/schema.h"

static const struct npart__traits all[] = {
#define TRAITS(domain, name, from, buffer, branch, computes, constants, ...)                                           \
    {domain, name, 0, NPART__ELEMENTS_##from, NPART__BUFFER_##buffer, NPART__BRANCH_##branch,                          \
     NPART__COMPUTES_##computes, constants, __VA_ARGS__},
#include "operator_traits.def"
};

const struct npart__traits *npart__operator_traits(const char *domain, const char *name)
{
    static const struct npart__traits unknown = {.domain = "", .name = "", .constants = NPART_NONE};
    const struct npart__traits *found = NPART__LAST_ROW(all, domain, name, 0);
    return found ? found : &unknown;
}
