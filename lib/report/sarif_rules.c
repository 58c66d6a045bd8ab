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
 * characters in the middle next to each other. (SARIF 2.1.0, 3.11.5 and 3.11.6.) A link becomes "[text] (target)".
 * `key` is written as it is. */
void npart__add_sarif_text(npart_document *document, struct npart__sheet *out, const char *key, const char *text)
{
    struct npart__sheet piece;
    npart__sheet_open(&piece, &document->pool);
    for (const char *at = npart__plain_text(document, text); *at; at++) {
        npart__add(&piece, at, 1);
        if (*at == '{' || *at == '}')
            npart__add(&piece, at, 1);
        else if (at[0] == ']' && at[1] == '(')
            npart__add(&piece, " ", 1);
    }
    const char *made = npart__sheet_text(&piece);
    npart__add_text(out, key);
    npart__add_json_string(out, made, piece.size);
    npart__sheet_close(&piece);
}

/* Never within a character. The text is closed. It is cut before braces are doubled, so that no pair is cut in two. */
static void add_description(npart_document *document, struct npart__sheet *out, const char *key,
                            struct npart__sheet *text)
{
    const char *whole = npart__sheet_text(text);
    size_t length = text->size;
    if (length > MOST_DESCRIPTION_BYTES) {
        length = MOST_DESCRIPTION_BYTES;
        while (length && ((unsigned char)whole[length] & 0xc0) == 0x80)
            length--;
        text->size = length;
        npart__add_text(text, "...");
    }
    npart__add_sarif_text(document, out, key, npart__sheet_text(text));
    npart__sheet_close(text);
}

/* What Markdown takes for more than text. */
static void add_inert(struct npart__sheet *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>()#+!|~&", *text))
            npart__add_text(out, "\\");
        npart__add(out, text, 1);
    }
}

/* ---- a rule ------------------------------------------------------------------------------------------------ */

/* "Pad" of "hexagon/Pad/rank"; what is for every op, or for a pattern, has none. An op begins with a capital
 * letter, or with its domain ("com.microsoft:Gelu"); "every" and the names of patterns begin with a small one. */
static void add_op(struct npart__sheet *out, const char *id)
{
    const char *first = strchr(id, '/'), *last = strrchr(id, '/');
    if (!first || first == last || strchr("abcdefghijklmnopqrstuvwxyz", first[1]))
        if (!first || first == last || strncmp(first + 1, "com.", 4) != 0)
            return;
    npart__add(out, first + 1, (size_t)(last - first - 1));
    npart__add_text(out, ": ");
}

/* One paragraph of the help, as text and as Markdown. GitHub shows the Markdown where there is one, other viewers
 * the text: "Rule: ... Source: ...". A paragraph without a text is left out. */
static void add_help(struct npart__sheet *plain, struct npart__sheet *markdown, const char *heading, const char *text)
{
    if (!text || !*text)
        return;
    npart__add_format(plain, "%s%s: ", plain->size ? ". " : "", heading);
    npart__add_text(plain, text);
    npart__add_format(markdown, "%s**%s:** ", markdown->size ? "\n\n" : "", heading);
    add_inert(markdown, text);
}

/* Both forms; the Markdown has line ends of its own, and outside text is inert already. */
static void put_help(npart_document *document, struct npart__sheet *out, struct npart__sheet *plain,
                     struct npart__sheet *markdown)
{
    npart__add_sarif_text(document, out, ",\"help\":{\"text\":", npart__sheet_text(plain));
    npart__add_json_text(out, ",\"markdown\":", npart__sheet_text(markdown));
    npart__add_text(out, "}");
    npart__sheet_close(plain);
    npart__sheet_close(markdown);
}

/* The object goes on after its id, and ends here. An address as the source becomes the rule's link, if it is one
 * from end to end; most sources are a document with a page. */
static void describe(struct npart__sarif_rules *rules, const struct npart_rule *rule,
                     const struct npart_oplist_info *oplist)
{
    npart_document *document = rules->document;
    struct npart__sheet text, plain, markdown, *out = &rules->json;
    npart__sheet_open(&text, &document->pool);
    add_op(&text, rule->id);
    npart__add_text(&text, rule->text);
    add_description(document, out, ",\"shortDescription\":{\"text\":", &text);
    npart__sheet_open(&text, &document->pool);
    add_op(&text, rule->id);
    npart__add_text(&text, rule->text);
    if (*rule->because)
        npart__add_format(&text, ", because %s", rule->because);
    npart__add_format(&text, ". A rule of %s", oplist->title);
    npart__add_format(&text, "%s%s.", *oplist->toolchain ? ", " : "", oplist->toolchain);
    add_description(document, out, "},\"fullDescription\":{\"text\":", &text);
    npart__sheet_open(&plain, &document->pool);
    npart__sheet_open(&markdown, &document->pool);
    add_help(&plain, &markdown, "Rule", rule->text);
    add_help(&plain, &markdown, "Because", rule->because);
    add_help(&plain, &markdown, "Source", rule->source);
    add_help(&plain, &markdown, "What to do", *rule->advice ? rule->advice : "follow the action that the result tells");
    add_help(&plain, &markdown, "More", "npu-partition MODEL --target TARGET --explain NODE");
    npart__add_text(out, "}");
    put_help(document, out, &plain, &markdown);
    if (strncmp(rule->source, "https://", 8) == 0 && !strpbrk(rule->source, " {}|\\^`<>\""))
        npart__add_json_text(out, ",\"helpUri\":", rule->source);
    npart__add_text(out, rule->kind == NPART_RULE_MAYBE ? ",\"defaultConfiguration\":{\"level\":\"note\"}"
                                                        : ",\"defaultConfiguration\":{\"level\":\"warning\"}");
    npart__add_sarif_text(document, out, ",\"properties\":{\"tags\":[", oplist->name);
    npart__add_sarif_text(document, out, ",", rule->about);
    npart__add_text(out, "],\"problem.severity\":\"warning\"}}");
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
        npart__add_text(&rules->json, rules->json.size ? ",\n" : "\n");
        npart__add_json_text(&rules->json, "{\"id\":", id);
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
    struct npart__sheet text, plain, markdown;
    uint32_t place;
    if (!begin(rules, id, &place))
        return place;
    npart__sheet_open(&text, &document->pool);
    npart__add_format(&text, "threshold %s", threshold);
    add_description(document, &rules->json, ",\"shortDescription\":{\"text\":", &text);
    npart__sheet_open(&text, &document->pool);
    npart__add_format(&text, "The threshold %s, which the user has set, must be met.", threshold);
    add_description(document, &rules->json, "},\"fullDescription\":{\"text\":", &text);
    npart__sheet_open(&plain, &document->pool);
    npart__sheet_open(&markdown, &document->pool);
    add_help(&plain, &markdown, "What to do", "follow the first action of the result, or change the threshold");
    add_help(&plain, &markdown, "More", "npu-partition MODEL --target TARGET");
    npart__add_text(&rules->json, "}");
    put_help(document, &rules->json, &plain, &markdown);
    npart__add_text(&rules->json, ",\"defaultConfiguration\":{\"level\":\"error\"},"
                                  "\"properties\":{\"tags\":[\"threshold\"],\"problem.severity\":\"error\"}}");
    return place;
}
