/* SPDX-License-Identifier: Apache-2.0
 *
 * oplist: an op list (docs/oplist-format.md) read into tables, and a target chosen from it.
 * Knows operators by their schemas, and no graph: whether a rule holds at a node is asked in
 * lib/plan/judge, with the terms that stand here.
 * A list is read once, whatever variant or switches are chosen, and is not changed afterwards, but for rules of one
 * that is built in: those of an op are read when they are first asked for (late.c).
 * Things refer to each other by index into arrays of the list; NPART_NONE stands for none.
 */
#ifndef NPART_OPLIST_H
#define NPART_OPLIST_H

#include "release/release.h"

/* Limits of an op list, all tested at their edge. Lists may come from anyone (--oplist FILE), so
 * none of them may make reading or judging slow, large or deep. */
#define NPART__LIMIT_OPLIST_BYTES ((size_t)4 << 20)
#define NPART__LIMIT_LINE_BYTES ((size_t)4 << 10)
/* Of no op and no pattern. Many are gone through for each node. */
#define NPART__LIMIT_LIST_LINES 8192u
#define NPART__LIMIT_TOKENS 512u /* words of a line */
/* Parsing and evaluating recurse as deep as conditions nest, on the caller's stack. */
#define NPART__LIMIT_CONDITION_DEPTH 64u
#define NPART__LIMIT_DEFINE_DEPTH 16u
/* Only built-in lists can be included, which are not deep; a list that includes itself ends
 * here. */
#define NPART__LIMIT_INCLUDE_DEPTH 4u
/* Words of defines, each time that one is read. Defines that use each other twice, sixteen deep, are 400 bytes. */
#define NPART__LIMIT_TOKENS_AGAIN 500000u
/* Arguments of one define are kept on the stack while it is read. */
#define NPART__LIMIT_PARAMETERS 8u
/* Mistakes that are told of one list; of further ones only how many there are. */
#define NPART__LIMIT_MISTAKES 20u
/* Each is told from the others of its section by going through them. */
#define NPART__LIMIT_RULES_OF_SECTION 512u
#define NPART__LIMIT_DEFINES 1024u
/* Of one table, which is evaluated as deep as it has rows. */
#define NPART__LIMIT_ROWS 512u
/* Each is looked for among all before it. */
#define NPART__LIMIT_TOOLCHAINS 1024u
#define NPART__LIMIT_VARIANTS 1024u
#define NPART__MOST_POOL_KB (1 << 30)
#define NPART__LIMIT_VARIANT_NAMES 4096u /* with those after `is` */
#define NPART__LIMIT_PATTERNS 4096u
/* Switches and stages are bits of 32-bit numbers. */
#define NPART__LIMIT_SWITCHES 32u
#define NPART__LIMIT_STAGES 8u
/* Of a `decided` line: NPU, GPU and CPU. */
#define NPART__LIMIT_UNITS 3u
/* Of one pattern: names, alternatives, and how deep its expressions nest. */
#define NPART__LIMIT_PATTERN_NAMES 16u
#define NPART__LIMIT_PATTERN_MATCHES 8u
#define NPART__LIMIT_PATTERN_DEPTH 32u

/* ---- what an op list holds ------------------------------------------------------------------------------- */

/* When a line counts: the stage that is applied (into line_stages), the switch with which, the one without which, the
 * first toolchain with which, and the first with which no more; NPART_NONE: always. */
struct npart__line_condition {
    /* All are indexes: `stage` into line_stages, `with` and `without` into switches, the others into toolchains. A bit
     * of the target or a place among releases is compared with them (npart__target_has). */
    uint32_t stage, with, without, since, before;
};
#define NPART__ALWAYS ((struct npart__line_condition){NPART_NONE, NPART_NONE, NPART_NONE, NPART_NONE, NPART_NONE})

/* One requirement, as a line of the list states it. An op that several names share has a rule
 * for each of them; rules that no line spells out (a missing entry, a partition that is too
 * small) are rules as well, since whatever a person is told has an id, a sentence and a source. The condition is
 * asked of one node at a time, by lib/plan/judge; nothing of an answer is kept here. */
struct npart__rule {
    const char *id;       /* "hexagon/Conv/rank-X": stable */
    const char *sentence; /* what is required, for a person */
    const char *because;  /* why that is required; NULL when unsaid */
    const char *source;   /* where it stands; "" when unsaid */
    const char *advice;   /* what to change in the model where it does not hold; NULL when unsaid */
    uint32_t condition;   /* term, or NPART_NONE: never holds (a `refuse`, a bare `maybe`, a missing entry),
                           * of a note always */
    uint8_t kind;         /* enum npart_rule_kind */
    uint8_t about;        /* enum npart_cause_kind */
    uint8_t stage;
    bool is_fatal;        /* `else fail` */
    bool is_limited;      /* to targets that have `when`: for others it says nothing */
    struct npart__line_condition when;
    uint8_t subject;      /* of a pattern: 1 + the name whose node is asked; 0: its last node */
    uint32_t pattern;     /* 1 + the pattern or failure that it stands in; 0: none */
    uint32_t line;
};

