/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that a session's constants have.
 */
#include "session/session.h"

bool npart__constant_number(const struct npart__session *session, uint32_t value, double *number)
{
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(session->inference, value);
    uint64_t elements;
    if (!fact || !session->is_constant[value] || !npart__static_elements(fact, &elements) || elements != 1)
        return false;
    if (fact->tensor) /* of a whole number that a double cannot hold nothing is asked that it could get wrong */
        return npart__tensor_doubles(fact->tensor, number, 1);
    const struct npart__known *known = fact->known;
    if (!known || known->count != 1 || (known->ints && !npart__is_number(known->ints[0])))
        return false;
    *number = known->ints ? (double)known->ints[0] : known->doubles[0];
    return true;
}
