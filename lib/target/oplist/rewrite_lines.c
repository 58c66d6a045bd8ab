/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of rewrites (docs/inside/rewrites.md): what is replaced is a pattern, as in pattern_lines.c, with rules; what
 * comes in its place is an expression over the pattern's names.
 *
 *   expression = OP "(" [ item { "," item } ] ")" | NODE "(" [ item { "," item } ] ")" | NAME | NODE "." OPERAND | "*"
 *              | ".." | numbers ( "of" expression | "as" TYPE ) | "if" "(" condition "," expression "," expression ")"
 *              | "view" "(" expression "," number { "," number } ")" | "scalar" "(" expression ")"
 *   item       = expression | ATTRIBUTE "=" ( value | NODE "." ATTRIBUTE [ "given" ] | "*" )
 *   numbers    = number | ( "vector" | "row" ) "(" number { "," number } ")"
 *
 * NODE is the name of a let, or `root`. Numbers are calculated as in conditions, and ask the last node.
 */
#include <math.h>
#include <stdio.h>

#include "oplist/parse.h"

/* Places in these lists are kept by rewrites (npart__rewriting), and phases are gone through in this order
 * (lib/change/fix). */
const char *const npart__phase_words[] = {"file", "inline", "fold", "branch", "where", "shape",
                                          "one",  "unfuse", "mask", "rank",   NULL};

/* ---- the rewrite ------------------------------------------------------------------------------------------- */

/* The list holds rewrites, and no target. A list of one kind has no lines of the other, so it
 * stands before all else. Reading goes on with other keywords from here (read_list in sections.c). */
void npart__line_rewrites(struct npart__parser *parser, const struct npart__value *is)
{
    if (*parser->oplist->name || parser->include_depth)
        npart__parse_fail(parser, 1, "a list holds rewrites or a target");
    parser->oplist->name = is[0].text;
    parser->oplist->is_rewrites = true;
}

/* Rules of a form are those of its pattern; a form begins without any, also where the one before had some. The
 * anchor is the last node until an `at` line names another. */
static void begin_form(struct npart__parser *parser)
{
    const struct npart__rewriting *rewrite = parser->rewrite;
    *parser->form = (struct npart__rewrite_form){.equality = rewrite->equality, .anchor = NPART__ROOT_NAME};
    parser->form->pattern = (struct npart__pattern){.name = rewrite->id,
                                                    .line = parser->now.line,
                                                    .unit_rule = NPART_NONE,
                                                    .first_rule = parser->oplist->rules.count};
    parser->pattern = &parser->form->pattern;
    parser->first_rule = parser->pattern->first_rule;
    parser->first_selector = parser->oplist->selectors.count;
}

/* What the form lacks is told at the line where it begins. A `make` that nothing uses is a mistake in one of
 * the lines. */
static void end_form(struct npart__parser *parser)
{
    struct npart__rewrite_form *form = parser->form;
    /* `put` asks for a `match`, so a form has neither or both. */
    if (!form->function || form->pattern.match_count)
        npart__end_pattern(parser);
    parser->now.line = form->pattern.line;
    if (form->function && (form->pattern.match_count || form->pattern.name_count))
        npart__parse_fail(parser, 1, "rewrite %s: what a rewrite does is said once a form", parser->rewrite->id);
    if (form->put_count == 0 && !form->function)
        npart__parse_fail(parser, 1, "rewrite %s: it has no put line", parser->rewrite->id);
    for (uint32_t i = 0; i < form->make_count; i++)
        if (!form->makes[i].is_used)
            npart__parse_fail(parser, 1, "rewrite %s: %s is never used", parser->rewrite->id, form->makes[i].text);
    NPART__KEEP(parser, &parser->oplist->forms, *form);
    parser->rewrite->form_count = parser->oplist->forms.count - parser->rewrite->first_form;
}

/* Ids are what users give with `--only` and what reports print, so each stands once. One with a mistake is not kept.
 * Its forms are kept one by one as they end (end_form), also those before a mistake: the list is not used then. */
