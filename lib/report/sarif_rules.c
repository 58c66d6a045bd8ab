/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF's reportingDescriptor objects: what a rule requires, why, where that stands, and what to do about it. They say
 * nothing of a model, so that they are the same in every run.
 */
#include "report/document.h"

/* Code hosts show no more of a description. GitHub's limit is 1024 characters; three dots may follow. */
#define MOST_DESCRIPTION_BYTES 1000u

/* ---- text -------------------------------------------------------------------------------------------------- */

/* SARIF takes {0} for a placeholder, so braces are doubled; and [text](target) for a link, which needs the two
 * characters in the middle next to each other. (SARIF 2.1.0, 3.11.5 and 3.11.6.) A link becomes "[text] (target)". */
void npart__append_sarif_text(npart_document *document, struct npart__buffer *out, const char *key, const char *text)
{
    struct npart__buffer piece = {.arena = &document->arena};
    for (const char *at = npart__plain_text(document, text); *at; at++) {
        npart__append(&piece, at, 1);
        if (*at == '{' || *at == '}')
            npart__append(&piece, at, 1);
        else if (at[0] == ']' && at[1] == '(')
            npart__append(&piece, " ", 1);
    }
    const char *made = npart__buffer_text(&piece);
    npart__json_string(out, key, made, piece.size);
    npart__buffer_release(&piece);
}

void npart__add_sarif_text(npart_document *document, struct npart__buffer *out, const char *key, const char *text)
{
    npart__json_open(out, key, '{');
    npart__append_sarif_text(document, out, "text", text);
    npart__json_close(out, '}');
}

/* Never within a character. The text is closed. It is cut before braces are doubled, so that no pair is cut in two. */
static void add_description(npart_document *document, struct npart__buffer *out, const char *key,
                            struct npart__buffer *text)
{
    const char *whole = npart__buffer_text(text);
    size_t length = text->size;
    if (length > MOST_DESCRIPTION_BYTES) {
        length = MOST_DESCRIPTION_BYTES;
        while (length && ((unsigned char)whole[length] & 0xc0) == 0x80)
            length--;
        text->size = length;
        npart__append_text(text, "...");
    }
    npart__add_sarif_text(document, out, key, npart__buffer_text(text));
    npart__buffer_release(text);
}

/* What Markdown takes for more than text. */
static void add_inert(struct npart__buffer *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>()#+!|~&", *text))
            npart__append_text(out, "\\");
        npart__append(out, text, 1);
    }
}

/* ---- a rule ------------------------------------------------------------------------------------------------ */

/* "Pad" of "hexagon/Pad/rank"; what is for every op, or for a pattern, has none. An op begins with a capital
 * letter, or with its domain ("com.microsoft:Gelu"); "every" and the names of patterns begin with a small one. */
static void add_op(struct npart__buffer *out, const char *id)
{
    const char *first = strchr(id, '/'), *last = strrchr(id, '/');
    if (!first || first == last || strchr("abcdefghijklmnopqrstuvwxyz", first[1]))
        if (!first || first == last || strncmp(first + 1, "com.", 4) != 0)
            return;
    npart__append(out, first + 1, (size_t)(last - first - 1));
    npart__append_text(out, ": ");
}

/* One paragraph of the help, as text and as Markdown. GitHub shows the Markdown where there is one, other viewers
 * the text: "Rule: ... Source: ...". A paragraph without a text is left out. */
static void add_help(struct npart__buffer *plain, struct npart__buffer *markdown, const char *heading, const char *text)
{
    if (!text || !*text)
        return;
    npart__append_format(plain, "%s%s: ", plain->size ? ". " : "", heading);
    npart__append_text(plain, text);
    npart__append_format(markdown, "%s**%s:** ", markdown->size ? "\n\n" : "", heading);
    add_inert(markdown, text);
}

