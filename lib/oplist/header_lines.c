/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of an op list that are about the target as a whole: its name and releases, switches
 * and variants, layouts, cost parameters, limits, and the stages that ops belong to. Each
 * function reads one line after its keyword, and tells a mistake at the token where it is.
 * docs/oplist-format.md, "About the target", has what each means.
 */
#include "oplist/parse.h"

/* ---- looking things up ----------------------------------------------------------------------------------- */

/* Names are not terminated where they come from a target's text ("hexagon:v73+float"). Exact: switches are the
 * list's own words, and case is kept. */
uint32_t npart__find_switch(const struct npart__oplist *oplist, const char *name, size_t length)
{
    for (uint32_t i = 0; i < oplist->switches.count; i++)
        if (strlen(oplist->switches.items[i]) == length && memcmp(oplist->switches.items[i], name, length) == 0)
            return i;
    return NPART_NONE;
}

/* [WORD SWITCH], as of `with float`; NPART_NONE where the word is not next. */
uint32_t npart__take_switch(struct npart__parser *parser, const char *word)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, word))
        return NPART_NONE;
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a switch");
    uint32_t found = token ? npart__find_switch(parser->oplist, token->text, strlen(token->text)) : NPART_NONE;
    if (token && found == NPART_NONE)
        npart__parse_fail(parser, token->column, "the list declares no switch %s", token->text);
    return found;
}

/* By the whole text, as written in the toolchain line. A user may write less of it (choose_toolchain in choose.c);
 * lines of the list may not. */
uint32_t npart__find_toolchain(const struct npart__oplist *oplist, const char *text)
{
    for (uint32_t i = 0; i < oplist->toolchains.count; i++)
        if (strcmp(oplist->toolchains.items[i], text) == 0)
            return i;
    return NPART_NONE;
}

/* A line without a source has that of the last `source` line above. */
const char *npart__take_source(struct npart__parser *parser)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, "source"))
        return parser->default_source;
    return npart__take_text(parser, "a source");
}

/* By name or alias, in any case of letters. Vendors write names of chips in either case: RK3588,
 * rk3588. Linear in variants and aliases, which are limited; reading a list is quadratic in them at worst. */
uint32_t npart__find_variant(const struct npart__oplist *oplist, const char *name, size_t length)
{
    for (uint32_t i = 0; i < oplist->variants.count; i++) {
        const struct npart__variant *variant = &oplist->variants.items[i];
        if (strlen(variant->name) == length && npart__same_letters(variant->name, name, length))
            return i;
        for (uint32_t k = 0; k < variant->alias_count; k++)
            if (strlen(variant->aliases[k]) == length && npart__same_letters(variant->aliases[k], name, length))
                return i;
    }
    return NPART_NONE;
}

/* "ai.onnx:" may be written and is left out inside, where the domain is empty; 7 is its length. */
void npart__split_op_name(const char *text, const char **domain, const char **name, struct npart__arena *arena)
{
    const char *colon = strrchr(text, ':');
    *domain = "";
    *name = colon ? colon + 1 : text;
    if (colon && (size_t)(colon - text) != 7)
        *domain = npart__arena_copy_text(arena, text, (size_t)(colon - text));
    else if (colon && memcmp(text, "ai.onnx", 7) != 0)
        *domain = npart__arena_copy_text(arena, text, 7);
}

/* An op of a line about partitions, layouts or the CPU: one that no standard knows is a typing
 * mistake, since such lines would never count. So a library's own op cannot stand in such a line. False as well
 * where the statement has failed before, so that callers stop. */
bool npart__check_op(struct npart__parser *parser, const char *text, uint64_t column)
{
    size_t count;
    const char *domain, *name;
    npart__split_op_name(text, &domain, &name, parser->arena);
    if (!domain)
        npart__parse_out_of_memory(parser);
    else if (!npart__operator_versions(domain, name, &count))
        npart__parse_fail(parser, column, "%s is no operator of the standard", text);
    return parser->status == NPART_OK;
}

/* A line that is one text: toolchain, standing, source. *out is left alone after a mistake. */
static void line_text(struct npart__parser *parser, const char **out)
{
    const char *text = npart__take_text(parser, "a text in quotes");
    npart__expect_end(parser);
    if (parser->status == NPART_OK)
        *out = text;
}

