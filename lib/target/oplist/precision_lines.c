/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of an op list that say in which precision its target computes.
 *
 * A FORMAT is a name of formats.def, as in w4a16, which is every kind of it; -tensor, -channel, -block or -block32
 * after it says what shares a scale, -asymmetric that zero points are not in the middle of the range, and -packed that
 * the operator unpacks its weights (MatMulNBits).
 */
#include "oplist/parse.h"

const char *const npart__format_names[] = {
#define FORMAT(name, activations, weights, instead) name,
#include "oplist/formats.def"
    NULL,
};

/* `instead` names formats that may be tried where this one is not native, in order. */
static const struct {
    const char *instead;
    uint64_t activations, weights; /* bits by element type */
} rows[] = {
#define BIT(type) (UINT64_C(1) << (type))
#define FORMAT(name, activations, weights, instead) {instead, activations, weights},
#include "oplist/formats.def"
};
_Static_assert(NPART__COUNT(rows) == NPART__FORMATS, "NPART__FORMATS counts the rows of formats.def");

static const char *const granularities[NPART__SCALES] = {
    "", "", "tensor", "channel", "block16", "block32", "block64", "block128", "block256", "block"};


/* NPART__FORMATS where no row has these types: a set of types is 64 bits, and ONNX has fewer. Rows do not overlap:
 * of (float32, uint8) it is w8, of (uint8, uint8) w8a8. 0 is a type that is not known. */
uint8_t npart__format_row(int activation_type, int weight_type)
{
    uint8_t row = 0;
    bool is_type = activation_type > 0 && activation_type < 64 && weight_type > 0 && weight_type < 64;
    while (row < NPART__FORMATS && !(is_type && (rows[row].activations & BIT(activation_type)) &&
                                     (rows[row].weights & BIT(weight_type))))
        row++;
    return row;
}

/* Of zero points only those off the middle are written. So a format whose scales are not known reads like one of
 * any. */