/* An op, or some versions of it, in one stage: `op Conv 11..`. Its rules follow one another in
 * the list's array. Versions of one op must not overlap, so a node meets one entry of a stage at
 * most. A node without a known version counts as the newest (version_of in lib/plan/judge/judge.c). */
struct npart__op_entry {
    const char *domain, *name;
    int32_t first_version, last_version; /* of the opset */
    uint32_t first_rule, rule_count;     /* contiguous */
    uint32_t late;                       /* plus one, of what is read when it is asked for; 0: it has been read */
    uint8_t stage;
    uint32_t line;
    uint64_t column; /* with the line: where the op is named */
};

/* A stage that a line names, which may stand before the stage's own `gate` line. */
struct npart__line_stage {
    const char *name;
    uint32_t stage; /* filled in at the list's end */
    uint32_t line, column;
};

/* A stage, in the order in which a node has to pass them: the provider's checks, then the
 * frontend's, then the compiler's. What one stage takes may fall back at the next. */
struct npart__stage {
    const char *name;    /* the stage, where a rule is not met */
    const char *missing; /* the stage, where the op has no entry */
    const char *sentence;
    uint32_t first_every, every_count; /* rules for all ops */
    uint32_t missing_rule; /* told of an op without an entry; made at the list's end, NPART_NONE until then */
    const char *source; /* of the missing rule */
    struct npart__line_condition when; /* else the stage is left out */
    bool folds;         /* folds constants and shape arithmetic by itself, whatever the level */
    bool has_ops; /* an `op` line has been read: rules for every op may not follow */
};

/* Part of a pattern's expression: what an operand has to be. */
enum npart__pattern_kind {
    NPART__PATTERN_NODE,   /* output `output` of a node of this op, whose inputs match the arguments */
    NPART__PATTERN_NAME,   /* the same value wherever the name stands */
    NPART__PATTERN_NUMBER, /* a constant, every element of which is close to this number */
    NPART__PATTERN_CONST,  /* any constant */
    NPART__PATTERN_ANY,    /* `*`: anything, or nothing */
    NPART__PATTERN_REST,   /* `..`: further operands, whatever they are */
};

/* A part of an expression such as Mul(x, Add(Erf(Div(x, 1.4142)), 1)); the parts of all patterns
 * lie in one array. A pattern is given by the index of its outermost part. A name that stands twice is two parts
 * with one `name`. */
struct npart__pattern_part {
    uint8_t kind, output;
    bool is_shared;             /* a node that several matches may have, and whose results others may use */
    const char *domain, *op;    /* of a node */
    double number;
    uint32_t name;              /* by name: index of the pattern's names */
    uint32_t argument, next;    /* first argument of a node; next argument of the same node; NPART_NONE ends both */
    uint32_t line, column;
};

/* Nodes that the target takes as one, although it may lack some of their ops. Or, of a `failure`, nodes that it takes
 * and then fails to compile together; of a `refusal`, nodes beside which it takes none. Fixed arrays, as a pattern is
 * copied whole when its last line has been read (line_pattern in sections.c). */
struct npart__pattern {
    const char *name;
    uint8_t stage;
    bool is_failure, is_refusal;     /* a pattern is neither */
    uint32_t unit_rule;              /* the note that stands at every node of a match; else what is required */
    uint32_t first_rule, rule_count; /* needs, all of which must hold */
    uint32_t name_count, match_count;
    struct {
        const char *text;
        uint32_t part;               /* its expression; NPART_NONE: a free name, bound where it first stands */
    } names[NPART__LIMIT_PATTERN_NAMES];
    uint32_t matches[NPART__LIMIT_PATTERN_MATCHES]; /* parts: the alternatives' last nodes */
    uint32_t line;
};

/* As a list writes it. */
static inline const char *npart__pattern_word(const struct npart__pattern *pattern)
{
    return pattern->is_failure ? "failure" : pattern->is_refusal ? "refusal" : "pattern";
}