/* target hexagon "Qualcomm Hexagon (QNN HTP)". An including list may, and should, name its
 * target anew, once. */
void npart__line_target(struct npart__parser *parser)
{
    const struct npart__token *name = npart__expect(parser, NPART__TOKEN_WORD, "the target's name");
    if (!name)
        return;
    if (*parser->oplist->name && !parser->name_is_included)
        npart__parse_fail(parser, name->column, "a second target");
    parser->oplist->name = name->text;
    parser->name_is_included = parser->include_depth > 0; /* may be said anew */
    if (npart__peek(parser)->kind == NPART__TOKEN_STRING)
        parser->oplist->title = npart__take_text(parser, "a text");
    npart__expect_end(parser);
}

/* source "qnn-sdk 2.7, op definitions": holds from here on; the first is that of the list as a
 * whole. After the lines of an included list there is none, until the next such line. */
void npart__line_source(struct npart__parser *parser)
{
    line_text(parser, &parser->default_source);
    if (!*parser->oplist->source)
        parser->oplist->source = parser->default_source;
}

/* toolchain "onnxruntime-qnn 2.7.0": releases, oldest first. Their order is what `since` and `before` mean, so it is
 * never sorted. */
void npart__line_toolchain(struct npart__parser *parser)
{
    const char *text = NULL;
    line_text(parser, &text);
    for (uint32_t i = 0; text && i < parser->oplist->toolchains.count; i++)
        if (strcmp(parser->oplist->toolchains.items[i], text) == 0)
            npart__parse_fail(parser, 1, "toolchain \"%s\" is there twice", text);
    if (text && parser->status == NPART_OK && !NPART__PUSH(parser->arena, &parser->oplist->toolchains, text))
        npart__parse_out_of_memory(parser);
}

/* standing "verified by the compiler": how far the list was checked. Printed in every report, since a list from
 * documents alone deserves less trust. */
void npart__line_standing(struct npart__parser *parser)
{
    line_text(parser, &parser->oplist->standing);
}

/* switches float w16: properties of a chip or a session that rules ask about by switch(float).
 * Bits of one number, hence at most 32. Several lines go on where the last one ended, also after those of an
 * included list. */
void npart__line_switches(struct npart__parser *parser)
{
    while (npart__peek(parser)->kind != NPART__TOKEN_END && parser->status == NPART_OK) {
        const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a switch");
        if (!token)
            return;
        if (npart__find_switch(parser->oplist, token->text, strlen(token->text)) != NPART_NONE)
            npart__parse_fail(parser, token->column, "switch %s is there twice", token->text);
        else if (parser->oplist->switches.count >= NPART__LIMIT_SWITCHES)
            npart__parse_fail(parser, token->column, "more than %u switches", NPART__LIMIT_SWITCHES);
        else if (!NPART__PUSH(parser->arena, &parser->oplist->switches, token->text))
            npart__parse_out_of_memory(parser);
    }
}

/* A variant is like itself at first: its parameters are its own. No name and no alias may stand twice, in any case
 * of letters: `hexagon:V73` must mean one of them. */
static uint32_t add_variant(struct npart__parser *parser, const struct npart__token *token)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__variant variant = {.name = token->text, .title = "", .like = oplist->variants.count};
    if (npart__find_variant(oplist, token->text, strlen(token->text)) != NPART_NONE) {
        npart__parse_fail(parser, token->column, "variant %s is there twice", token->text);
        return NPART_NONE;
    }
    if (oplist->variants.count == NPART__LIMIT_VARIANTS) {
        npart__parse_fail(parser, token->column, "more than %u variants", NPART__LIMIT_VARIANTS);
        return NPART_NONE;
    }
    if (!NPART__PUSH(parser->arena, &oplist->variants, variant)) {
        npart__parse_out_of_memory(parser);
        return NPART_NONE;
    }
    return oplist->variants.count - 1;
}

/* A variant's name may be a number: 3720. Its text counts, so 3720 and 03720 are two. */
static const struct npart__token *expect_variant(struct npart__parser *parser)
{
    bool is_number = npart__peek(parser)->kind == NPART__TOKEN_NUMBER;
    return npart__expect(parser, is_number ? NPART__TOKEN_NUMBER : NPART__TOKEN_WORD, "a variant");
}

