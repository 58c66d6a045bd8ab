/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of an op list that are about the target as a whole: its name and releases, switches and variants, layouts,
 * limits, and the stages that ops belong to. Each function is given what its line says (lines.def), and tells a
 * mistake at the token where it is. docs/oplist-format.md, "About the target", has what each means.
 */
#include "oplist/parse.h"

/* ---- looking things up ----------------------------------------------------------------------------------- */

/* Names are not terminated where they come from a target's text ("hexagon:v73+float"). Exact: switches are the
 * list's own words, and case is kept. */
uint32_t npart__find_switch(const struct npart__oplist *oplist, const char *name, size_t length)
{
    for (uint32_t i = 0; i < oplist->switches.count; i++)
        if (npart__is_text(oplist->switches.items[i], name, length))
            return i;
    return NPART_NONE;
}

/* By the whole text, as written in the toolchain line. A user may write less of it (choose_toolchain in choose.c);
 * lines of the list may not. */
uint32_t npart__find_toolchain(const struct npart__oplist *oplist, const char *name, size_t length)
{
    for (uint32_t i = 0; i < oplist->toolchains.count; i++)
        if (npart__is_text(oplist->toolchains.items[i], name, length))
            return i;
    return NPART_NONE;
}

/* Most differ in their first letter, whose case is one bit. */
static bool is_name(const char *own, const char *name, size_t length)
{
    return length && ((*own ^ *name) | 0x20) == 0x20 && strlen(own) == length && npart__same_letters(own, name, length);
}

/* By name or alias, in any case of letters. Vendors write names of chips in either case: RK3588,
 * rk3588. Linear in variants and aliases, which are limited; reading a list is quadratic in them at worst. */
uint32_t npart__find_variant(const struct npart__oplist *oplist, const char *name, size_t length)
{
    for (uint32_t i = 0; i < oplist->variants.count; i++) {
        const struct npart__variant *variant = &oplist->variants.items[i];
        if (is_name(variant->name, name, length))
            return i;
        for (uint32_t k = 0; k < variant->alias_count; k++)
            if (is_name(variant->aliases[k], name, length))
                return i;
    }
    return NPART_NONE;
}

/* "ai.onnx:" may be written and is left out inside, where the domain is empty. */
bool npart__split_op_name(struct npart__parser *parser, const char *text, const char **domain, const char **name)
{
    const char *colon = strrchr(text, ':');
    bool is_named = colon && !npart__is_text("ai.onnx", text, (size_t)(colon - text));
    *name = colon ? colon + 1 : text;
    *domain = "";
    if (is_named)
        *domain = npart__parse_text(parser, npart__arena_copy_text(parser->arena, text, (size_t)(colon - text)));
    return parser->status == NPART_OK;
}

/* An op of a line about partitions, layouts or the CPU: one that no standard knows is a typing
 * mistake, since such lines would never count. So a library's own op cannot stand in such a line. False as well
 * where the statement has failed before, so that callers stop. */
bool npart__check_op(struct npart__parser *parser, const char *text, uint64_t column)
{
    size_t count;
    const char *domain, *name;
    if (npart__split_op_name(parser, text, &domain, &name) && !npart__operator_versions(domain, name, &count))
        npart__parse_fail(parser, column, "%s is no operator of the standard%s", text,
                          npart__hint_operator(parser, domain, name));
    return parser->status == NPART_OK;
}

/* ---- the target, its releases and chips ------------------------------------------------------------------ */

/* An including list may, and should, name its target anew, once. */
void npart__line_target(struct npart__parser *parser, const struct npart__value *is)
{
    if (*parser->oplist->name && !parser->name_is_included)
        npart__parse_fail(parser, is[0].token->column, "a second target");
    parser->oplist->name = is[0].text;
    parser->name_is_included = parser->include_depth > 0; /* may be said anew */
    if (is[1].text)
        parser->oplist->title = is[1].text;
}

/* Holds from here on; the first is that of the list as a whole. After the lines of an included list there is none,
 * until the next such line. */
void npart__line_source(struct npart__parser *parser, const struct npart__value *is)
{
    parser->default_source = is[0].text;
    if (!*parser->oplist->source)
        parser->oplist->source = parser->default_source;
}