void npart__line_rewrite(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__rewriting rewrite = {.id = is[0].text,
                                       .phase = (uint8_t)is[1].index,
                                       .equality = (uint8_t)is[2].index,
                                       .enables = is[3].token,
                                       .argument = is[4].text,
                                       .source = is[5].text ? is[5].text : parser->default_source,
                                       .caveat = "",
                                       .first_form = oplist->forms.count,
                                       .line = parser->now.line};
    struct npart__rewrite_form form;
    uint32_t mistakes = parser->mistakes;
    for (uint32_t i = 0; i < oplist->rewrites.count; i++)
        if (strcmp(oplist->rewrites.items[i].id, rewrite.id) == 0)
            npart__parse_fail(parser, is[0].token->column, "rewrite %s is there twice (line %u)", rewrite.id,
                              oplist->rewrites.items[i].line);
    if (oplist->rewrites.count == NPART__LIMIT_PATTERNS)
        npart__parse_fail(parser, 1, "more than %u rewrites", NPART__LIMIT_PATTERNS);
    if (parser->status != NPART_OK)
        return;
    /* cppcheck-suppress autoVariables ; taken away again below */
    parser->rewrite = &rewrite;
    parser->form = &form; /* cppcheck-suppress autoVariables ; the same */
    begin_form(parser);
    npart__read_block(parser);
    if (parser->mistakes == mistakes)
        end_form(parser);
    parser->rewrite = NULL;
    parser->form = NULL;
    parser->pattern = NULL;
    if (parser->mistakes == mistakes)
        NPART__KEEP(parser, &oplist->rewrites, rewrite);
}

/* The form before is complete here, and checked. A class that is not said again is the rewrite's, not that of the form
 * before. */
void npart__line_or(struct npart__parser *parser, const struct npart__value *is)
{
    uint32_t mistakes = parser->mistakes, line = parser->now.line;
    end_form(parser);
    parser->now.line = line;
    if (parser->status != NPART_OK || parser->mistakes > mistakes)
        return;
    begin_form(parser);
    if (is[0].token)
        parser->form->equality = (uint8_t)is[0].index;
}

/* By where it stands: before the first match it is of the whole rewrite. A later line of the same place takes the
 * place of an earlier one. */
void npart__line_caveat(struct npart__parser *parser, const struct npart__value *is)
{
    if (parser->form->pattern.match_count)
        parser->form->caveat = is[0].text;
    else
        parser->rewrite->caveat = is[0].text;
}

/* The form has no pattern. */
void npart__line_by_fix(struct npart__parser *parser, const struct npart__value *is)
{
    (void)is;
    if (parser->form->function || parser->form->pattern.match_count)
        npart__parse_fail(parser, 1, "what a rewrite does is said once a form");
    parser->form->function = parser->form->ops = "";
}

/* Which functions there are lib/change/rewrite knows. */
void npart__line_by_function(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__buffer ops = {.arena = parser->arena};
    npart__line_by_fix(parser, is);
    npart__append_text(&ops, is[1].token ? "*" : "");
    for (uint32_t i = 0; i < is[2].count; i++)
        npart__append_format(&ops, "%s%s", i ? " " : "", is[2].token[i].word->text);
    if (!is[1].token == !is[2].count)
        npart__parse_fail(parser, npart__peek(parser)->column, "expected an op, or *, found %s",
                          npart__peek(parser)->word->text);
    parser->form->function = is[0].text;
    parser->form->ops = npart__parse_text(parser, npart__made_text(&ops));
}

/* ---- nodes of the match ------------------------------------------------------------------------------------ */

/* The part that is the last node of a match: that of its let, where it is a name. */
static const struct npart__pattern_part *root_part(const struct npart__parser *parser, uint32_t match)
{
    const struct npart__pattern *pattern = parser->pattern;
    const struct npart__pattern_part *parts = parser->oplist->pattern_parts.items;
    const struct npart__pattern_part *part = &parts[pattern->matches[match]];
    return part->kind == NPART__PATTERN_NAME ? &parts[pattern->names[part->name].part] : part;
}

/* As if the op had an entry of all versions, so that its operands and attributes are looked up as those of an `op`
 * line. */
static struct npart__op_entry entry_of(const struct npart__pattern_part *part)
{
    return (struct npart__op_entry){
        .domain = part->domain, .name = part->op, .first_version = 1, .last_version = INT32_MAX};
}

/* Several matches of different last ops have no common root that rules could ask about: then there is none. */
bool npart__root_op(const struct npart__parser *parser, struct npart__op_entry *out)
{
    if (parser->pattern->match_count == 0)
        return false;
    const struct npart__pattern_part *root = root_part(parser, 0);
    for (uint32_t i = 1; i < parser->pattern->match_count; i++) {
        const struct npart__pattern_part *other = root_part(parser, i);
        if (strcmp(root->op, other->op) != 0 || strcmp(root->domain, other->domain) != 0)
            return false;
    }
    *out = entry_of(root);
    return true;
}