/* Names end at a word of the line itself, which no alias may be. */
static void parse_aliases(struct npart__parser *parser, uint32_t variant)
{
    struct NPART__ARRAY(const char *) aliases = {NULL, 0, 0};
    for (;;) {
        const struct npart__token *token = npart__peek(parser);
        bool is_name = token->kind == NPART__TOKEN_WORD || token->kind == NPART__TOKEN_NUMBER;
        if (!is_name || npart__next_is(parser, NPART__TOKEN_WORD, "like") ||
            npart__next_is(parser, NPART__TOKEN_WORD, "with"))
            break;
        if (npart__find_variant(parser->oplist, token->text, strlen(token->text)) != NPART_NONE)
            npart__parse_fail(parser, token->column, "variant %s is there twice", token->text);
        NPART__KEEP(parser, &aliases, token->text);
        if (parser->status != NPART_OK)
            return;
        parser->now.at++;
    }
    /* Put in at the end, so an alias that stands twice on its own line is not noticed; it means the same variant. */
    parser->oplist->variants.items[variant].aliases = aliases.items;
    parser->oplist->variants.items[variant].alias_count = aliases.count;
}

/* variant NAME [is ALIAS...] [like VARIANT] [with SWITCH...] ["title"] `like` names one that stands above, so
 * chains end and have no circles. Switches are not taken over with it. */
void npart__line_variant(struct npart__parser *parser)
{
    const struct npart__token *token = expect_variant(parser);
    uint32_t variant = token ? add_variant(parser, token) : NPART_NONE;
    if (variant == NPART_NONE)
        return;
    struct npart__oplist *oplist = parser->oplist;
    if (npart__accept(parser, NPART__TOKEN_WORD, "is"))
        parse_aliases(parser, variant);
    if (npart__accept(parser, NPART__TOKEN_WORD, "like")) {
        token = expect_variant(parser);
        uint32_t like = token ? npart__find_variant(oplist, token->text, strlen(token->text)) : NPART_NONE;
        if (token && like == NPART_NONE)
            npart__parse_fail(parser, token->column, "there is no variant %s yet", token->text);
        else if (token)
            /* The end of the chain at once, so that it need not be followed later. */
            oplist->variants.items[variant].like = oplist->variants.items[like].like;
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "with")) {
        while (npart__peek(parser)->kind == NPART__TOKEN_WORD) {
            token = npart__expect(parser, NPART__TOKEN_WORD, "a switch");
            uint32_t bit = token ? npart__find_switch(oplist, token->text, strlen(token->text)) : NPART_NONE;
            if (bit == NPART_NONE) {
                npart__parse_fail(parser, token ? token->column : 1, "the list declares no switch %s",
                                  token ? token->text : "");
                return;
            }
            oplist->variants.items[variant].switches |= UINT32_C(1) << bit;
        }
    }
    if (npart__peek(parser)->kind == NPART__TOKEN_STRING)
        oplist->variants.items[variant].title = npart__take_text(parser, "a text");
    npart__expect_end(parser);
}

/* default v73: taken when the user names no variant. Without such a line it is the first variant. An alias will do.
 * The last such line counts. */
void npart__line_default(struct npart__parser *parser)
{
    const struct npart__token *token = expect_variant(parser);
    npart__expect_end(parser);
    if (!token)
        return;
    parser->oplist->default_variant = npart__find_variant(parser->oplist, token->text, strlen(token->text));
    if (parser->oplist->default_variant == NPART_NONE)
        npart__parse_fail(parser, token->column, "there is no variant %s yet", token->text);
}

/* bodies cpu [WHEN] "sentence" [source "..."]: nodes of If, Loop and Scan bodies are left to the CPU. `bodies own` is
 * what happens without such a line, and takes back one above it, as of an included list. The last line counts. */