/* Part of what a rewrite puts in the place of a match: an expression over names of its pattern. */
enum npart__put_kind {
    NPART__PUT_NODE,    /* a new node of an op, with operands and attributes */
    NPART__PUT_COPY,    /* a copy of a node of the match with other operands and some other attributes */
    NPART__PUT_VALUE,   /* a value of the match: a name, or result `output` of a node that has one */
    NPART__PUT_OPERAND, /* an operand of a node of the match, by the operator's name for it */
    NPART__PUT_MADE,    /* result `output` of what a `make` line makes */
    NPART__PUT_NUMBERS, /* a new constant */
    NPART__PUT_VIEW,    /* an argument in dims that the numbers are; of rank 0 a constant, where its number is known */
    NPART__PUT_CHOICE,  /* of two arguments the first where the condition holds */
    NPART__PUT_ABSENT,  /* `*`: an operand that is left out, a result that nothing may use */
    NPART__PUT_REST,    /* `..`: of a copy, its operands from here on */
};
#define NPART__ROOT_NAME UINT32_MAX /* as a name: the last node of the match */

struct npart__put_part {
    uint8_t kind, output;
    uint8_t rank;            /* of numbers: 0 of one number, 1, or 2 of one row */
    uint8_t element_type;    /* of numbers; 0: that of the value `like` */
    uint32_t like;           /* part */
    const char *domain, *op; /* of a node */
    uint32_t name;           /* of the pattern's names, or of makes; NPART__ROOT_NAME */
    uint32_t selector;       /* OPERAND */
    uint32_t condition;      /* CHOICE */
    uint32_t first_number, number_count; /* terms, in put_numbers */
    uint32_t argument, next; /* first operand of a node; next operand of the same node; NPART_NONE ends both */
    uint32_t attribute;      /* first of put_attributes */
};

/* An attribute of a new node: numbers, a word, or what another node has. */
struct npart__put_attribute {
    const char *name;
    char kind;                           /* of the schema: f i s F I; '*': is dropped; 'r': number of results */
    const char *copied;                  /* from the node `from`, with its default; NULL: the numbers */
    uint32_t from;                       /* of the pattern's names, or NPART__ROOT_NAME */
    bool is_given;                       /* copied only where that node gives it */
    uint32_t first_number, number_count; /* terms, in put_numbers */
    uint32_t next;
};

/* Of one form of a rewrite: names of what it makes, and results that it puts. */
#define NPART__LIMIT_MAKES 16u
#define NPART__LIMIT_PUTS 8u
#define NPART__LIMIT_CLASSES 4u /* `class` lines */

/* What a rewrite replaces, and what by: a pattern and what comes in its place, or a function of lib/change/rewrite. */
struct npart__rewrite_form {
    const char *function; /* its name, "" where lib/change/fix itself does it; NULL: the pattern says all */
    const char *ops;      /* of a function: what it is offered, with blanks between; "*": any */
    struct npart__pattern pattern;
    struct {
        const char *text;
        uint32_t part;
        uint8_t results; /* how many of its node are asked for */
        bool is_used, is_early; /* is_early: made before all else, and not where it is used first */
    } makes[NPART__LIMIT_MAKES];
    uint32_t make_count;
    uint32_t puts[NPART__LIMIT_PUTS]; /* parts, by result of the last node; further results must be unused */
    uint32_t put_count;
    uint32_t anchor; /* the node that a target lacks: the name of a let; NPART__ROOT_NAME: the last one */
    uint8_t equality; /* place in npart__equality_words; `or class CLASS` of a form goes before the rewrite's */
    const char *caveat; /* NULL: the rewrite's */
    struct {
        uint32_t condition;
        uint8_t equality;
        const char *caveat;
    } classes[NPART__LIMIT_CLASSES]; /* in place of the two above, where the condition holds; the first that does */
    uint32_t class_count;
};

/* A `rewrite` of a list of rewrites (docs/inside/rewrites.md). */
struct npart__rewriting {
    const char *id, *argument, *source, *caveat; /* "" where it has none */
    uint8_t phase, equality; /* places in npart__phase_words, npart__equality_words */
    bool enables;
    uint32_t first_form, form_count; /* in forms; of several that match the first counts */
    uint32_t line;
};
extern const char *const npart__phase_words[], *const npart__equality_words[]; /* NULL ends them */

/* A chip or a generation: `variant v73 is sm8550 like v69 with float`. Rules ask for it by
 * variant(v69), which holds for those that are like it, too. */
struct npart__variant {
    const char *name, *title;
    uint32_t like;     /* variant whose parameters it shares, or itself */
    uint32_t switches; /* bits that are on by default */
    /* Other names of it; a user may write any of them, in any case of letters. */
    const char *const *aliases;
    uint32_t alias_count;
};

/* Cost parameters by name: parameters.def. */
enum npart__parameter_name {
#define PARAMETER(name, text, where, sentence) NPART__PARAMETER_##name,
#include "oplist/parameters.def"
    NPART__PARAMETERS
};
extern const char *const npart__parameter_names[];