/* The op of `root` or of a let by `length` letters of its name. False for a free name, which stands for a value and
 * not for a node. */
static bool find_node(const struct npart__parser *parser, const char *text, size_t length, uint32_t *name,
                      struct npart__op_entry *op)
{
    const struct npart__pattern *pattern = &parser->form->pattern;
    *name = NPART__ROOT_NAME;
    if (length == 4 && memcmp(text, "root", 4) == 0)
        return npart__root_op(parser, op);
    for (uint32_t i = 0; i < pattern->name_count; i++) {
        const char *own = pattern->names[i].text;
        if (pattern->names[i].part == NPART_NONE || strlen(own) != length || memcmp(own, text, length) != 0)
            continue;
        *name = i;
        *op = entry_of(&parser->oplist->pattern_parts.items[pattern->names[i].part]);
        return true;
    }
    return false;
}

/* The index of the `make` line of that name, or NPART_NONE; by letters, as a dot and a result may follow. */
static uint32_t find_make(const struct npart__parser *parser, const char *text, size_t length)
{
    for (uint32_t i = 0; i < parser->form->make_count; i++)
        if (strlen(parser->form->makes[i].text) == length && memcmp(parser->form->makes[i].text, text, length) == 0)
            return i;
    return NPART_NONE;
}

/* An operand of a node by its name, as conditions name it. The one reader of operands takes tokens, so the name is
 * given to it as a range of one. */
static uint32_t select_operand(struct npart__parser *parser, struct npart__op_entry op, const char *text,
                               uint64_t column)
{
    const struct npart__token name[2] = {{npart__word_of(parser, NPART__TOKEN_WORD, text, strlen(text)), column},
                                         {parser->words.end, column}};
    const struct npart__reading before = parser->now;
    struct npart__op_entry *outer = parser->op;
    npart__ask_of(parser, &op);
    parser->now.range = (struct npart__range){name, 1};
    parser->now.at = 0;
    uint32_t selector = npart__parse_selector(parser);
    parser->now = before;
    npart__ask_of(parser, outer);
    return selector;
}

/* ---- expressions ------------------------------------------------------------------------------------------- */

static uint32_t parse_put(struct npart__parser *parser, unsigned depth);

/* 0 is a part, a name and a term. */
static struct npart__put_part blank_part(enum npart__put_kind kind)
{
    return (struct npart__put_part){.kind = (uint8_t)kind, .domain = "", .op = "", .like = NPART_NONE,
                                    .name = NPART_NONE, .selector = NPART_NONE, .condition = NPART_NONE,
                                    .argument = NPART_NONE, .next = NPART_NONE, .attribute = NPART_NONE};
}

static uint32_t add_part(struct npart__parser *parser, struct npart__put_part part)
{
    return NPART__ADD(parser, &parser->oplist->put_parts, part);
}

/* A number, or `inf`, which conditions do not have. Masks are made of it. */
static uint32_t take_number(struct npart__parser *parser)
{
    const struct npart__token *token = npart__peek(parser);
    bool is_negative = npart__next_is(parser, NPART__TOKEN_MARK, "-");
    /* There is a token after a minus: a range ends with one of kind END. */
    if (strcmp(token[is_negative].word->text, "inf") != 0)
        return npart__parse_number(parser);
    parser->now.at += 1u + is_negative;
    struct npart__term infinite = npart__blank_term(NPART__TERM_NUMBER);
    infinite.op = 1;
    infinite.word = "inf";
    infinite.real = is_negative ? -INFINITY : INFINITY;
    return npart__new_term(parser, infinite);
}

/* `(a, b, c)` after `opening`, or one number without parentheses. Numbers of a constant or an attribute follow one
 * another. No number asks for others while it is read, so those of one list are a range of put_numbers. */
static void take_numbers(struct npart__parser *parser, const char *opening, uint32_t *first, uint32_t *count)
{
    bool is_list = opening != NULL;
    *first = parser->oplist->put_numbers.count;
    *count = 0;
    if (is_list && !npart__need(parser, NPART__TOKEN_MARK, opening, opening))
        return;
    do {
        uint32_t term = take_number(parser);
        NPART__KEEP(parser, &parser->oplist->put_numbers, term);
        ++*count;
    } while (is_list && npart__accept(parser, NPART__TOKEN_MARK, ","));
    if (is_list)
        (void)npart__need(parser, NPART__TOKEN_MARK, ")", ", or )");
}

