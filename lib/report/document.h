/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents: one report over many models, in a format that other programs read. A format is a file with three
 * functions; what they share stands here.
 */
#ifndef NPART_REPORT_DOCUMENT_H
#define NPART_REPORT_DOCUMENT_H

#include "report/report.h"

/* What a format does before the first model, for each, and after the last; NULL: nothing. `add` is called only with
 * entries that document.c has checked, and neither `add` nor `end` once anything has failed. `begin` may be called
 * with an arena that has failed already: then nothing of it is used, and `drop` finds a state that may be NULL. */
struct npart__writer {
    void (*begin)(npart_document *document);
    void (*add)(npart_document *document, const struct npart_entry *entry);
    void (*end)(npart_document *document);
    void (*drop)(npart_document *document); /* closes buffers that were left open, whether it has ended or not */
};

#define DOCUMENT(format, writer) extern const struct npart__writer npart__##writer##_writer;
#include "report/documents.def"

/* html.c: what stands before the reports of a page, and after them (tools/generate/embed_page.sh). */
extern const unsigned char npart__html_head[], npart__html_tail[];
extern const size_t npart__html_head_bytes, npart__html_tail_bytes;

struct npart_document {
    const struct npart__writer *writer;
    struct npart__arena arena;      /* what is taken of it stays until the document ends */
    struct npart__buffer out;
    struct npart__buffer scratch;  /* what a getter writes */
    struct npart__buffer plain;    /* text from outside as it is shown */
    enum npart_detail detail;     /* as the caller asked; CSV, pictures and pages heed it */
    const char *root; /* without a slash at its end; NULL: there is none */
    bool has_project; /* as the caller asked */
    bool is_ended;
    bool has_head; /* of a page, is written */
    struct npart_error failure; /* why the arena has failed, where it does not know itself; else its status is OK */
    void *state;      /* the format's own, of the arena; NULL where it remembers nothing */
    const npart_advice *advice; /* that actions were looked up of last; NULL: none of this entry */
    struct NPART__ARRAY(uint32_t) actions; /* of it by cause the first step, plus one; 0: none */
};

/* npart__report_status of a document: what another report, a reader or the budget of a plan has told comes first, as
 * the arena knows its own allocator alone. */
npart_status npart__document_status(const npart_document *document, struct npart_error *error);
/* For such a failure. Nothing where the document has failed already. */
void npart__document_fail(npart_document *document, const struct npart_error *failure);

/* An outcome by its place: all of an entry have the size of the first. What a shorter one lacks is zero. */
struct npart_threshold_outcome npart__outcome(const struct npart_entry *entry, size_t index);
/* Of a plan that was compared with a baseline; false: it was not. */
bool npart__comparison(const struct npart_entry *entry, size_t plan, struct npart_threshold_outcome *out);
/* How a cause stands to what is accepted. */
enum npart__news {
    NPART__NEWS_OPEN, /* nothing accepts it */
    NPART__NEWS_ACCEPTED, /* all thresholds are met or waived */
    NPART__NEWS_OLD, /* the baseline has it, too */
    NPART__NEWS_TOLD, /* the outcome of the comparison tells it */
    NPART__NEWS_NEW /* against the baseline */
};
enum npart__news npart__news_of(const struct npart_entry *entry, size_t plan, uint32_t cause);
static inline bool npart__is_news(enum npart__news news)
{
    return news == NPART__NEWS_OPEN || news == NPART__NEWS_NEW;
}
/* Whether thresholds were set for a plan of the entry, or the model as a whole, and all of them are met or waived: then
 * what falls back is accepted as it is. */
bool npart__is_accepted(const struct npart_entry *entry, size_t plan);
/* The text as npart_plain_text shows it, until the next call. There is one buffer for them (npart_document.plain),
 * so two such texts cannot be held at a time. */
const char *npart__plain_text(npart_document *document, const char *text);

/* Plain text in XML, between tags and in attributes. What is not plain must go through npart__plain_text before:
 * XML 1.0 has no way to write most control characters, not even by their numbers. */
void npart__add_xml(struct npart__buffer *out, const char *plain);

/* ---- places ------------------------------------------------------------------------------------------------ */

/* A line of a file that a reader is sent to. */
struct npart__place {
    const char *file; /* as it was noted; not terminated */
    size_t file_bytes;
    int64_t line;   /* from 1; of a model always 1, as it has no lines */
    bool is_source; /* of the program that exported the model; else it is the model */
};