/* What a node computes in, which decides how fast it is: floating point, or activations quantized to 8 or 16
 * bits, whatever the weights are. A node's own is found by cost; a `param` line without `of` is for all four. */
enum npart__arithmetic {
    NPART__ARITHMETIC_FLOAT32,
    NPART__ARITHMETIC_FLOAT16,
    NPART__ARITHMETIC_W8A8,
    NPART__ARITHMETIC_W8A16,
    NPART__ARITHMETICS
};
extern const char *const npart__arithmetic_names[];

/* Through what partitions are started; `bare` is the vendor's own runtime. */
enum npart__invoker {
    NPART__INVOKER_BARE,
    NPART__INVOKER_ONNXRUNTIME,
    NPART__INVOKER_TFLITE,
    NPART__INVOKER_COREML,
    NPART__INVOKERS
};
extern const char *const npart__invoker_names[];

/* One value of a cost parameter: low, typical, high in the unit that its name ends with. */
struct npart__parameter {
    uint8_t name;       /* enum npart__parameter_name; NPART__PARAMETERS: one that is not read */
    uint8_t arithmetic; /* NPART__ARITHMETICS: any */
    uint8_t invoker;    /* NPART__INVOKERS: any */
    uint8_t layer;      /* how many files were laid on top before: the last counts first */
    uint32_t variant;   /* NPART_NONE: all */
    double low, typical, high;
    bool is_assumed;  /* not measured */
    const char *source;
};

/* Element types of weights that ONNX has no number for: a 4-bit index into sixteen floating point numbers. */
#define NPART__TYPE_NF4 63

/* What is shared by one scale, and where the zero points lie. ANY stands in lines alone, UNKNOWN in what was seen. */
enum npart__granularity {
    NPART__SCALE_ANY,     /* of floating point: there is no scale */
    NPART__SCALE_UNKNOWN,
    NPART__SCALE_TENSOR,
    NPART__SCALE_CHANNEL,
    NPART__SCALE_BLOCK16, /* so many weights that lie on one axis */
    NPART__SCALE_BLOCK32,
    NPART__SCALE_BLOCK64,
    NPART__SCALE_BLOCK128,
    NPART__SCALE_BLOCK256,
    NPART__SCALE_BLOCK, /* another number of them; in a line any number */
    NPART__SCALES       /* how many there are */
};
/* Where zero points lie in the range of their type: MIDDLE is 0 of int8 and 128 of uint8, OFF is anywhere else,
 * which an accelerator has to correct for. ANY and UNKNOWN as above. */
enum npart__symmetry { NPART__ZERO_ANY, NPART__ZERO_UNKNOWN, NPART__ZERO_MIDDLE, NPART__ZERO_OFF, NPART__ZEROS };

/* In which precision a node computes: a row of formats.def with what is finer. */
#define NPART__FORMATS 16u
struct npart__format {
    uint8_t row;         /* of formats.def; NPART__FORMATS: types that no row has, or that are not known */
    uint8_t granularity; /* enum npart__granularity */
    uint8_t symmetry;    /* enum npart__symmetry */
    bool is_packed;      /* as bytes for an operator with a number of bits; in a line: only so */
};

#define NPART__HAPPENINGS (NPART_HAPPENS_UNKNOWN + 1) /* how many there are */

/* A `precision` line: of several that are for a format, the last that counts. */
struct npart__precision_line {
    uint32_t first_format, format_count;   /* in formats */
    uint32_t first_variant, variant_count; /* in format_variants; none: all */
    struct npart__line_condition when;
    uint8_t happens; /* enum npart_happening */
    bool is_assumed;
    double share; /* of VECTOR, and of DEQUANTIZED where it is known: of the matrix unit's rate; else 0 */
    const char *sentence, *because, *source; /* because: NULL when unsaid */
    uint32_t line;
};

/* A number that rules compare with, for all variants or one. */
struct npart__limit {
    const char *name;
    uint32_t variant; /* NPART_NONE: all */
    int64_t number; /* exact, where it is whole; else 0 */
    double real;
    bool is_whole; /* without point and exponent: compared as an integer */
};

/* Memory that the compiler gives buffers a place in, those before it first: lib/plan/memory/pools.c. */
struct npart__pool {
    const char *name;
    uint32_t variant; /* NPART_NONE: all */
    uint64_t start, bytes;
};

/* ONNX Runtime's provider for the target. */
struct npart__provider {
    const char *name;     /* by which a session knows it */
    const char *compiler; /* the provider that compiles a model for it beforehand; NULL: itself, in the session */
    const char *package;  /* what brings it */
    const char *hint;     /* what else a session needs for it; NULL: nothing */
    const char *source;
    struct npart__line_condition when;
};