/* Releases, oldest first. Their order is what `since` and `before` mean, so it is never sorted. */
void npart__line_toolchain(struct npart__parser *parser, const struct npart__value *is)
{
    const struct npart__oplist *oplist = parser->oplist;
    const char *last = oplist->toolchains.count ? oplist->toolchains.items[oplist->toolchains.count - 1] : NULL;
    if (oplist->toolchains.count == NPART__LIMIT_TOOLCHAINS)
        npart__parse_fail(parser, 1, "more than %u toolchains", NPART__LIMIT_TOOLCHAINS);
    else if (npart__find_toolchain(oplist, is[0].text, strlen(is[0].text)) != NPART_NONE)
        npart__parse_fail(parser, 1, "toolchain \"%s\" is there twice", is[0].text);
    else if (last && !npart__is_release_after(is[0].text, last))
        npart__parse_fail(parser, 1, "toolchain \"%s\" is not newer than \"%s\": the oldest stands first",
                          is[0].text, last);
    NPART__KEEP(parser, &parser->oplist->toolchains, is[0].text);
}

/* ---- how far the list was verified: printed in every report ------------------------------------------------- */

/* The last line counts. The words are those of verified.c, but for a list that says it in its own. */
static void keep_standing(struct npart__parser *parser, struct npart__verified verified)
{
    verified.note = verified.note ? verified.note : "";
    parser->oplist->verified = verified;
}

void npart__line_standing_compiler(struct npart__parser *parser, const struct npart__value *is)
{
    int64_t probes = is[1].token->word->number, agreed = is[2].token->word->number, asked = is[3].token->word->number;
    if (agreed < 0 || agreed > asked || asked == 0 || probes <= 0)
        npart__parse_fail(parser, is[2].token->column, "at most as many must agree as were asked");
    keep_standing(parser, (struct npart__verified){.kind = NPART__VERIFIED_BY_COMPILER,
                                                   .by = is[0].text,
                                                   .probes = (uint64_t)probes,
                                                   .agreed = (uint64_t)agreed,
                                                   .asked = (uint64_t)asked,
                                                   .note = is[4].text});
}

void npart__line_standing_source(struct npart__parser *parser, const struct npart__value *is)
{
    keep_standing(parser, (struct npart__verified){
                              .kind = NPART__VERIFIED_BY_SOURCE, .by = is[0].text, .note = is[1].text});
}

void npart__line_standing_documents(struct npart__parser *parser, const struct npart__value *is)
{
    keep_standing(parser, (struct npart__verified){.kind = NPART__VERIFIED_BY_DOCUMENTS, .by = "", .note = is[0].text});
}

void npart__line_standing(struct npart__parser *parser, const struct npart__value *is)
{
    keep_standing(parser, (struct npart__verified){.kind = NPART__VERIFIED_AS_TOLD, .by = "", .note = is[0].text});
}

/* What computes the nodes that are taken, and the others, where neither is an NPU's and a CPU's. */
void npart__line_unit(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    oplist->unit = is[0].text;
    oplist->on_unit = npart__parse_text(parser, npart__arena_format(parser->arena, "in %s", is[0].text));
    oplist->beside = is[1].text;
}

/* What the runtime has taken is handed to another framework, which decides anew. Of several lines the last counts. */
void npart__line_decided(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    oplist->decided_by = is[0].text;
    for (size_t i = 0; i < NPART__LIMIT_UNITS; i++)
        oplist->units[i] = is[1 + i].text;
    oplist->decided_source = is[1 + NPART__LIMIT_UNITS].text ? is[1 + NPART__LIMIT_UNITS].text : "";
}

/* Properties of a chip or a session that rules ask about by switch(float). Bits of one number, hence at most 32.
 * Several lines go on where the last one ended, also after those of an included list. */
void npart__line_switches(struct npart__parser *parser, const struct npart__value *is)
{
    for (const struct npart__token *token = is[0].token; token < is[0].token + is[0].count; token++) {
        if (npart__find_switch(parser->oplist, token->word->text, strlen(token->word->text)) != NPART_NONE)
            npart__parse_fail(parser, token->column, "switch %s is there twice", token->word->text);
        else if (parser->oplist->switches.count >= NPART__LIMIT_SWITCHES)
            npart__parse_fail(parser, token->column, "more than %u switches", NPART__LIMIT_SWITCHES);
        NPART__KEEP(parser, &parser->oplist->switches, token->word->text);
    }
}