void npart__append_format_name(struct npart__format format, struct npart__buffer *out)
{
    npart__append_text(out, format.row < NPART__FORMATS ? npart__format_names[format.row] : "unknown");
    if (*granularities[format.granularity])
        npart__append_format(out, "-%s", granularities[format.granularity]);
    npart__append_text(out, format.symmetry == NPART__ZERO_OFF ? "-asymmetric" : "");
    npart__append_text(out, format.is_packed ? "-packed" : "");
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

static uint8_t find_row(const char *name, size_t length)
{
    uint8_t row = 0;
    while (row < NPART__FORMATS && !npart__is_text(npart__format_names[row], name, length))
        row++;
    return row;
}

/* Whether a word is the name of a format. Endings in any order, but `packed` last; what shares a scale at most once. */
static bool read_format(const char *word, struct npart__format *out)
{
    size_t length = strcspn(word, "-");
    *out = (struct npart__format){.row = find_row(word, length)};
    if (out->row == NPART__FORMATS)
        return false;
    for (word += length; *word; word += length) {
        uint8_t granularity = NPART__SCALE_TENSOR;
        word++;
        length = strcspn(word, "-");
        while (granularity < NPART__SCALES && !npart__is_text(granularities[granularity], word, length))
            granularity++;
        if (granularity < NPART__SCALES && out->granularity == NPART__SCALE_ANY)
            out->granularity = granularity;
        else if (strncmp(word, "asymmetric", length) == 0 && length == 10)
            out->symmetry = NPART__ZERO_OFF;
        else if (strcmp(word, "packed") == 0)
            out->is_packed = true;
        else
            return false;
    }
    return true;
}

/* 0 where it is one. */
uint32_t npart__find_format(const struct npart__oplist *oplist, const char *name, size_t length)
{
    struct npart__format format;
    (void)oplist, (void)length; /* a token's text ends there */
    return read_format(name, &format) ? 0 : NPART_NONE;
}

/* Whether two lines are for the same targets, so that the later one makes the earlier one void. */
static bool is_for_the_same(const struct npart__oplist *oplist, const struct npart__precision_line *a,
                            const struct npart__precision_line *b)
{
    if (memcmp(&a->when, &b->when, sizeof a->when) != 0 || a->variant_count != b->variant_count)
        return false;
    for (uint32_t i = 0; i < a->variant_count; i++)
        if (oplist->format_variants.items[a->first_variant + i] != oplist->format_variants.items[b->first_variant + i])
            return false;
    return true;
}

/* The last line counts, so a format that stands twice is a mistake in one of them. Only the line before is looked
 * at: lists put what belongs together next to each other. */
static void warn_of_second(struct npart__parser *parser, const struct npart__precision_line *line)
{
    const struct npart__oplist *oplist = parser->oplist;
    const struct npart__format *formats = oplist->formats.items;
    const struct npart__precision_line *before = oplist->precisions.count
                                                     ? &oplist->precisions.items[oplist->precisions.count - 1]
                                                     : NULL;
    for (uint32_t i = 0; before && is_for_the_same(oplist, before, line) && i < before->format_count; i++)
        for (uint32_t k = 0; k < line->format_count; k++)
            if (memcmp(&formats[before->first_format + i], &formats[line->first_format + k], sizeof *formats) == 0)
                npart__parse_warn(parser, 1, "line %u says something else of %s", before->line,
                                  npart__format_names[formats[line->first_format + k].row]);
}

/* A line without a sentence is a mistake, as the sentence is what reports print. */
void npart__line_precision(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__precision_line line = {.first_format = oplist->formats.count,
                                         .format_count = is[0].count,
                                         .first_variant = oplist->format_variants.count,
                                         .variant_count = is[1].count,
                                         .when = is[2].when,
                                         .happens = (uint8_t)is[3].index,
                                         .share = is[4].token ? is[4].token->word->real : 0,
                                         .is_assumed = is[5].token,
                                         .sentence = is[6].text,
                                         .because = is[7].text,
                                         .source = is[8].text ? is[8].text : parser->default_source,
                                         .line = parser->now.line};
    bool may_share = line.happens == NPART_HAPPENS_VECTOR || (line.happens == NPART_HAPPENS_DEQUANTIZED && is[4].token);
    if (!may_share && is[4].token)
        npart__parse_fail(parser, is[4].token->column, "unexpected %s", is[4].text);
    if (may_share && !(line.share > 0 && line.share < 1))
        npart__parse_fail(parser, is[4].token ? is[4].token->column : is[3].token[1].column,
                          "expected a number between 0 and 1");
    for (uint32_t i = 0; i < is[0].count; i++) {
        struct npart__format format;
        (void)read_format(is[0].token[i].word->text, &format);
        NPART__KEEP(parser, &oplist->formats, format);
    }
    for (uint32_t i = 0; i < is[1].count; i++) {
        const char *name = is[1].token[i].word->text;
        NPART__KEEP(parser, &oplist->format_variants, npart__find_variant(oplist, name, strlen(name)));
    }
    if (parser->status == NPART_OK)
        warn_of_second(parser, &line);
    NPART__KEEP(parser, &oplist->precisions, line);
}

/* ---- asking ------------------------------------------------------------------------------------------------ */

/* Whether the line is for the target at all. */
static bool counts(const struct npart__target *target, const struct npart__precision_line *line)
{
    const struct npart__oplist *oplist = target->oplist;
    bool is_for = line->variant_count == 0;
    for (uint32_t i = 0; i < line->variant_count && target->variant != NPART_NONE; i++) {
        uint32_t variant = oplist->format_variants.items[line->first_variant + i];
        is_for |= variant == target->variant || variant == npart__target_like(target);
    }
    /* A list without variants has no line that names one, since the name would not have been found. */
    return is_for && npart__target_has(target, line->when);
}

/* 2: the pattern is for the format; 1: it may be; 0: it is not. A block of any size is met by `-block`; what the
 * model does not tell (the number of scales, whether zero points are in the middle) may be either. */
static int fit(struct npart__format pattern, struct npart__format format)
{
    bool is_block = pattern.granularity == NPART__SCALE_BLOCK && format.granularity >= NPART__SCALE_BLOCK16;
    int scale = pattern.granularity == NPART__SCALE_ANY || pattern.granularity == format.granularity || is_block ? 2
                : format.granularity == NPART__SCALE_UNKNOWN                                                      ? 1
                                                                                                                  : 0;
    int zero = pattern.symmetry == NPART__ZERO_ANY || pattern.symmetry == format.symmetry ? 2
               : format.symmetry == NPART__ZERO_UNKNOWN                                   ? 1
                                                                                          : 0;
    bool is_it = pattern.row == format.row && (!pattern.is_packed || format.is_packed);
    return !is_it ? 0 : scale < zero ? scale : zero;
}

/* From the last line to the first. A line that only may be for the format is remembered: where it says something else
 * than the one that surely is, the answer depends on what is not known, and none is given. */
const struct npart__precision_line *npart__target_precision(const struct npart__target *target,
                                                            struct npart__format format, bool *depends)
{
    const struct npart__oplist *oplist = target->oplist;
    const struct npart__precision_line *possible = NULL;
    *depends = false;
    for (uint32_t i = oplist->precisions.count; i-- > 0;) {
        const struct npart__precision_line *line = &oplist->precisions.items[i];
        int best = 0;
        if (!counts(target, line))
            continue;
        for (uint32_t k = 0; k < line->format_count; k++) {
            int own = fit(oplist->formats.items[line->first_format + k], format);
            best = own > best ? own : best;
        }
        *depends |= best > 0 && possible && possible->happens != line->happens;
        if (best == 2)
            return *depends ? NULL : line;
        possible = best && !possible ? line : possible;
    }
    *depends |= possible != NULL;
    return NULL;
}

/* With the switches that the variant has by default, not with those that the user chose for another one. */
bool npart__is_native_on(const struct npart__target *target, uint32_t variant, struct npart__format format)
{
    struct npart__target other = *target;
    bool depends;
    /* The toolchain and the stages stay the target's. */
    other.variant = variant;
    other.like = NPART_NONE;
    other.switches = target->oplist->variants.items[variant].switches;
    const struct npart__precision_line *line = npart__target_precision(&other, format, &depends);
    return line && line->happens == NPART_HAPPENS_NATIVE;
}

/* The same types with another granularity first: that is the least change. Zero points in the middle, since that
 * is what targets take where they take anything. NPART__FORMATS as its row: there is none. */
struct npart__format npart__native_instead(const struct npart__target *target, struct npart__format format)
{
    static const uint8_t finer[] = {NPART__SCALE_CHANNEL, NPART__SCALE_BLOCK128, NPART__SCALE_BLOCK32,
                                    NPART__SCALE_TENSOR};
    /* Names of formats.def with blanks between, the nearest first; the format's own row is tried before them. */
    const char *rest = format.row < NPART__FORMATS ? rows[format.row].instead : "";
    bool depends;
    for (uint8_t row = format.row; row < NPART__FORMATS; rest += strspn(rest, " ")) {
        /* By its name: w8a8, but float16. */
        bool is_quantized = npart__format_names[row][0] == 'w';
        for (size_t i = 0; i < (is_quantized ? NPART__COUNT(finer) : 1); i++) {
            struct npart__format candidate = {row, is_quantized ? finer[i] : NPART__SCALE_ANY, NPART__ZERO_MIDDLE,
                                              false};
            const struct npart__precision_line *line = npart__target_precision(target, candidate, &depends);
            if (line && line->happens == NPART_HAPPENS_NATIVE)
                return candidate;
        }
        size_t length = strcspn(rest, " ");
        row = length ? find_row(rest, length) : NPART__FORMATS;
        rest += length;
    }
    return (struct npart__format){.row = NPART__FORMATS};
}