struct npart__place npart__place_of_model(const struct npart_entry *entry);
/* The line that made the first of the nodes that has one noted, else the model. `*node` is that node, else the first of
 * them, or NPART_NONE. */
struct npart__place npart__place_of_nodes(const struct npart_entry *entry, const npart_model *model,
                                          const uint32_t *nodes, uint32_t count, uint32_t *node);
/* The line that made the node, where the exporter has noted it, else the model. */
struct npart__place npart__place_of_node(const struct npart_entry *entry, const npart_model *model, uint32_t node);
/* The same of a cause: of the first of its nodes that has one. `*node` is the node, or NPART_NONE. */
struct npart__place npart__place_of_cause(const struct npart_entry *entry, const npart_model *model,
                                          const struct npart_cause *cause, uint32_t *node);
/* The file relative to the document's root, as far as it lies in it. Whether it is relative. */
bool npart__relative(const npart_document *document, struct npart__place *place);
/* A path as a URI reference (RFC 3986). */
void npart__add_uri(struct npart__buffer *out, const struct npart__place *place);

/* ---- sentences --------------------------------------------------------------------------------------------- */

/* A cause of a plan; returns what was found, until the next getter writes. */
const char *npart__read_cause(npart_document *document, const npart_plan *plan, uint32_t id, struct npart_cause *out);
/* "2 nodes fall back to the CPU and end 1 partition" */
void npart__add_affected(struct npart__buffer *out, const struct npart_cause *cause);
/* The first step against a cause. */
bool npart__find_action(npart_document *document, const npart_advice *advice, uint32_t cause,
                        struct npart_action *out);
/* The command that does it, as a shell reads it. */
void npart__add_run(struct npart__buffer *out, const struct npart_action *action);
/* What to do, with that command, or the options that show what it brings, or the lines of the project file. */
void npart__add_action(const npart_document *document, struct npart__buffer *out, const struct npart_action *action);
/* The same for the message of a cause, of which there may be as many as an action names things: no longer than this. */
#define NPART__MOST_ACTION_BYTES 1000u
void npart__add_short_action(const npart_document *document, struct npart__buffer *out,
                             const struct npart_action *action);
/* Whether that leaves something out. */
bool npart__is_long_action(const struct npart_action *action);
/* "node 12 (Conv conv1)" */
void npart__add_node_text(npart_document *document, struct npart__buffer *out, const npart_model *model, uint32_t node);

/* ---- tables ------------------------------------------------------------------------------------------------ */

/* Numbers by texts. Begins with the arena and zeros; its memory goes with the arena. `capacity` is a power of two, of
 * which at most a half is taken; texts are copied, so that the caller's may go. */
struct npart__table {
    struct npart__arena *arena;
    struct npart__table_slot *slots;
    size_t count, capacity;
};

/* The number of a text, 0 of one that is new, which is kept; NULL when out of memory. */
uint32_t *npart__table_at(struct npart__table *table, const char *key);
/* FNV-1a, to go on from; begin with NPART__HASH. */
#define NPART__HASH UINT64_C(14695981039346656037)
uint64_t npart__hash(uint64_t hash, const char *text, size_t length);
uint64_t npart__hash_text(uint64_t hash, const char *text); /* with its NUL, which separates */
/* Of a cause, the same after the model is exported again: of path, target, rule, and the operator and module of the
 * first node, not its name or line. Two causes may have the same. */
uint64_t npart__cause_hash(const npart_document *document, const struct npart_entry *entry, const npart_model *model,
                           const char *target, const struct npart_cause *cause);

/* ---- SARIF's rules ----------------------------------------------------------------------------------------- */

/* sarif_rules.c: the rules that were told of, each once, in the order of their first results. */
struct npart__sarif_rules {
    npart_document *document;
    struct npart__table ids;   /* places, counted from 1 */
    struct npart__buffer json;  /* objects with commas between them */
};

/* The place of an op list's rule, or of a threshold. */
uint32_t npart__sarif_rule(struct npart__sarif_rules *rules, const npart_plan *plan, const struct npart_cause *cause);
uint32_t npart__sarif_threshold(struct npart__sarif_rules *rules, const char *id, const char *threshold);
/* A SARIF message of outside text, {"text": ...}: its braces and links are no placeholders and links. The second is
 * the text alone. */
void npart__add_sarif_text(npart_document *document, struct npart__buffer *out, const char *key, const char *text);
void npart__append_sarif_text(npart_document *document, struct npart__buffer *out, const char *key, const char *text);

#endif