/* What `+SWITCH` turns on with it: what those bring that stand above, too, so that this need not be followed later. */
void npart__line_switch(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    uint32_t *brought = &oplist->brought[is[0].index];
    for (uint32_t i = 0; i < is[1].count; i++) {
        const char *name = is[1].token[i].word->text;
        uint32_t bit = npart__find_switch(oplist, name, strlen(name));
        *brought |= UINT32_C(1) << bit | oplist->brought[bit];
    }
}

/* No name and no alias may stand twice, in any case of letters: `hexagon:V73` must mean one of them. */
static void check_new_variant(struct npart__parser *parser, const struct npart__token *token)
{
    if (npart__find_variant(parser->oplist, token->word->text, strlen(token->word->text)) != NPART_NONE)
        npart__parse_fail(parser, token->column, "variant %s is there twice", token->word->text);
}

/* A variant is like itself at first: its parameters are its own. `like` names one that stands above, so chains end and
 * have no circles; it is the end of the chain at once, so that it need not be followed later. Switches are not taken
 * over with it. */
void npart__line_variant(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__variant variant = {.name = is[0].text, .title = is[4].text ? is[4].text : ""};
    struct NPART__ARRAY(const char *) aliases = {NULL, 0, 0};
    check_new_variant(parser, is[0].token);
    if (oplist->variants.count == NPART__LIMIT_VARIANTS)
        npart__parse_fail(parser, is[0].token->column, "more than %u variants", NPART__LIMIT_VARIANTS);
    parser->variant_names += 1 + is[1].count;
    if (parser->variant_names > NPART__LIMIT_VARIANT_NAMES)
        npart__parse_fail(parser, is[0].token->column, "more than %u names of variants", NPART__LIMIT_VARIANT_NAMES);
    for (uint32_t i = 0; i < is[1].count && parser->status == NPART_OK; i++) {
        check_new_variant(parser, &is[1].token[i]);
        /* It is not among the variants yet. */
        if (npart__same_text(is[1].token[i].word->text, variant.name))
            npart__parse_fail(parser, is[1].token[i].column, "variant %s is there twice", variant.name);
        NPART__KEEP(parser, &aliases, is[1].token[i].word->text);
    }
    /* One that stands twice on its own line is not noticed; it means the same variant. */
    variant.aliases = aliases.items;
    variant.alias_count = aliases.count;
    variant.like = is[2].token ? oplist->variants.items[is[2].index].like : oplist->variants.count;
    for (uint32_t i = 0; i < is[3].count; i++) {
        const char *name = is[3].token[i].word->text;
        variant.switches |= UINT32_C(1) << npart__find_switch(oplist, name, strlen(name));
    }
    NPART__KEEP(parser, &oplist->variants, variant);
}

/* Taken when the user names no variant. Without such a line it is the first variant. The last such line counts. */
void npart__line_default(struct npart__parser *parser, const struct npart__value *is)
{
    parser->oplist->default_variant = is[0].index;
}

/* ---- what the runtime does ------------------------------------------------------------------------------- */

/* Nodes of If, Loop and Scan bodies are left to the CPU. The last line counts. */
void npart__line_bodies_cpu(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    oplist->bodies_stay = true;
    oplist->bodies_when = is[0].when;
    oplist->bodies_rule = npart__add_line_rule(parser, "bodies", "the nodes of control-flow bodies run on the CPU",
                                               &is[1], &is[2]);
}

/* What happens without such a line; it takes back one above it, as of an included list. */
void npart__line_bodies_own(struct npart__parser *parser, const struct npart__value *is)
{
    (void)is;
    parser->oplist->bodies_stay = false;
    parser->oplist->bodies_rule = NPART_NONE;
}

/* A model that quantizes nothing falls back as a whole. Its cause is about a type, so what is advised is to
 * quantize (lib/change/advice/actions.def). */