void npart__line_bodies(struct npart__parser *parser)
{
    const char *sentence = "the nodes of control-flow bodies run on the CPU";
    struct npart__oplist *oplist = parser->oplist;
    oplist->bodies_stay = npart__accept(parser, NPART__TOKEN_WORD, "cpu");
    oplist->bodies_rule = NPART_NONE;
    if (oplist->bodies_stay) {
        oplist->bodies_when = npart__take_condition(parser);
        oplist->bodies_rule = npart__end_of_line_rule(parser, "bodies", sentence);
    } else {
        (void)npart__need(parser, NPART__TOKEN_WORD, "own", "cpu or own");
        npart__expect_end(parser);
    }
}

/* integer-only [WHEN] "sentence" [source "..."]: a model that quantizes nothing falls back as a whole. Its cause
 * is about a type, so what is advised is to quantize (lib/advice/actions.def). */
void npart__line_integer_only(struct npart__parser *parser)
{
    parser->oplist->integer_when = npart__take_condition(parser);
    uint32_t rule = npart__end_of_line_rule(parser, "integer-only", "the model must be quantized to INT8");
    if (rule != NPART_NONE)
        parser->oplist->rules.items[rule].about = NPART__ABOUT_DTYPE;
    parser->oplist->integer_rule = rule;
}

/* Words that end a list of ops, as WHEN or a source begins with them; no op is called so. */
static bool ends_ops(const struct npart__parser *parser)
{
    static const char *const words[] = {"source", "of", "with", "unless", "since", "before"};
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (npart__next_is(parser, NPART__TOKEN_WORD, words[i]))
            return true;
    return npart__peek(parser)->kind != NPART__TOKEN_WORD;
}

/* For instance "Conv com.microsoft:Gelu" of a layout or partitions line; kept as they are
 * written. Returns how many; the caller notes where they begin. The texts live as long as the list. All must be
 * operators of the standard or of ONNX Runtime. */
uint32_t npart__take_ops(struct npart__parser *parser, struct npart__names *out)
{
    uint32_t before = out->count;
    while (parser->status == NPART_OK && !ends_ops(parser)) {
        const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "an op");
        if (npart__check_op(parser, token->text, token->column))
            NPART__KEEP(parser, out, token->text);
    }
    return out->count - before;
}

/* layout NHWC OP...: the layout that the target gives these ops' activations.
 * `layout nhwc Conv MaxPool`. A target has one layout of its own; more lines add ops to it. An
 * including list may add ops, and cannot change the layout. */
void npart__line_layout(struct npart__parser *parser)
{
    const struct npart__token *layout = npart__expect(parser, NPART__TOKEN_WORD, "a layout");
    if (!layout)
        return;
    if (*parser->oplist->layout && strcmp(parser->oplist->layout, layout->text) != 0)
        npart__parse_fail(parser, layout->column, "a second layout");
    parser->oplist->layout = layout->text;
    (void)npart__take_ops(parser, &parser->oplist->layout_ops);
}

/* through OP...: ops that work in either layout, so that a conversion moves past them. Both cost and rules follow
 * a layout through the graph by these. */
void npart__line_through(struct npart__parser *parser)
{
    (void)npart__take_ops(parser, &parser->oplist->through_ops);
}

/* moved OP...: ops of the model that only reorder axes, which the runtime moves past those. It is lib/plan (moved.c)
 * that moves them, and behind_transpose() that asks for it. */
void npart__line_moved(struct npart__parser *parser)
{
    (void)npart__take_ops(parser, &parser->oplist->moved_ops);
}

/* "for VARIANT", or NPART_NONE. The variant must stand above: parameters of one that a typing
 * mistake makes would never count. */
uint32_t npart__accept_for(struct npart__parser *parser)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, "for"))
        return NPART_NONE;
    const struct npart__token *token = npart__peek(parser);
    bool is_name = token->kind == NPART__TOKEN_WORD || token->kind == NPART__TOKEN_NUMBER;
    uint32_t variant = is_name ? npart__find_variant(parser->oplist, token->text, strlen(token->text)) : NPART_NONE;
    if (variant == NPART_NONE)
        npart__parse_fail(parser, token->column, "there is no variant %s yet", token->text);
    parser->now.at += is_name;
    return variant;
}

/* limit NAME [for VARIANT] NUMBER
 * `limit filter_taps for large 262144`. Whole numbers are kept exactly beside their double; limits are
 * compared with dims. */
