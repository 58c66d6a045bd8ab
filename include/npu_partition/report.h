/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: reports and documents.
 */
#ifndef NPU_PARTITION_REPORT_H
#define NPU_PARTITION_REPORT_H

#include "compare.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reports --------------------------------------------------------------------------------------------- */

enum npart_detail {
    NPART_DETAIL_NODES,  /* everything but tensors */
    NPART_DETAIL_CAUSES, /* no list of nodes, partitions and crossings */
    NPART_DETAIL_SUMMARY, /* no list of causes either */
    NPART_DETAIL_TENSORS /* of JSON and HTML everything with the tensors, too; of others as NODES */
};

/* One plan, and what it would be with all sizes fixed, where that was tried. */
struct npart_plan_pair {
    const npart_plan *plan, *fixed; /* fixed may be NULL: nothing was dynamic */
    const npart_advice *advice; /* of `plan`; NULL: none is told */
};

/* Fills in the plan at `index` when a report comes to it: of 0, 1, ..., each once. The plan before is not asked for
 * anything any more, and may be freed. What it fails with the report does, wherever it is. */
typedef npart_status (*npart_plan_callback)(void *payload, size_t index, struct npart_plan_pair *out,
                                            struct npart_error *error);

struct npart_report_options {
    uint32_t version;
    bool use_color, use_ascii; /* of text; ASCII: no characters beyond it */
    uint32_t width;    /* of text, in columns; 0: 80 */
    bool is_verbose;   /* of text: every cause, and the nodes of each */
    enum npart_detail detail; /* of JSON */
    /* Of text and JSON, from version 2 on: makes the plans, of which the array is not looked at then, so that not all
     * are in memory at once. NULL: the array has them. */
    npart_plan_callback next;
    void *next_payload;
};
#define NPART_REPORT_OPTIONS_INIT {.version = 2, .detail = NPART_DETAIL_NODES}

/* What a report or document is written as. A new one is a row here, of lib/report/documents.def and of
 * tools/formats.def. */
enum npart_format {
    NPART_FORMAT_TEXT, /* for people */
    NPART_FORMAT_JSON, /* one line (docs/json.md) */
    NPART_FORMAT_SARIF, /* SARIF 2.1.0, for code scanning: a result for each cause and target */
    NPART_FORMAT_GITHUB, /* workflow commands of GitHub Actions: annotations */
    NPART_FORMAT_MARKDOWN, /* a comment of a pull or merge request */
    NPART_FORMAT_JUNIT, /* JUnit XML */
    NPART_FORMAT_CSV, /* RFC 4180, with a line of names first */
    NPART_FORMAT_DOT, /* for Graphviz: a digraph a plan, partitions and what runs on the CPU between them */
    NPART_FORMAT_SVG, /* the same pictures, drawn: one below the other */
    NPART_FORMAT_HTML, /* a page for a browser, in one file that loads nothing */
    NPART_FORMAT_MODEL_EXPLORER, /* node data of Model Explorer: of one model and one target */
    NPART_FORMAT_GITLAB /* GitLab's Code Quality report: what fails and what is new */
};
NPART_API const char *npart_format_text(enum npart_format value); /* in JSON, or NULL */

/* What a report is of. */
enum npart_subject_kind {
    NPART_SUBJECT_PLANS,   /* plans of one model. TEXT and JSON, and every format of a document (docs/formats.md) */
    NPART_SUBJECT_NODE,    /* every rule that speaks of a node, with its outcome and the values that it looked at, for
                            * each plan. TEXT */
    NPART_SUBJECT_MODULES, /* a table by module of the model's source (npart_plan_module), a line each, with a strip of
                            * its nodes as they run; as deep as 40 lines reach, or all with `is_verbose`. TEXT */
    NPART_SUBJECT_SHAPES,  /* every input and node output of the main graph (docs/json.md, "Shapes"); of a plan's view,
                            * what the target's runtime knows of them. JSON */
    NPART_SUBJECT_WORK,    /* the same, and with a node's first output what the node computes and moves
                            * (npart_inference_work). JSON */
    NPART_SUBJECT_FIX,     /* what a search found (docs/json.md, "Fix"). TEXT (all of each step with `is_verbose`),
                            * JSON */
    NPART_SUBJECT_DIFFS,   /* comparisons, of several targets one after the other (docs/json.md, "Diff"). TEXT, MARKDOWN
                            * for a pull request, JSON */
    NPART_SUBJECT_PLACEMENT, /* docs/json.md, "Placement". TEXT, JSON */
    NPART_SUBJECT_TRIES,   /* sizes of a decoder's cache side by side (docs/json.md, "Fix"). TEXT, JSON */
    /* What weights lose (docs/json.md, "Weights"). TEXT (all with `is_verbose`), JSON, CSV, SVG */
    NPART_SUBJECT_LOSSES,
    NPART_SUBJECT_PARTS, /* what npart_plan_split, or without `manifest` npart_plan_annotate, has written. TEXT, JSON */
    NPART_SUBJECT_FAILURE /* a model that could not be analyzed, as a line of scan (docs/scan.md). JSON */
};