void npart__line_integer_only(struct npart__parser *parser, const struct npart__value *is)
{
    uint32_t rule = npart__add_line_rule(parser, "integer-only", "the model must be quantized to INT8", &is[1], &is[2]);
    if (rule != NPART_NONE)
        parser->oplist->rules.items[rule].about = NPART_ABOUT_DTYPE;
    parser->oplist->integer_when = is[0].when;
    parser->oplist->integer_rule = rule;
}

/* What becomes of calls of the model's own functions: the last of several lines counts, so `inlined`, which is what
 * happens without one, takes back what an included list says. */
static void take_functions(struct npart__parser *parser, bool by_name, const struct npart__value *is)
{
    parser->oplist->claims_by_name = by_name;
    (void)npart__add_line_rule(parser, "functions", "a function of the name of an op is taken for that op", &is[0],
                               &is[1]);
}

void npart__line_functions_inlined(struct npart__parser *parser, const struct npart__value *is)
{
    take_functions(parser, false, is);
}

void npart__line_functions_by_name(struct npart__parser *parser, const struct npart__value *is)
{
    take_functions(parser, true, is);
}

/* What the standard defines by others is inlined when neither side has it. */
void npart__line_functions_standard(struct npart__parser *parser, const struct npart__value *is)
{
    parser->oplist->inlines_standard = true;
    parser->oplist->standard_when = is[0].when;
}

/* Ops as they are written. */
static void keep_ops(struct npart__parser *parser, const struct npart__value *ops, struct npart__names *out)
{
    for (uint32_t i = 0; i < ops->count; i++)
        NPART__KEEP(parser, out, ops->token[i].word->text);
}

/* The layout that the target gives these ops' activations. A target has one of its own; more lines add ops to it. An
 * including list may add ops, and cannot change the layout. */
void npart__line_layout(struct npart__parser *parser, const struct npart__value *is)
{
    if (*parser->oplist->layout && strcmp(parser->oplist->layout, is[0].text) != 0)
        npart__parse_fail(parser, is[0].token->column, "a second layout");
    parser->oplist->layout = is[0].text;
    keep_ops(parser, &is[1], &parser->oplist->layout_ops);
}

/* Ops that work in either layout, so that a conversion moves past them. Both cost and rules follow a layout through the
 * graph by these. */
void npart__line_through(struct npart__parser *parser, const struct npart__value *is)
{
    keep_ops(parser, &is[0], &parser->oplist->through_ops);
}

/* Ops of the model that only reorder axes, which the runtime moves past those. It is lib/plan (model_transposes.c)
 * that moves them, and behind_transpose() that asks for it. */
void npart__line_moved(struct npart__parser *parser, const struct npart__value *is)
{
    keep_ops(parser, &is[0], &parser->oplist->moved_ops);
}

/* What the target's compiler notes of the tensors that an op reads and makes (runtime/qnn/held.c). */
void npart__line_notes_quantized(struct npart__parser *parser, const struct npart__value *is)
{
    keep_ops(parser, &is[0], &parser->oplist->quantized_ops);
}

void npart__line_notes_early(struct npart__parser *parser, const struct npart__value *is)
{
    keep_ops(parser, &is[0], &parser->oplist->early_ops);
}

void npart__line_notes_plain(struct npart__parser *parser, const struct npart__value *is)
{
    keep_ops(parser, &is[0], &parser->oplist->plain_ops);
}

/* Whole numbers are kept exactly beside their double; limits are compared with dims. A name that rules ask for must
 * stand above them (take_limit in condition.c). */
void npart__line_limit(struct npart__parser *parser, const struct npart__value *is)
{
    const struct npart__word *number = is[2].token->word;
    struct npart__limit limit = {is[0].text, is[1].index, number->number, number->real, number->is_whole};
    NPART__KEEP(parser, &parser->oplist->limits, limit);
}

/* In kB, which come to less than 2^63 bytes. */
void npart__line_pool(struct npart__parser *parser, const struct npart__value *is)
{
    const struct npart__word *start = is[2].token->word, *size = is[3].token->word;
    bool is_right = start->is_whole && size->is_whole && start->number >= 0 && size->number > 0 &&
                    start->number <= NPART__MOST_POOL_KB && size->number <= NPART__MOST_POOL_KB;
    struct npart__pool pool = {is[0].text, is[1].index, 0, 0};
    if (!is_right) {
        npart__parse_fail(parser, is[2].token->column, "a pool begins and is as long as so many kB, at most %d",
                          NPART__MOST_POOL_KB);
        return;
    }
    pool.start = (uint64_t)start->number * 1024;
    pool.bytes = (uint64_t)size->number * 1024;
    NPART__KEEP(parser, &parser->oplist->pools, pool);
}