void npart__line_limit(struct npart__parser *parser)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a limit");
    if (!token)
        return;
    /* A name that rules ask for must stand above them (take_limit in condition.c). */
    struct npart__limit limit = {.name = token->text, .variant = npart__accept_for(parser)};
    token = npart__expect(parser, NPART__TOKEN_NUMBER, "a number");
    npart__expect_end(parser);
    if (!token || parser->status != NPART_OK)
        return;
    limit.number = token->number;
    limit.real = token->real;
    limit.is_whole = token->is_whole;
    NPART__KEEP(parser, &parser->oplist->limits, limit);
}

/* Names all runtimes that are described, as there are few and their versions are hard to guess. `onnx` has no
 * version. */
static void fail_runtime(struct npart__parser *parser, const struct npart__token *token, const char *version)
{
    struct npart__buffer known;
    npart__buffer_init(&known, parser->arena);
    for (size_t i = 0; npart__runtime_at(i); i++) {
        const struct npart__runtime *at = npart__runtime_at(i);
        npart__append_format(&known, "%s%s%s%s", i ? ", " : " ", at->name, *at->version ? " " : "", at->version);
    }
    if (known.failed)
        npart__parse_out_of_memory(parser);
    else
        npart__parse_fail(parser, token->column, "there is no runtime %s%s%s; there is%s", token->text,
                          version ? " " : "", version ? version : "", npart__buffer_text(&known));
}

/* NAME [VERSION] [WHEN]
 * `runtime onnxruntime 1.24 since 'sdk 2'`. A version that is not there means the newest. */
static bool take_runtime(struct npart__parser *parser, struct npart__runtime_choice *out)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a runtime"), *version;
    if (!token)
        return false;
    /* A version such as 1.24 is a number to the lexer; its text is what is compared. */
    version = npart__peek(parser)->kind == NPART__TOKEN_NUMBER ? npart__peek(parser) : NULL;
    parser->now.at += version != NULL;
    /* By its text, so that 1.30 is not 1.3. */
    out->runtime = npart__runtime_find(token->text, version ? version->text : NULL);
    if (!out->runtime)
        fail_runtime(parser, token, version ? version->text : NULL);
    out->when = npart__take_condition(parser);
    npart__expect_end(parser);
    return out->runtime && parser->status == NPART_OK;
}

/* What is asked of shapes is asked of what that one knows of them. Without such a line rules ask all that is
 * known. */
void npart__line_runtime(struct npart__parser *parser)
{
    struct npart__runtime_choice choice;
    if (take_runtime(parser, &choice))
        NPART__KEEP(parser, &parser->oplist->runtimes, choice);
}

/* Its sessions rewrite the graph before it is judged. For a list whose rules ask of all that is known, and whose
 * graph a session rewrites all the same: OpenVINO's provider. */
void npart__line_rewriting(struct npart__parser *parser)
{
    struct npart__runtime_choice choice;
    uint64_t column = npart__peek(parser)->column;
    if (!take_runtime(parser, &choice))
        return;
    if (choice.runtime->knows != NPART__KNOWLEDGE_SESSION)
        npart__parse_fail(parser, column, "%s has no sessions that rewrite", choice.runtime->name);
    else
        NPART__KEEP(parser, &parser->oplist->rewritings, choice);
}

/* gate NAME [folds] [unless SWITCH] [missing NAME2] ["sentence"]: the ops that follow belong to it. The first line
 * replaces the stage that every list begins with. */