/* What a session has to be told for the list to hold. */
#define NPART__NUMBER_OF_VARIANT "{number}"
struct npart__provider_option {
    const char *name, *value;
    bool is_session; /* an entry of the session's configuration, and none of the provider's */
    bool is_numbered; /* for variants that have a number alone, which NPART__NUMBER_OF_VARIANT stands for */
    uint32_t variant; /* NPART_NONE: all */
    const char *sentence; /* what it does; "" when unsaid */
    const char *source;
    struct npart__line_condition when;
};

/* What a runtime does to the partitions it could form: `partitions` lines, in their order. */
enum npart__policy_kind {
#define POLICY(id, form, sentence) NPART__POLICY_##id,
#include "oplist/lines.def"
    NPART__POLICY_KINDS
};

/* A `partitions` line: they are applied one after the other to the partitions that could be
 * formed. */
struct npart__policy {
    uint8_t kind;
    struct npart__line_condition when;
    /* Above 0 where the form has a NUMBER; of `unread` the place of the operand that is not read, which may be 0;
     * else 0. */
    uint64_t number;
    uint32_t first_op, op_count; /* in policy_ops */
    uint32_t rule;               /* the reason at the nodes that it leaves to the CPU */
};

static inline bool npart__policy_keeps(const struct npart__policy *policy)
{
    return policy->kind == NPART__POLICY_KEEP_HEAVIEST || policy->kind == NPART__POLICY_KEEP_FIRST ||
           policy->kind == NPART__POLICY_DROP_OVER;
}

static inline bool npart__policy_cuts(const struct npart__policy *policy)
{
    return policy->kind >= NPART__POLICY_CUT_ANEW;
}

/* Reasons for what a partitioner itself leaves to the CPU. */
enum npart__partitioner_reason {
    NPART__REASON_BEHIND_REFUSED, /* prefix: after the first node that falls back */
    NPART__REASON_NOT_WHOLE,      /* whole: not everything is accepted */
    NPART__REASON_ALONE,          /* openvino: a partition of one node */
    NPART__REASON_NO_INPUT,       /* openvino: a partition that nothing is fed into */
    NPART__REASON_CYCLE,          /* openvino: a node that joined a partition which waits for it */
    NPART__REASON_PARTED_BODY,    /* openvino: a node of whose body only a part is taken */
    NPART__REASON_NOT_AT_ONCE,    /* qnn: partitions would depend on each other in a cycle */
    NPART__REASON_CUT,            /* a boundary that the user asks for */
    NPART__REASON_COUNT
};

/* A `partitioner` line; the name is checked by lib/plan/partition, which knows what there is. */
struct npart__partitioner_choice {
    const char *name;
    struct npart__line_condition when;
    uint32_t line, column;
};

/* A `runtime` or `rewriting` line. */
struct npart__runtime_choice {
    const struct npart__runtime *runtime;
    struct npart__line_condition when;
};

/* Ops that the CPU's side has. */
struct npart__fallback {
    uint32_t first_op, op_count; /* into policy_ops */
    bool has_all;
    struct npart__line_condition when;
    uint32_t rule;
};

struct npart__names NPART__ARRAY(const char *);
struct npart__late;
struct npart__builtin_oplist;

/* How far a list was verified, as its `standing` line says; verified.c has the words. */
enum npart__verified_kind {
    NPART__VERIFIED_AS_TOLD, /* `note` is all there is; "" where no line says it */
    NPART__VERIFIED_BY_COMPILER,
    NPART__VERIFIED_BY_SOURCE,
    NPART__VERIFIED_BY_DOCUMENTS
};
struct npart__verified {
    enum npart__verified_kind kind;
    const char *by;   /* the release that was asked, or the commit that was read; "" of documents */
    const char *note; /* "" for none */
    uint64_t probes;  /* models that the compiler was asked about */
    uint64_t agreed, asked; /* of its answers about them; asked is 0 unless a compiler was asked */
};

/* A list as it was read. Ranges of `rules` belong to ops, patterns and stages; policies,
 * partitioners and runtimes are in the order of their lines, of which those count whose
 * condition the target meets. */