/* A subject has what its kind asks for, and zeros:
 *
 *     struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_PLANS, .plans = &pair, .count = 1};
 */
struct npart_subject {
    size_t size;
    enum npart_subject_kind kind;
    const struct npart_plan_pair *plans; /* PLANS, NODE, MODULES; LOSSES: what the targets advise, or none */
    const npart_diff *const *diffs;      /* DIFFS */
    size_t count;                        /* of any of these, and of `tries` */
    const char *node;                    /* NODE: what npart_model_find_node takes; all that are called so */
    const npart_inference *inference;    /* SHAPES, WORK */
    const npart_fix *fix;                /* FIX */
    const char *written;                 /* FIX: the path that it was written to; NULL: it was not. PARTS */
    const npart_placement *placement;    /* PLACEMENT */
    /* TRIES: of one model and the same targets; one can be had at least. FIX: the files of its set, if it is of one */
    const struct npart_cache_try *tries;
    uint32_t prompt_tokens; /* TRIES, FIX: of a prompt; 0: as of npart_fix_decode, for the smallest cache */
    const npart_losses *losses;          /* LOSSES */
    const char *model;                   /* LOSSES, PARTS, FAILURE: its path, as reports call it */
    double seconds;                      /* LOSSES: that reading took */
    const char *made_with; /* PLANS, FAILURE: by which options, for `tool.options` of JSON; NULL: that is not told */
    const struct npart_error *why;       /* FAILURE */
    const char *manifest;                /* PARTS: the text of manifest.json */
    const char *code;                    /* FAILURE: a word for it; NULL: npart_failure_code */
};

/* Writes a report. Equal input, equal bytes. What reports know stands in this header, so that others can be written.
 * `options` may be NULL. Fails with WRITE, MEMORY, or ARGUMENT: nothing to report, plans of different models, no node
 * of that name, or no such format of this subject, where the message says which there are. */
NPART_API npart_status npart_report(const struct npart_subject *subject, enum npart_format format,
                                    const struct npart_report_options *options, npart_write_callback write,
                                    void *payload, struct npart_error *error);

/* A word for why a model could not be analyzed: "read", "malformed", "limit", "max-memory", "timeout", "memory",
 * "write" or "other". */
NPART_API const char *npart_failure_code(const struct npart_error *error);

/* The first cause as the text report tells it, without or with the node at which to look: "55 nodes, Mul: ..."; of a
 * model that is not loaded, why. Causes that have the same reason are told as one, and what fails to compile comes
 * first. Writes at most `bytes` with the NUL, and returns the length of the whole; 0: nothing falls back, or out of
 * memory. `*cause` is that cause's id or NPART_NONE, as where the model is not loaded; `cause` may be NULL. */
NPART_API size_t npart_plan_first_cause(const npart_plan *plan, bool has_place, uint32_t *cause, char *out,
                                        size_t bytes);
/* An action's `run` as a person may paste it: words are quoted for a POSIX shell, and lines that would have more than
 * `width` columns (at least 40) end in "\" and go on in the next one. The first is written from `column` on, the
 * others four further in. The text ends with a line feed. Writes and returns as above; 0: there is no command. */
NPART_API size_t npart_action_lines(const struct npart_action *action, uint32_t column, uint32_t width, char *out,
                                    size_t bytes);

/* What the tools that run the model have to be told for a plan to hold (docs/settings.md), as JSON of several lines;
 * sizes are those that the plan's inference was given. `advice` may be NULL. Fails with ARGUMENT (a name that is needed
 * is no UTF-8), WRITE or MEMORY. */
NPART_API npart_status npart_plan_settings(const npart_plan *plan, const npart_advice *advice,
                                           npart_write_callback write, void *payload, struct npart_error *error);
/* Whether there are such settings for targets of a list. */
NPART_API bool npart_oplist_has_settings(const npart_oplist *oplist);