/* `0 of x`, `vector(0, rank(x)) as int64`: a constant with the type of another value, or with this one. The type
 * is not known when the list is read, only when a match is at hand: `of` says where to take it from. */
static uint32_t parse_constant(struct npart__parser *parser, unsigned depth)
{
    struct npart__put_part part = blank_part(NPART__PUT_NUMBERS);
    part.rank = npart__accept(parser, NPART__TOKEN_WORD, "vector")  ? 1
                : npart__next_is(parser, NPART__TOKEN_WORD, "row") ? 2 : 0;
    parser->now.at += part.rank == 2;
    take_numbers(parser, part.rank ? "(" : NULL, &part.first_number, &part.number_count);
    if (npart__accept(parser, NPART__TOKEN_WORD, "of")) {
        part.like = parse_put(parser, depth + 1);
        const struct npart__put_part *like =
            part.like == NPART_NONE ? NULL : &parser->oplist->put_parts.items[part.like];
        if (like && like->kind != NPART__PUT_VALUE && like->kind != NPART__PUT_OPERAND)
            npart__parse_fail(parser, npart__peek(parser)->column, "the type is that of a value of the match");
        return add_part(parser, part);
    }
    if (!npart__need(parser, NPART__TOKEN_WORD, "as", "of and a name, or as and a type"))
        return NPART_NONE;
    const struct npart__token *type = npart__expect(parser, NPART__TOKEN_WORD, "an element type");
    part.element_type = type ? (uint8_t)npart__type_number(type->word->text, strlen(type->word->text)) : 0;
    if (type && !part.element_type)
        npart__parse_fail(parser, type->column, "%s is no element type%s", type->word->text,
                          npart__hint_type(parser, type->word->text));
    return add_part(parser, part);
}

/* `x`, `quantized.1`, `root.bias`: a value of the match, or what is made. A digit after the dot is a result, a
 * word an operand. What is made comes before what is matched, though no name is both (npart__line_make). */
static uint32_t parse_name(struct npart__parser *parser)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a name");
    struct npart__put_part part = blank_part(NPART__PUT_VALUE);
    struct npart__op_entry op;
    if (!token)
        return NPART_NONE;
    const char *dot = strrchr(token->word->text, '.');
    size_t length = dot ? (size_t)(dot - token->word->text) : strlen(token->word->text);
    /* One digit: a node of ten results or more is named in no rewrite. */
    bool is_result = dot && dot[1] >= '0' && dot[1] <= '9' && !dot[2];
    uint32_t make = find_make(parser, token->word->text, length), name;
    part.output = is_result ? (uint8_t)(dot[1] - '0') : 0;
    if (make != NPART_NONE && (!dot || is_result)) {
        part.kind = NPART__PUT_MADE;
        part.name = make;
        parser->form->makes[make].is_used = true;
        /* A node is made with as many results as are asked for. */
        if (parser->form->makes[make].results <= part.output)
            parser->form->makes[make].results = (uint8_t)(part.output + 1);
        return add_part(parser, part);
    }
    if (find_node(parser, token->word->text, length, &name, &op)) {
        part.name = name;
        part.kind = dot && !is_result ? NPART__PUT_OPERAND : NPART__PUT_VALUE;
        if (part.kind == NPART__PUT_OPERAND)
            part.selector = select_operand(parser, op, dot + 1, token->column);
        return add_part(parser, part);
    }
    part.name = dot ? NPART_NONE : npart__find_pattern_name(parser, token->word->text);
    if (part.name == NPART_NONE)
        npart__parse_fail(parser, token->column, "%s is no name of the rewrite", token->word->text);
    return add_part(parser, part);
}