struct npart__oplist {
    struct npart__arena *arena;
    const char *path; /* for messages */
    const char *name, *title, *source; /* "" where unsaid; `source` is the first line of its kind */
    struct npart__late *late; /* NULL: all has been read */
    struct npart__verified verified;
    const char *standing; /* that in words, of the newest release */
    struct NPART__ARRAY(const char *) toolchains; /* as released; the last is the default */
    struct NPART__ARRAY(struct npart__term) terms; /* of all conditions and calculated numbers */
    struct NPART__ARRAY(struct npart__selector) selectors; /* of all terms: which operands are asked */
    struct NPART__ARRAY(struct npart__rule) rules; /* in the order in which they were read */
    uint32_t written_rule_count; /* the first of them; after them those that every list has */
    struct NPART__ARRAY(struct npart__op_entry) ops; /* sorted by stage, domain, name, version */
    struct NPART__ARRAY(struct npart__pattern) patterns;
    struct NPART__ARRAY(struct npart__pattern_part) pattern_parts; /* of patterns and of rewrites */
    bool is_rewrites; /* it holds these and no target */
    struct NPART__ARRAY(struct npart__rewriting) rewrites;
    struct NPART__ARRAY(struct npart__rewrite_form) forms;
    struct NPART__ARRAY(struct npart__put_part) put_parts;
    struct NPART__ARRAY(struct npart__put_attribute) put_attributes;
    struct NPART__ARRAY(uint32_t) put_numbers; /* terms, by constant or attribute one range */
    struct NPART__ARRAY(struct npart__variant) variants;
    struct NPART__ARRAY(struct npart__parameter) parameters; /* cost files laid on top come last */
    struct NPART__ARRAY(struct npart__limit) limits;
    struct NPART__ARRAY(struct npart__pool) pools;
    struct NPART__ARRAY(struct npart__provider) providers;
    struct NPART__ARRAY(struct npart__provider_option) options;
    struct NPART__ARRAY(struct npart__precision_line) precisions;
    struct NPART__ARRAY(struct npart__format) formats; /* of precision lines, by line one range */
    struct NPART__ARRAY(uint32_t) format_variants; /* the variants that a precision line is for */
    struct NPART__ARRAY(const char *) switches; /* the place of one is its bit */
    const char *unit, *on_unit, *beside; /* "NPU", "on the NPU" and "CPU", or what a `unit` line says */
    uint32_t brought[NPART__LIMIT_SWITCHES];    /* bits that each sets beside its own; all 0 past `switches` */
    /* Who decides, once the runtime has taken nodes, which of the units runs them; NULL: the NPU does. */
    const char *decided_by, *decided_source; /* decided_source: "" when unsaid */
    const char *units[NPART__LIMIT_UNITS];   /* the first is the NPU; NULL after the last */
    struct npart__names layout_ops;  /* "domain:name" of layout-sensitive ops */
    struct npart__names through_ops; /* of ops that work in either layout */
    struct npart__names moved_ops;   /* of ops that only reorder axes, which the runtime moves */
    struct npart__names quantized_ops, early_ops, plain_ops; /* what ops note of tensors: runtime/qnn/held.c */
    struct npart__stage stages[NPART__LIMIT_STAGES];
    uint32_t stage_count; /* at least 1 */
    uint32_t default_variant; /* NPART_NONE: the list has no variants */
    const char *layout;      /* the target's own, of layout-sensitive ops; "" none */
    struct NPART__ARRAY(struct npart__partitioner_choice) partitioners; /* the last that counts is used */
    bool asks_any_name;      /* name() is compared with more than plain names (see npart__is_plain_name) */
    /* Of each the last line that counts: what rewrites the graph, and whose knowledge of shapes verdicts stand on. */
    struct NPART__ARRAY(struct npart__runtime_choice) rewritings, runtimes;
    struct NPART__ARRAY(struct npart__line_stage) line_stages;
    struct NPART__ARRAY(struct npart__policy) policies;
    struct npart__names policy_ops;  /* "domain:name" */
    struct NPART__ARRAY(struct npart__fallback) fallbacks; /* all that the CPU side has; none: everything */
    uint32_t partitioner_rules[NPART__REASON_COUNT]; /* by enum npart__partitioner_reason; in every list */
    bool refusal_is_fatal;   /* of the partitioner `whole` */
    bool claims_by_name;     /* a call of a model's own function is taken for the standard's op of its name */
    uint32_t integer_rule;   /* of `integer-only`, under this condition; NPART_NONE: floating point runs */
    struct npart__line_condition integer_when;
    bool inlines_standard;   /* an op that the standard defines by others gives way to these when neither side has it */
    struct npart__line_condition standard_when; /* when that counts */
    bool bodies_stay;        /* nodes of control-flow bodies are left to the CPU, under this condition */
    struct npart__line_condition bodies_when;
    uint32_t bodies_rule;
    uint32_t older_rule; /* at nodes that a release older than all lines may take; NPART_NONE without such lines */
    uint32_t assumed_cpu_rule, assumed_npu_rule; /* at nodes of which the user assumes something */
};

/* Who is told of every mistake of a list and, where nothing is wrong but something doubtful, of that. */
struct npart__listener {
    void (*tell)(void *payload, bool is_warning, const char *place, const char *message);
    void *payload;
};