/* An estimated time as reports tell it: two significant digits in the unit that suits, "~5.0 ms", "~2.1 s". Writes and
 * returns as above. */
NPART_API size_t npart_estimate_text(double ms, char *out, size_t bytes);

/* ---- documents ------------------------------------------------------------------------------------------- */

/* One document over many models, in a format that other programs read (docs/formats.md): neither TEXT nor JSON. */
typedef struct npart_document npart_document;

struct npart_document_options {
    uint32_t version;
    enum npart_detail detail; /* of CSV: a row for each node, cause, or plan; of pictures NODES: every box;
                               * of HTML: of the reports in it */
    const char *root; /* an absolute folder: files in it are told relative to it; NULL: paths stay as they are */
    const struct npart_allocator *allocator; /* NULL: malloc and free; copied */
    /* From version 2 on: a project file has the options, so actions tell its lines in place of command-line options. */
    bool has_project;
};
#define NPART_DOCUMENT_OPTIONS_INIT {.version = 2, .detail = NPART_DETAIL_SUMMARY}

/* What a threshold of the caller's says of a plan, or of the model. */
struct npart_threshold_outcome {
    size_t size;
    uint32_t plan;         /* by its place in the entry; NPART_NONE: of the model */
    bool is_met;
    const char *threshold; /* a stable name: "max-partitions" */
    const char *text;      /* a sentence: "13 partitions, threshold: at most 1" */
    const char *waiver;    /* why it is accepted though it is not met; NULL: it is not */
    /* With a baseline. Then of the plan's causes only `causes` are new, the first of which `text` tells; the others
     * were there before. A struct that ends before this member is taken, too. */
    bool is_comparison;
    const uint32_t *causes; /* ids of the plan's */
    uint32_t cause_count;
    const uint32_t *nodes; /* that are worse than before, the first one first */
    uint32_t node_count;
};

/* A model in a document. */
struct npart_entry {
    uint32_t version;
    const char *path;
    const struct npart_plan_pair *plans; /* all of this model */
    size_t plan_count;
    const struct npart_threshold_outcome *outcomes;
    size_t outcome_count;
    const struct npart_error *error; /* why the model cannot be analyzed: there are no plans then; else NULL */
};
#define NPART_ENTRY_INIT {.version = 1}

/* What an action's options are as lines of a project file (docs/project-file.md): "[dims]\nbatch = 1\n". Writes at most
 * `bytes` with the NUL, and returns the length of the whole; 0: it has no options, or none that such a file has. */
NPART_API size_t npart_action_config(const struct npart_action *action, char *out, size_t bytes);

/* Begins a document. Nothing of the options is needed afterwards; `write` is called from here on to npart_document_end.
 * Equal entries, equal bytes. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_document_start(npart_document **out, enum npart_format format,
                                            const struct npart_document_options *options, npart_write_callback write,
                                            void *payload, struct npart_error *error);
/* Tells of a model. Nothing of the entry is needed afterwards. Fails with ARGUMENT, which leaves the document as it
 * was, or with WRITE or MEMORY, from which on the document is lost: all later calls fail like that. */
NPART_API npart_status npart_document_add(npart_document *document, const struct npart_entry *entry,
                                          struct npart_error *error);
/* The next three are for HTML alone: other formats fail with ARGUMENT.
 * What changed between the last two reports that were added, the earlier one first. */
NPART_API npart_status npart_document_add_diff(npart_document *document, const npart_diff *const *diffs, size_t count,
                                               struct npart_error *error);
/* What was rewritten between them. `written`: as of npart_subject. */
NPART_API npart_status npart_document_add_fix(npart_document *document, const npart_fix *fix, const char *written,
                                              struct npart_error *error);
/* A report that was saved: one line of JSON of NPART_SUBJECT_PLANS, which is put in as it is. Whatever it says, it can
 * do nothing in the page; what is no such JSON cannot be drawn. Fails with READ, too, and then the document is lost. */
NPART_API npart_status npart_document_add_report(npart_document *document, npart_read_callback read, void *payload,
                                                 struct npart_error *error);
/* Writes what is left, after the last model. Only npart_document_free may come after it. Fails with WRITE, MEMORY or
 * ARGUMENT. */
NPART_API npart_status npart_document_end(npart_document *document, struct npart_error *error);
/* Gives the handle back; nothing more is written. */
NPART_API void npart_document_free(npart_document *document);

#ifdef __cplusplus
}
#endif

#endif