/* if(CONDITION, THIS, THAT) The condition is asked when the match is replaced, of its last node. */
static uint32_t parse_choice(struct npart__parser *parser, unsigned depth)
{
    struct npart__put_part part = blank_part(NPART__PUT_CHOICE);
    parser->now.at += 2;
    part.condition = npart__parse_condition(parser);
    (void)npart__need(parser, NPART__TOKEN_MARK, ",", ", and an expression");
    part.argument = parse_put(parser, depth + 1);
    (void)npart__need(parser, NPART__TOKEN_MARK, ",", ", and an expression");
    uint32_t other = parse_put(parser, depth + 1);
    (void)npart__need(parser, NPART__TOKEN_MARK, ")", ")");
    if (parser->status == NPART_OK)
        parser->oplist->put_parts.items[part.argument].next = other;
    return add_part(parser, part);
}

/* view(NEW, DIM, ...) and scalar(NEW), which has no dims. */
static uint32_t parse_view(struct npart__parser *parser, bool has_dims, unsigned depth)
{
    struct npart__put_part part = blank_part(NPART__PUT_VIEW);
    parser->now.at += 2;
    part.argument = parse_put(parser, depth + 1);
    if (has_dims)
        take_numbers(parser, ",", &part.first_number, &part.number_count);
    else
        (void)npart__need(parser, NPART__TOKEN_MARK, ")", ")");
    return add_part(parser, part);
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* What the attribute is in any version of the op, the newest first: older ones have axes that are operands now. False:
 * the standard has the op, and not with this attribute. An op that the standard does not know has whatever
 * attributes the list gives it. */
static bool find_kind(const struct npart__put_part *node, const char *name, char *kind)
{
    struct npart__attribute_schema schema;
    size_t count;
    const struct npart__operator *versions = npart__operator_versions(node->domain, node->op, &count);
    bool is_known = count > 0;
    *kind = 0;
    while (count-- > 0) {
        if (!npart__operator_attribute(&versions[count], name, strlen(name), &schema))
            continue;
        *kind = schema.kind;
        return true;
    }
    return !is_known;
}

/* ATTRIBUTE "=" ...; its index. In a copy `results` is no attribute but how many results the new node has, and `*`
 * leaves an attribute out. */
static uint32_t parse_attribute(struct npart__parser *parser, const struct npart__put_part *node)
{
    const struct npart__token *name = npart__expect(parser, NPART__TOKEN_WORD, "an attribute");
    struct npart__put_attribute attribute = {
        .name = name ? name->word->text : "", .from = NPART_NONE, .next = NPART_NONE};
    if (!name)
        return NPART_NONE;
    /* The caller has seen it. */
    parser->now.at++; /* = */
    bool is_copy = node->kind == NPART__PUT_COPY, is_count = is_copy && strcmp(name->word->text, "results") == 0;
    if (is_count)
        attribute.kind = 'r';
    else if (!find_kind(node, name->word->text, &attribute.kind))
        npart__parse_fail(parser, name->column, "%s has no attribute %s%s", node->op, name->word->text,
                          npart__hint_attribute(parser, node->domain, node->op, name->word->text));
    const struct npart__token *value = npart__peek(parser);
    const char *dot = value->word->kind == NPART__TOKEN_WORD ? strrchr(value->word->text, '.') : NULL;
    struct npart__op_entry op;
    if (is_copy && npart__accept(parser, NPART__TOKEN_MARK, "*")) {
        attribute.kind = '*';
    /* `axis = softmax.axis`: what the matched node has, or its operator's default. */
    } else if (dot && find_node(parser, value->word->text, (size_t)(dot - value->word->text), &attribute.from, &op)) {
        const struct npart__put_part from = {.domain = op.domain, .op = op.name};
        char kind;
        attribute.copied = dot + 1;
        if (!find_kind(&from, dot + 1, &kind))
            npart__parse_fail(parser, value->column, "%s has no attribute %s%s", op.name, dot + 1,
                              npart__hint_attribute(parser, op.domain, op.name, dot + 1));
        parser->now.at++;
        attribute.is_given = npart__accept(parser, NPART__TOKEN_WORD, "given");
    } else {
        /* By the schema's kind: a list stands in parentheses. */
        bool is_list = attribute.kind == 'I' || attribute.kind == 'F';
        take_numbers(parser, is_list ? "(" : NULL, &attribute.first_number, &attribute.number_count);
    }
    return NPART__ADD(parser, &parser->oplist->put_attributes, attribute);
}

/* No version of the op takes as many. By the newest version: operands have only been added. A variadic operand takes
 * any number. Operands that were left out by `*` count, as they have a place. */
static bool has_too_many(const struct npart__put_part *node, uint32_t operands)
{
    struct npart__operand operand;
    size_t count;
    const struct npart__operator *versions = npart__operator_versions(node->domain, node->op, &count);
    if (count == 0 || operands == 0)
        return false;
    if (npart__operator_input(&versions[count - 1], operands - 1, &operand))
        return false;
    for (unsigned i = 0; npart__operator_input(&versions[count - 1], i, &operand); i++)
        if (operand.is_variadic)
            return false;
    return true;
}

/* Operands and attributes, in any order, up to the closing parenthesis. Links are made by index, since the arrays
 * move while parts are added. Operands and attributes have a chain each. */
static void parse_items(struct npart__parser *parser, struct npart__put_part *node, unsigned depth)
{
    uint32_t last = NPART_NONE, last_attribute = NPART_NONE, operands = 0;
    uint64_t column = npart__peek(parser)->column;
    if (npart__accept(parser, NPART__TOKEN_MARK, ")"))
        return;
    do {
        const struct npart__token *token = npart__peek(parser);
        bool is_attribute = token->word->kind == NPART__TOKEN_WORD && token[1].word->kind == NPART__TOKEN_MARK &&
                            strcmp(token[1].word->text, "=") == 0;
        uint32_t item = is_attribute ? parse_attribute(parser, node) : parse_put(parser, depth + 1);
        if (parser->status != NPART_OK)
            return;
        if (is_attribute) {
            if (last_attribute == NPART_NONE)
                node->attribute = item;
            else
                parser->oplist->put_attributes.items[last_attribute].next = item;
            last_attribute = item;
            continue;
        }
        /* `..` takes the other operands of the copied node along. */
        bool is_rest = parser->oplist->put_parts.items[item].kind == NPART__PUT_REST;
        bool ends = last != NPART_NONE && parser->oplist->put_parts.items[last].kind == NPART__PUT_REST;
        if (ends || (is_rest && node->kind != NPART__PUT_COPY))
            npart__parse_fail(parser, token->column, ".. stands last, in a copy of a node");
        if (last == NPART_NONE)
            node->argument = item;
        else
            parser->oplist->put_parts.items[last].next = item;
        last = item;
        operands += !is_rest;
    } while (npart__accept(parser, NPART__TOKEN_MARK, ","));
    (void)npart__need(parser, NPART__TOKEN_MARK, ")", ", or )");
    if (has_too_many(node, operands))
        npart__parse_fail(parser, column, "%s has not so many operands", node->op);
}

/* The name of a let or `root` copies that node, with its attributes; any other name is an op's. */
static uint32_t parse_new_node(struct npart__parser *parser, unsigned depth)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "an op");
    struct npart__put_part part = blank_part(NPART__PUT_NODE);
    struct npart__op_entry op;
    uint32_t name;
    if (!token)
        return NPART_NONE;
    if (find_node(parser, token->word->text, strlen(token->word->text), &name, &op)) {
        part.kind = NPART__PUT_COPY;
        part.name = name;
        part.domain = op.domain;
        part.op = op.name;
    } else {
        if (!npart__split_op_name(parser, token->word->text, &part.domain, &part.op) ||
            !npart__check_op(parser, token->word->text, token->column))
            return NPART_NONE;
    }
    parser->now.at++; /* the parenthesis */
    parse_items(parser, &part, depth);
    return add_part(parser, part);
}

