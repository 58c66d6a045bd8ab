/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": ends of messages about a name that is none, where one that is there looks like it. Nothing is said of
 * names that are far from it. Texts live as long as the tokens of the list.
 */
#include "oplist/parse.h"

/* Names are kept by the search, and those of the schema end nowhere. */
static void offer(struct npart__parser *parser, struct npart__nearest *nearest, const char *name, size_t length)
{
    const char *copy = npart__arena_copy_text(&parser->tokens_arena, name, length);
    if (copy)
        npart__nearest_offer(nearest, copy);
}

static const char *hint(struct npart__parser *parser, const struct npart__nearest *nearest)
{
    char names[NPART__HINT_BYTES];
    if (!npart__nearest_names(nearest, names, sizeof names))
        return "";
    const char *made = npart__arena_format(&parser->tokens_arena, "; did you mean %s?", names);
    return made ? made : "";
}

/* Of that domain, as it is to be written; and the standard's own, where it is of that name. */
const char *npart__hint_operator(struct npart__parser *parser, const char *domain, const char *name)
{
    struct npart__nearest nearest;
    size_t count;
    npart__nearest_init(&nearest, name, strlen(name));
    if (*domain && npart__operator_versions("", name, &count))
        npart__nearest_offer(&nearest, name);
    for (size_t i = 0; i < npart__operator_count(); i++) {
        const struct npart__operator *op = npart__operator_at(i);
        bool is_first = i == 0 || strcmp(npart__operator_at(i - 1)->name, op->name) != 0;
        if (!is_first || strcmp(op->domain, domain) != 0)
            continue;
        const char *shown = *domain ? npart__arena_format(&parser->tokens_arena, "%s:%s", domain, op->name) : op->name;
        if (shown)
            npart__nearest_offer_as(&nearest, op->name, shown);
    }
    return hint(parser, &nearest);
}

const char *npart__hint_attribute(struct npart__parser *parser, const char *domain, const char *op, const char *name)
{
    struct npart__nearest nearest;
    size_t count;
    const struct npart__operator *versions = npart__operator_versions(domain, op, &count);
    npart__nearest_init(&nearest, name, strlen(name));
    for (size_t i = 0; i < count; i++) {
        const char *at = NULL, *found;
        size_t length;
        bool is_required;
        while (npart__operator_next_attribute(&versions[i], &at, &found, &length, &is_required))
            offer(parser, &nearest, found, length);
    }
    return hint(parser, &nearest);
}

const char *npart__hint_operand(struct npart__parser *parser, const struct npart__operator *op, const char *name)
{
    struct npart__operand operand;
    struct npart__nearest nearest;
    npart__nearest_init(&nearest, name, strlen(name));
    for (unsigned i = 0; npart__operator_input(op, i, &operand); i++) {
        offer(parser, &nearest, operand.name, operand.name_length);
        if (operand.is_variadic)
            break;
    }
    for (unsigned i = 0; npart__operator_output(op, i, &operand); i++) {
        offer(parser, &nearest, operand.name, operand.name_length);
        if (operand.is_variadic)
            break;
    }
    return hint(parser, &nearest);
}

const char *npart__hint_type(struct npart__parser *parser, const char *name)
{
    struct npart__nearest nearest;
    npart__nearest_init(&nearest, name, strlen(name));
    for (int i = 1; i < NPART__TYPE_NUMBERS; i++)
        npart__nearest_offer(&nearest, npart__type_name(i));
    return hint(parser, &nearest);
}

const char *npart__hint_define(struct npart__parser *parser, const char *name)
{
    struct npart__nearest nearest;
    npart__nearest_init(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < parser->defines.count; i++)
        if (parser->defines.items[i].is_rules)
            npart__nearest_offer(&nearest, parser->defines.items[i].name);
    return hint(parser, &nearest);
}