/* ---- sessions of ONNX Runtime ---------------------------------------------------------------------------- */

void npart__line_provider(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__provider provider = {.name = is[0].text,
                                       .compiler = is[1].text,
                                       .when = is[2].when,
                                       .package = is[3].text,
                                       .hint = is[4].text,
                                       .source = is[5].text ? is[5].text : parser->default_source};
    NPART__KEEP(parser, &parser->oplist->providers, provider);
}

static void add_option(struct npart__parser *parser, const struct npart__value *is, bool is_session)
{
    struct npart__provider_option option = {.name = is[0].text,
                                   .value = is[1].text,
                                   .is_session = is_session,
                                   .is_numbered = is[2].token || strcmp(is[1].text, NPART__NUMBER_OF_VARIANT) == 0,
                                   .variant = is[3].index,
                                   .when = is[4].when,
                                   .sentence = is[5].text ? is[5].text : "",
                                   .source = is[6].text ? is[6].text : parser->default_source};
    if (!parser->oplist->providers.count)
        npart__parse_fail(parser, is[0].token->column, "there is no provider for it yet");
    NPART__KEEP(parser, &parser->oplist->options, option);
}

void npart__line_option(struct npart__parser *parser, const struct npart__value *is)
{
    add_option(parser, is, false);
}

void npart__line_session(struct npart__parser *parser, const struct npart__value *is)
{
    add_option(parser, is, true);
}

/* By the version's text, so that 1.30 is not 1.3; one that is not there means the newest. A mistake names all runtimes
 * that are described, as there are few and their versions are hard to guess. `onnx` has no version. */
static struct npart__runtime_choice find_runtime(struct npart__parser *parser, const struct npart__value *is)
{
    const char *version = is[1].text;
    struct npart__runtime_choice choice = {npart__runtime_find(is[0].text, version), is[2].when};
    struct npart__buffer known = {.arena = parser->arena};
    for (size_t i = 0; !choice.runtime && npart__runtime_at(i); i++) {
        const struct npart__runtime *at = npart__runtime_at(i);
        npart__append_format(&known, "%s%s%s%s", i ? ", " : " ", at->name, *at->version ? " " : "", at->version);
    }
    if (!choice.runtime)
        npart__parse_fail(parser, is[0].token->column, "there is no runtime %s%s%s; there is%s", is[0].text,
                          version ? " " : "", version ? version : "",
                          npart__parse_text(parser, npart__made_text(&known)));
    return choice;
}

/* What is asked of shapes is asked of what that one knows of them. Without such a line rules ask all that is
 * known. */
void npart__line_runtime(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__runtime_choice choice = find_runtime(parser, is);
    NPART__KEEP(parser, &parser->oplist->runtimes, choice);
}

/* Its sessions rewrite the graph before it is judged. For a list whose rules ask of all that is known, and whose
 * graph a session rewrites all the same: OpenVINO's provider. */
void npart__line_rewriting(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__runtime_choice choice = find_runtime(parser, is);
    if (choice.runtime && choice.runtime->knows != NPART__KNOWLEDGE_SESSION)
        npart__parse_fail(parser, is[0].token->column, "%s has no sessions that rewrite", choice.runtime->name);
    NPART__KEEP(parser, &parser->oplist->rewritings, choice);
}

/* ---- stages ---------------------------------------------------------------------------------------------- */

/* A line may name a stage that begins below it, so names are looked up at the end. From here on a line's `gate`
 * leads to the stage's number. Of two stages of one name the first is meant. */
void npart__resolve_line_stages(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    for (uint32_t i = 0; i < oplist->line_stages.count && parser->status == NPART_OK; i++) {
        struct npart__line_stage *at = &oplist->line_stages.items[i];
        at->stage = 0;
        while (at->stage < oplist->stage_count && strcmp(oplist->stages[at->stage].name, at->name) != 0)
            at->stage++;
        parser->now.line = at->line;
        if (at->stage == oplist->stage_count)
            npart__parse_fail(parser, at->column, "there is no gate %s", at->name);
    }
}