void npart__line_gate(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a gate");
    if (!token)
        return;
    /* A list that includes another goes on with its stages by naming them again. */
    for (uint32_t i = 0; parser->included_ops && !parser->include_depth && i < oplist->gate_count; i++) {
        if (strcmp(oplist->gates[i].name, token->text) != 0)
            continue;
        parser->gate = (uint8_t)i; /* the included list's */
        npart__expect_end(parser);
        return;
    }
    /* Whether the stage that every list begins with is untouched, so that this line may take its
     * place. */
    bool is_first = oplist->gate_count == 1 && !oplist->gates[0].has_ops && oplist->gates[0].every_count == 0 &&
                    strcmp(oplist->gates[0].name, "configuration") == 0 && oplist->ops.count == 0 &&
                    oplist->gates[0].sentence[0] == '\0';
    if (!is_first && oplist->gate_count >= NPART__LIMIT_GATES) {
        npart__parse_fail(parser, token->column, "more than %u gates", NPART__LIMIT_GATES);
        return;
    }
    uint32_t index = is_first ? 0 : oplist->gate_count++;
    struct npart__gate *gate = &oplist->gates[index];
    /* Rules of the stage that is replaced are none: it had no ops. */
    *gate = (struct npart__gate){
        .name = token->text, .missing = token->text, .sentence = "", .missing_rule = NPART_NONE};
    gate->folds = npart__accept(parser, NPART__TOKEN_WORD, "folds");
    gate->when = NPART__ALWAYS;
    /* Stages ask switches alone, since they are chosen before the toolchain is (npart__target_choose). */
    gate->when.without = npart__take_switch(parser, "unless");
    if (npart__accept(parser, NPART__TOKEN_WORD, "missing")) {
        token = npart__expect(parser, NPART__TOKEN_WORD, "the gate of ops that are not listed");
        gate->missing = token ? token->text : gate->missing;
    }
    if (npart__peek(parser)->kind == NPART__TOKEN_STRING)
        gate->sentence = npart__take_text(parser, "a text");
    npart__expect_end(parser);
    parser->gate = (uint8_t)index;
}

/* drop OP...: ops of the included list that this one leaves out.
 * `drop Sin Cos`. Taken out when all has been read (sections.c); a name that is not there is a mistake.
 * Domain and name lie in turn in `dropped`. Every version of the op goes, in every stage. */
void npart__line_drop(struct npart__parser *parser)
{
    if (!parser->included_ops)
        npart__parse_fail(parser, 1, "only a list that includes another can drop its ops");
    while (npart__peek(parser)->kind != NPART__TOKEN_END && parser->status == NPART_OK) {
        const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "an op");
        const char *domain, *name;
        bool is_there = false;
        if (!token)
            return;
        npart__split_op_name(token->text, &domain, &name, parser->arena);
        for (uint32_t i = 0; domain && i < parser->included_ops; i++)
            is_there |= strcmp(parser->oplist->ops.items[i].name, name) == 0 &&
                        strcmp(parser->oplist->ops.items[i].domain, domain) == 0;
        if (!domain || !NPART__PUSH(parser->arena, &parser->dropped, domain) ||
            !NPART__PUSH(parser->arena, &parser->dropped, name))
            npart__parse_out_of_memory(parser);
        else if (!is_there)
            npart__parse_fail(parser, token->column, "the included list has no op %s", token->text);
    }
}

/* every static: static(*) "every shape must be fixed" except Shape. The rules of a stage for all
 * its ops stand before them and together, so that they are a range of the rules. */
void npart__line_every(struct npart__parser *parser)
{
    struct npart__gate *gate = &parser->oplist->gates[parser->gate];
    if (gate->has_ops) {
        npart__parse_fail(parser, 1, "rules for every op stand before the ops");
        return;
    }
    parser->first_rule = gate->every_count ? gate->first_every : parser->oplist->rules.count;
    /* Another line has made a rule in between: a `partitions` or `bodies` line. */
    if (gate->every_count && gate->first_every + gate->every_count != parser->oplist->rules.count) {
        npart__parse_fail(parser, 1, "rules for every op stand together");
        return;
    }
    gate->first_every = parser->first_rule;
    /* A keyword that is left out means `need`, the last. */
    static const char *const kinds[] = {"maybe", "note", "refuse", "need"};
    size_t kind = 0;
    while (kind + 1 < NPART__COUNT(kinds) && !npart__accept(parser, NPART__TOKEN_WORD, kinds[kind]))
        kind++;
    npart__parse_rule(parser, kinds[kind]);
    /* A rule that failed adds nothing, and the next line goes on as if it were not there. */
    gate->every_count = parser->oplist->rules.count - gate->first_every;
    for (uint32_t i = gate->first_every; i < parser->oplist->rules.count; i++)
        if (!*parser->oplist->rules.items[i].source)
            parser->oplist->rules.items[i].source = parser->default_source;
}