/* An expression is told by its first words. Recursive, so its depth is limited like that of patterns. `if`, `view`,
 * `scalar`, `vector`, `product` and their like before a parenthesis are words of this language, so no op can be called
 * so. */
static uint32_t parse_put(struct npart__parser *parser, unsigned depth)
{
    const struct npart__token *token = npart__peek(parser);
    bool opens = token->word->kind == NPART__TOKEN_WORD && token[1].word->kind == NPART__TOKEN_MARK &&
                 strcmp(token[1].word->text, "(") == 0;
    if (parser->status != NPART_OK)
        return NPART_NONE;
    if (depth > NPART__LIMIT_PATTERN_DEPTH) {
        npart__parse_fail(parser, token->column, "nested deeper than %u", NPART__LIMIT_PATTERN_DEPTH);
        return NPART_NONE;
    }
    if (npart__accept(parser, NPART__TOKEN_MARK, "*"))
        return add_part(parser, blank_part(NPART__PUT_ABSENT));
    if (npart__accept(parser, NPART__TOKEN_MARK, ".."))
        return add_part(parser, blank_part(NPART__PUT_REST));
    if (opens && strcmp(token->word->text, "if") == 0)
        return parse_choice(parser, depth);
    if (opens && (strcmp(token->word->text, "view") == 0 || strcmp(token->word->text, "scalar") == 0))
        return parse_view(parser, *token->word->text == 'v', depth);
    /* What begins with a mark or a number can be nothing else here. */
    bool is_number = token->word->kind != NPART__TOKEN_WORD || strcmp(token->word->text, "inf") == 0 ||
                     (opens && (token->word->function || token->word->makes ||
                                strcmp(token->word->text, "vector") == 0 || strcmp(token->word->text, "row") == 0));
    return is_number ? parse_constant(parser, depth) : opens ? parse_new_node(parser, depth) : parse_name(parser);
}