/* Reads an op list; `path` is only for messages. Fails with the first mistake, file:line:column as its place; a
 * listener, which may be NULL, is told of more. `text` may go afterwards, `path` and the arena must stay. After a
 * failure `out` is of no use. */
npart_status npart__oplist_read(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                                struct npart__oplist *out, const struct npart__listener *listener,
                                struct npart_error *error);

/* The same of a list that is built in, `name` of its file: rules of an op may be read when they are first asked for.
 * What `out->late` is then goes by npart__late_free, before the arena. */
npart_status npart__oplist_open(const struct npart__builtin_oplist *list, const char *name, struct npart__arena *arena,
                                struct npart__oplist *out, struct npart_error *error);
void npart__late_free(void *late);
/* Before rules of an entry are looked at. Where memory is short they stay unread, and the last of these is true. */
void npart__need_entry(const struct npart__oplist *list, uint32_t entry);
/* Before one rule is looked at, or with NPART_NONE any; false when out of memory. */
bool npart__need_rules(const struct npart__oplist *list, uint32_t rule);
bool npart__has_failed_late(const struct npart__oplist *list);

/* invariants.c: of the debug build. */
void npart__check_oplist(const struct npart__oplist *list);

/* A list with the figures of a cost file laid on top; `base` must outlive it. Fails with OPLIST, or ARGUMENT where they
 * are another target's. All but the parameters is shared with `base`; the list itself stays as it is. */
npart_status npart__cost_read(const struct npart__oplist *base, const char *text, size_t bytes, const char *path,
                              struct npart__arena *arena, struct npart__oplist *out, struct npart_error *error);

/* ONNX Runtime's list of operators, a Markdown table of its mobile helpers or the configuration of a reduced build, as
 * the text of an op list for `target`; `from` says where it is from. Fails with OPLIST when it names no operator. */
npart_status npart__import_oplist(const char *text, size_t bytes, const char *target, const char *from,
                                  struct npart__arena *arena, struct npart__buffer *out, struct npart_error *error);

/* The lists, cost files and lists of rewrites built into the library; the last of each has no name. */
struct npart__builtin_oplist {
    const char *name;
    const unsigned char *text;
    size_t bytes;
};
extern const struct npart__builtin_oplist npart__builtin_oplists[], npart__builtin_costs[], npart__builtin_rewrites[];

/* Whether a list is one of these, read by its name: "hexagon.ops". */
bool npart__is_builtin(const struct npart__oplist *list);

/* ---- a target chosen from it ------------------------------------------------------------------------------ */

/* What a user names by "hexagon:v73+float@onnxruntime-qnn 2.7.0": a list with the choices that
 * decide which of its lines count. Cheap to make and to copy. */
struct npart__target {
    const struct npart__oplist *oplist;
    uint32_t variant; /* NPART_NONE where the list has none */
    uint32_t like;    /* whose parameters it shares, where the target's text says so; NPART_NONE: as the list has it */
    const char *variant_text; /* as the user wrote it, which may be an alias, and that of `like` after a colon */
    uint32_t switches; /* bits that are on */
    uint32_t stages;    /* bits of the stages applied */
    uint32_t toolchain;         /* whose rules count: an index; 0 where the list names none */
    const char *toolchain_text; /* as asked for, with its name; "" where the list names none */
    enum npart_release_standing standing; /* whether the list has a line for it */
};

/* How far a rule is verified: "compiler", "source", "reported" (by users, in a thread that its source names; where no
 * compiler is asked) or "documents". */
const char *npart__rule_standing(const struct npart__oplist *oplist, const struct npart__rule *rule);
/* The same for the newest release, and how many rules rest on reports of users; NULL without memory. */
const char *npart__standing_text(struct npart__arena *arena, const struct npart__oplist *oplist);
/* verified.c: how far the list was verified, of its rules for this release: the words of reports and tables. "" where
 * no line says it; NULL without memory. */
const char *npart__verified_text(struct npart__arena *arena, const struct npart__oplist *oplist,
                                 const char *toolchain);

/* release.c: chooses the line that has the rules of a release, which `text` tells by its number, with or without its
 * name. False where it is no number, or of another name; the text of the target is NULL when out of memory. */
bool npart__find_release(const struct npart__oplist *oplist, const char *text, struct npart__arena *arena,
                         struct npart__target *out);
/* Fails with ARGUMENT, and says which releases there are. */
npart_status npart__lack_toolchain(const struct npart__oplist *oplist, const char *text, struct npart_error *error);
/* What follows the list's name in a target's text, as npart__target_choose takes it: ":v73+float" of
 * "hexagon:v73+float"; "" of NULL. NULL: the text is a target of another list. */