/* Both forms; the Markdown has line ends of its own, and outside text is inert already. */
static void put_help(npart_document *document, struct npart__buffer *out, struct npart__buffer *plain,
                     struct npart__buffer *markdown)
{
    npart__json_open(out, "help", '{');
    npart__append_sarif_text(document, out, "text", npart__buffer_text(plain));
    npart__json_text(out, "markdown", npart__buffer_text(markdown));
    npart__json_close(out, '}');
    npart__buffer_release(plain);
    npart__buffer_release(markdown);
}

/* Closes the rule's object. `tag` may be NULL. */
static void end_rule(struct npart__sarif_rules *rules, const char *level, const char *severity, const char *list,
                     const char *tag)
{
    struct npart__buffer *out = &rules->json;
    npart__json_open(out, "defaultConfiguration", '{');
    npart__json_text(out, "level", level);
    npart__json_close(out, '}');
    npart__json_open(out, "properties", '{');
    npart__json_open(out, "tags", '[');
    npart__append_sarif_text(rules->document, out, NULL, list);
    if (tag)
        npart__append_sarif_text(rules->document, out, NULL, tag);
    npart__json_close(out, ']');
    npart__json_text(out, "problem.severity", severity);
    npart__append_text(out, "}}");
}

/* "Reshape the tensors around the operator to another rank. What must hold of Pad: rank must be at most 4". Where the
 * op list has no words of its own: by what the rule is about. */
static void add_mend(struct npart__buffer *out, const struct npart_rule *rule)
{
    static const char *const mends[] = {
        [NPART_ABOUT_DTYPE] = "Convert the tensors to another element type before the export, or quantize them",
        [NPART_ABOUT_RANK] = "Reshape the tensors around the operator to another rank",
        [NPART_ABOUT_SHAPE] = "Change the sizes of the operator in the source, or divide it into smaller ones",
        [NPART_ABOUT_DYNAMIC] = "Give the dynamic dimensions fixed sizes, at the export or in [dims] of "
                                "npu-partition.toml",
        [NPART_ABOUT_CONSTANT] = "Make the operand a constant of the graph: fold it before the export",
        [NPART_ABOUT_ATTRIBUTE] = "Change the attribute where the source calls the operator",
        [NPART_ABOUT_POLICY] = "Change what stands around the operator, or the option that keeps it apart",
    };
    size_t at = (size_t)rule->about;
    struct npart__buffer op = {.arena = out->arena};
    add_op(&op, rule->id);
    if (rule->about == NPART_ABOUT_OP) {
        npart__append_text(out, "Replace ");
        npart__append(out, op.size ? npart__buffer_text(&op) : "it", op.size ? op.size - strlen(": ") : 2);
        npart__append_text(out, " in the source by operators that the target takes (npu-partition --describe "
                                "TARGET), or export with another opset");
        npart__buffer_release(&op);
        return;
    }
    npart__append_text(out, at < NPART__COUNT(mends) && mends[at] ? mends[at] : "Change the operator in the source");
    npart__append_text(out, op.size ? ". What must hold of " : ". What must hold: ");
    npart__append_text(out, npart__buffer_text(&op));
    npart__append_text(out, rule->text);
    npart__buffer_release(&op);
}

/* The object goes on after its id, and ends here. An address as the source becomes the rule's link, if it is one
 * from end to end; most sources are a document with a page. */