/* An expression or a condition, with the last node as what conditions and numbers ask about. `root` lies on the stack,
 * hence parser->op is cleared before it goes. */
static uint32_t parse_at_root(struct npart__parser *parser, bool is_condition)
{
    struct npart__op_entry root;
    if (!npart__root_op(parser, &root)) {
        npart__parse_fail(parser, 1, "match lines, all of one op, stand before what is made of them");
        return NPART_NONE;
    }
    npart__ask_of(parser, &root);
    uint32_t part = is_condition ? npart__parse_condition(parser) : parse_put(parser, 0);
    npart__ask_of(parser, NULL);
    return part;
}

static uint32_t parse_expression(struct npart__parser *parser)
{
    return parse_at_root(parser, false);
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

/* The site is what lib/change/fix offers to rewrites: a node that some target does not take. */
void npart__line_at(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__op_entry op;
    if (!find_node(parser, is[0].text, strlen(is[0].text), &parser->form->anchor, &op) ||
        parser->form->anchor == NPART__ROOT_NAME)
        npart__parse_fail(parser, is[0].token->column, "no let says what node makes %s", is[0].text);
}

/* Without a sentence there is nothing to know of it. */
void npart__line_class(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__rewrite_form *form = parser->form;
    if (form->class_count == NPART__LIMIT_CLASSES)
        npart__parse_fail(parser, 1, "more than %u class lines", NPART__LIMIT_CLASSES);
    uint32_t condition = parse_at_root(parser, true);
    if (parser->status != NPART_OK)
        return;
    form->classes[form->class_count].condition = condition;
    form->classes[form->class_count].equality = (uint8_t)is[0].index;
    form->classes[form->class_count++].caveat = is[1].text ? is[1].text : "";
}

/* Written before it is used, so makes never use each other in a circle. */
void npart__line_make(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__rewrite_form *form = parser->form;
    const struct npart__token *name = is[1].token;
    bool is_known = npart__find_pattern_name(parser, name->word->text) != NPART_NONE ||
                    find_make(parser, name->word->text, strlen(name->word->text)) != NPART_NONE ||
                    strcmp(name->word->text, "root") == 0;
    if (is_known)
        npart__parse_fail(parser, name->column, "%s has a meaning already", name->word->text);
    if (form->make_count == NPART__LIMIT_MAKES)
        npart__parse_fail(parser, name->column, "more than %u make lines", NPART__LIMIT_MAKES);
    uint32_t part = parse_expression(parser);
    if (parser->status != NPART_OK)
        return;
    form->makes[form->make_count].text = name->word->text;
    form->makes[form->make_count].is_early = is[0].token != NULL;
    form->makes[form->make_count++].part = part;
}

/* One for each result of the last node, in order; the last node goes. */
void npart__line_put(struct npart__parser *parser, const struct npart__value *is)
{
    (void)is;
    struct npart__rewrite_form *form = parser->form;
    if (form->put_count)
        npart__parse_fail(parser, 1, "a second put");
    do {
        uint64_t column = npart__peek(parser)->column;
        if (form->put_count == NPART__LIMIT_PUTS)
            npart__parse_fail(parser, column, "more than %u results", NPART__LIMIT_PUTS);
        uint32_t part = parse_expression(parser);
        if (parser->status != NPART_OK)
            return;
        if (parser->oplist->put_parts.items[part].kind == NPART__PUT_REST)
            npart__parse_fail(parser, column, ".. stands last, in a copy of a node");
        form->puts[form->put_count++] = part;
    } while (npart__accept(parser, NPART__TOKEN_MARK, ","));
}