const char *npart__target_rest(const struct npart__oplist *oplist, const char *target, struct npart_error *error);
/* Chooses a line by its place. */
void npart__target_take_toolchain(struct npart__target *target, uint32_t toolchain);
/* Reads ":VARIANT:VARIANT+SWITCH-SWITCH@TOOLCHAIN", the part of a target's text after its name. Of two variants one is
 * like the other from then on. */
npart_status npart__target_choose(const struct npart__oplist *oplist, const char *text, struct npart__arena *arena,
                                  struct npart__target *out, struct npart_error *error);
/* The variant whose parameters the chosen one shares, which may be itself; NPART_NONE where the list has none. */
uint32_t npart__target_like(const struct npart__target *target);
/* Whether a line counts with the switches that are on. */
bool npart__target_has(const struct npart__target *target, struct npart__line_condition when);
/* The partitioner with the switches that are on; "waves" where the list names none. */
const char *npart__target_partitioner(const struct npart__target *target);
/* On whose knowledge of shapes verdicts stand, with the switches that are on; NULL: on ours. */
const struct npart__runtime *npart__target_runtime(const struct npart__target *target);
/* Whose sessions rewrite the graph first: that one's, or others', though rules ask of all that is known. */
enum npart__release npart__target_release(const struct npart__target *target);
/* The release of ONNX Runtime that loads the model; false where none does. */
bool npart__target_loads(const struct npart__target *target, struct npart__loads *out);
/* Whether one of the applied stages folds by itself. */
bool npart__target_folds(const struct npart__target *target);
/* The limit for the chosen variant, or NULL. */
const struct npart__limit *npart__target_limit(const struct npart__target *target, const char *name);
/* The `index`-th that counts, in the order of their lines; NULL past the last. */
const struct npart__pool *npart__target_pool(const struct npart__target *target, uint32_t index);
/* NULL: sessions of ONNX Runtime do not have the target. */
const struct npart__provider *npart__target_provider(const struct npart__target *target);
/* The `index`-th option that counts, in the order of their lines; NULL past the last. */
const struct npart__provider_option *npart__target_option(const struct npart__target *target, uint32_t index);
const char *npart__option_value(const struct npart__target *target, const struct npart__provider_option *option);
/* That for another variant of the list, which `variant` names; NULL as well where the list has no such. */
const struct npart__limit *npart__variant_limit(const struct npart__target *target, const char *variant,
                                                const char *name);
/* By parameter the value that fits best, or NULL: of the last file laid on top, then for this invoker, this variant and
 * this arithmetic. */
void npart__target_parameters(const struct npart__target *target, enum npart__arithmetic arithmetic,
                              enum npart__invoker invoker, const struct npart__parameter *out[NPART__PARAMETERS]);
/* Whether a parameter is so much a second: the greater, the faster. */
bool npart__is_rate(const char *parameter);
/* The one by name; false when there is none. */
bool npart__find_invoker(const char *name, size_t length, enum npart__invoker *out);

/* The line that says what becomes of a format; NULL: none does, or another one would if more were known of it, which
 * `*depends` says. */
const struct npart__precision_line *npart__target_precision(const struct npart__target *target,
                                                            struct npart__format format, bool *depends);
/* Whether a format is native on a variant, with the variant's own switches. */
bool npart__is_native_on(const struct npart__target *target, uint32_t variant, struct npart__format format);
/* A native format to take instead, by formats.def; its row is NPART__FORMATS where there is none. */
struct npart__format npart__native_instead(const struct npart__target *target, struct npart__format format);
/* The row for such types, or NPART__FORMATS. */
uint8_t npart__format_row(int activation_type, int weight_type);
/* "w4a16-block32-asymmetric". */
void npart__append_format_name(struct npart__format format, struct npart__buffer *out);

/* ---- told to people ---------------------------------------------------------------------------------------- */

/* The stage that a rule speaks for: its name, the one for missing entries, or "assumed". */
const char *npart__stage_word(const struct npart__oplist *oplist, uint32_t rule);

/* The support table: one op, or all when `op` is NULL, as text for people; of `target` (or NULL: of all that can be
 * chosen) what counts for it. False when there is no such op. */
bool npart__describe_oplist(const struct npart__oplist *oplist, const struct npart__target *target, const char *op,
                            struct npart__buffer *out);

/* Appends a condition or part of one as it would be written. */
void npart__append_term(const struct npart__oplist *oplist, uint32_t term, struct npart__buffer *out);

/* A few letters, such as `axes`. Equivalent nodes have operands of the same plain names, or of others. */
#define NPART__LIMIT_PLAIN_NAME 16u
bool npart__is_plain_name(const char *name);

#endif
