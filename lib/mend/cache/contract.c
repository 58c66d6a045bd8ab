/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of a file as JSON; include/records.table says what its members mean.
 */
#include "base/json.h"
#include "cache/internal.h"

static void add_or_null(struct npart__buffer *out, const char *key, const char *text)
{
    if (text)
        npart__json_text(out, key, text);
    else
        npart__json_value(out, key, "null");
}

static void add_port(struct npart__buffer *out, const struct npart__port *at)
{
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "name", at->name);
    npart__json_text(out, "role", npart_port_role_text((enum npart_port_role)at->role));
    npart__json_flag(out, "is_output", at->is_output);
    npart__json_flag(out, "is_added", at->is_added);
    npart__json_text(out, "type", npart__type_name(at->element_type));
    if (at->dims) {
        npart__json_open(out, "dims", '[');
        for (uint32_t i = 0; i < at->rank; i++)
            npart__json_number(out, NULL, at->dims[i]);
        npart__json_close(out, ']');
    } else {
        npart__json_value(out, "dims", "null");
    }
    if (at->axis == NPART_NONE)
        npart__json_value(out, "axis", "null");
    else
        npart__json_number(out, "axis", at->axis);
    add_or_null(out, "past", at->past);
    npart__json_number(out, "offset", at->offset);
    npart__json_close(out, '}');
}

const char *npart__cache_text(const struct npart__cache *cache, struct npart__arena *arena)
{
    struct npart__buffer out;
    npart__buffer_init(&out, arena);
    npart__json_open(&out, NULL, '{');
    npart__json_number(&out, "slots", cache->slots);
    npart__json_number(&out, "tokens", cache->tokens);
    npart__json_number(&out, "past", cache->past);
    npart__json_text(&out, "order", npart_slot_order_text((enum npart_slot_order)cache->order));
    npart__json_text(&out, "present", npart_present_text(cache->shifts ? NPART_PRESENT_SHIFT : NPART_PRESENT_NEW));
    npart__json_number(&out, "mask_value", (int64_t)cache->mask_value);
    npart__json_open(&out, "tensors", '[');
    for (uint32_t i = 0; i < cache->port_count; i++)
        add_port(&out, &cache->ports[i]);
    npart__json_close(&out, ']');
    npart__json_close(&out, '}');
    return npart__made_text(&out);
}