static void describe(struct npart__sarif_rules *rules, const struct npart_rule *rule,
                     const struct npart_oplist_info *oplist)
{
    npart_document *document = rules->document;
    struct npart__buffer text, plain, markdown, *out = &rules->json;
    npart__buffer_init(&text, &document->arena);
    add_op(&text, rule->id);
    npart__append_text(&text, rule->text);
    add_description(document, out, "shortDescription", &text);
    npart__buffer_init(&text, &document->arena);
    add_op(&text, rule->id);
    npart__append_text(&text, rule->text);
    if (*rule->because)
        npart__append_format(&text, ", because %s", rule->because);
    npart__append_format(&text, ". A rule of %s", oplist->title);
    npart__append_format(&text, "%s%s.", *oplist->toolchain ? ", " : "", oplist->toolchain);
    add_description(document, out, "fullDescription", &text);
    npart__buffer_init(&plain, &document->arena);
    npart__buffer_init(&markdown, &document->arena);
    add_help(&plain, &markdown, "Rule", rule->text);
    add_help(&plain, &markdown, "Because", rule->because);
    add_help(&plain, &markdown, "Source", rule->source);
    npart__buffer_init(&text, &document->arena);
    if (!*rule->advice)
        add_mend(&text, rule);
    add_help(&plain, &markdown, "What to do", *rule->advice ? rule->advice : npart__buffer_text(&text));
    npart__buffer_release(&text);
    add_help(&plain, &markdown, "More", "npu-partition MODEL --target TARGET --explain NODE");
    put_help(document, out, &plain, &markdown);
    if (strncmp(rule->source, "https://", 8) == 0 && !strpbrk(rule->source, " {}|\\^`<>\""))
        npart__json_text(out, "helpUri", rule->source);
    end_rule(rules, rule->kind == NPART_RULE_MAYBE ? "note" : "warning", "warning", oplist->name,
             npart_cause_kind_text(rule->about));
}

/* Whether the rule is new; its object is begun then. Places are counted from 1 in the table, whose new entries are
 * 0. Out of memory, the place is any: the document has failed then. */
static bool begin(struct npart__sarif_rules *rules, const char *id, uint32_t *place)
{
    uint32_t *at = npart__table_at(&rules->ids, id);
    if (!at) {
        *place = 0;
        return false;
    }
    bool is_new = *at == 0;
    if (is_new)
        *at = (uint32_t)rules->ids.count;
    *place = *at - 1;
    if (is_new) {
        npart__append_text(&rules->json, rules->json.size ? ",\n" : "\n");
        npart__json_open(&rules->json, NULL, '{');
        npart__json_text(&rules->json, "id", id);
    }
    return is_new;
}

/* A cause whose rule the list cannot tell of is described by its own text. Only the first cause of a rule is looked
 * at: a rule says the same in all. */
uint32_t npart__sarif_rule(struct npart__sarif_rules *rules, const npart_plan *plan, const struct npart_cause *cause)
{
    struct npart_rule rule = {.size = sizeof rule, .kind = NPART_RULE_NEED, .id = cause->rule_id, .text = cause->text,
                              .source = "", .advice = "", .about = cause->kind, .because = ""};
    struct npart_oplist_info oplist = {.size = sizeof oplist};
    uint32_t place;
    if (!begin(rules, cause->rule_id, &place))
        return place;
    (void)npart_oplist_info(npart_plan_oplist(plan), &oplist);
    (void)npart_oplist_rule(npart_plan_oplist(plan), cause->rule, &rule);
    describe(rules, &rule, &oplist);
    return place;
}

/* A threshold as a rule, so that its results have one to refer to, and with a level of its own: error. */
uint32_t npart__sarif_threshold(struct npart__sarif_rules *rules, const char *id, const char *threshold)
{
    npart_document *document = rules->document;
    struct npart__buffer text, plain, markdown;
    uint32_t place;
    if (!begin(rules, id, &place))
        return place;
    npart__buffer_init(&text, &document->arena);
    npart__append_format(&text, "threshold %s", threshold);
    add_description(document, &rules->json, "shortDescription", &text);
    npart__buffer_init(&text, &document->arena);
    npart__append_format(&text, "The threshold %s, which the user has set, must be met.", threshold);
    add_description(document, &rules->json, "fullDescription", &text);
    npart__buffer_init(&plain, &document->arena);
    npart__buffer_init(&markdown, &document->arena);
    add_help(&plain, &markdown, "What to do", "follow the first action of the result, or change the threshold");
    add_help(&plain, &markdown, "More", "npu-partition MODEL --target TARGET");
    put_help(document, &rules->json, &plain, &markdown);
    end_rule(rules, "error", "error", "threshold", NULL);
    return place;
}