/* The ops that follow belong to it. The first line replaces the stage that every list begins with, whose rules are
 * none, as it had no ops. Stages ask switches alone, since they are chosen before the toolchain is
 * (npart__target_choose). */
void npart__line_gate(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    /* A list that includes another goes on with its stages by naming them again. */
    for (uint32_t i = 0; parser->included_ops && !parser->include_depth && i < oplist->stage_count; i++) {
        if (strcmp(oplist->stages[i].name, is[0].text) != 0)
            continue;
        parser->stage = (uint8_t)i; /* the included list's */
        return;
    }
    bool is_first = oplist->stage_count == 1 && !oplist->stages[0].has_ops && oplist->stages[0].every_count == 0 &&
                    strcmp(oplist->stages[0].name, "configuration") == 0 && oplist->ops.count == 0 &&
                    oplist->stages[0].sentence[0] == '\0';
    if (!is_first && oplist->stage_count >= NPART__LIMIT_STAGES) {
        npart__parse_fail(parser, is[0].token->column, "more than %u gates", NPART__LIMIT_STAGES);
        return;
    }
    parser->stage = is_first ? 0 : (uint8_t)oplist->stage_count++;
    oplist->stages[parser->stage] = (struct npart__stage){.name = is[0].text,
                                                       .folds = is[1].token != NULL,
                                                       .missing = is[3].text ? is[3].text : is[0].text,
                                                       .sentence = is[4].text ? is[4].text : "",
                                                       .missing_rule = NPART_NONE,
                                                       .when = NPART__ALWAYS};
    oplist->stages[parser->stage].when.without = is[2].index;
}

/* Ops of the included list that this one leaves out. Taken out when all has been read (sections.c); a name that is not
 * there is a mistake. Domain and name lie in turn in `dropped`. Every version of the op goes, in every stage. */
void npart__line_drop(struct npart__parser *parser, const struct npart__value *is)
{
    if (!parser->included_ops)
        npart__parse_fail(parser, 1, "only a list that includes another can drop its ops");
    for (const struct npart__token *token = is[0].token; token < is[0].token + is[0].count; token++) {
        const char *domain, *name;
        bool is_there = false;
        if (!npart__split_op_name(parser, token->word->text, &domain, &name))
            return;
        for (uint32_t i = 0; i < parser->included_ops; i++)
            is_there |= strcmp(parser->oplist->ops.items[i].name, name) == 0 &&
                        strcmp(parser->oplist->ops.items[i].domain, domain) == 0;
        if (!is_there)
            npart__parse_fail(parser, token->column, "the included list has no op %s", token->word->text);
        NPART__KEEP(parser, &parser->dropped, domain);
        NPART__KEEP(parser, &parser->dropped, name);
    }
}

/* The rules of a stage for all its ops stand before them and together, so that they are a range of the rules. */
void npart__line_every(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__stage *stage = &parser->oplist->stages[parser->stage];
    (void)is;
    if (stage->has_ops) {
        npart__parse_fail(parser, 1, "rules for every op stand before the ops");
        return;
    }
    parser->first_rule = stage->every_count ? stage->first_every : parser->oplist->rules.count;
    /* Another line has made a rule in between: a `partitions` or `bodies` line. */
    if (stage->every_count && stage->first_every + stage->every_count != parser->oplist->rules.count) {
        npart__parse_fail(parser, 1, "rules for every op stand together");
        return;
    }
    stage->first_every = parser->first_rule;
    /* A keyword that is left out means `need`, the last. */
    static const char *const kinds[] = {"maybe", "elsewhere", "note", "refuse", "need"};
    size_t kind = 0;
    while (kind + 1 < NPART__COUNT(kinds) && !npart__accept(parser, NPART__TOKEN_WORD, kinds[kind]))
        kind++;
    npart__parse_rule(parser, kinds[kind]);
    /* A rule that failed adds nothing, and the next line goes on as if it were not there. */
    stage->every_count = parser->oplist->rules.count - stage->first_every;
    npart__give_source(parser, stage->first_every, parser->default_source);
}
