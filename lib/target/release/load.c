/* SPDX-License-Identifier: Apache-2.0
 *
 * What releases of ONNX Runtime load, read from load.def: the newest IR version and opsets, and
 * where the runtime's schemas differ from the standard's. lib/runtime/onnxruntime holds models against it.
 */
#include "release/release.h"

static const struct npart__load_line lines[] = {
#define RELEASE(release, ir_version) {NPART__LOAD_RELEASE, "ONNX Runtime " release, release, ir_version},
#define DOMAIN(domain, opset) {NPART__LOAD_DOMAIN, domain, NULL, opset},
#define LACKS(domain, op, version) {NPART__LOAD_LACKS, domain, op, version},
#define TAKES(domain, op) {NPART__LOAD_TAKES, domain, op, 0},
#define KEEPS(domain, op, version) {NPART__LOAD_KEEPS, domain, op, version},
#include "release/load.def"
};

/* Lines of a release follow its own line, up to the next one. */
static struct npart__loads loads_at(size_t first)
{
    size_t end = first + 1;
    while (end < NPART__COUNT(lines) && lines[end].word != NPART__LOAD_RELEASE)
        end++;
    return (struct npart__loads){
        .name = lines[first].domain,
        .ir_version = lines[first].version,
        .lines = &lines[first + 1],
        .line_count = end - first - 1,
    };
}

struct npart__loads npart__newest_loads(void)
{
    size_t first = NPART__COUNT(lines) - 1;
    while (lines[first].word != NPART__LOAD_RELEASE)
        first--;
    return loads_at(first);
}

struct npart__loads npart__loads_of(const char *version)
{
    for (size_t i = 0; version && i < NPART__COUNT(lines); i++)
        if (lines[i].word == NPART__LOAD_RELEASE && strcmp(lines[i].op, version) == 0)
            return loads_at(i);
    return npart__newest_loads();
}

struct npart__loads npart__loads_before(const struct npart__loads *runtime)
{
    for (const struct npart__load_line *line = runtime->lines - 1; line-- > lines;)
        if (line->word == NPART__LOAD_RELEASE)
            return loads_at((size_t)(line - lines));
    return (struct npart__loads){.name = NULL};
}

/* Asked often; a release has half a dozen such lines, and they stand first. */
int64_t npart__loads_opset(const struct npart__loads *runtime, const char *domain)
{
    for (size_t i = 0; i < runtime->line_count; i++)
        if (runtime->lines[i].word == NPART__LOAD_DOMAIN && strcmp(runtime->lines[i].domain, domain) == 0)
            return runtime->lines[i].version;
    return 0;
}

/* Whether the release says a word about an operator; TAKES lines hold for every version. Domain and operator as
 * the standard writes them: ONNX's own is "". */
static bool says(const struct npart__loads *runtime, enum npart__load_word word,
                 const struct npart__operator *schema)
{
    for (size_t i = 0; i < runtime->line_count; i++) {
        const struct npart__load_line *line = &runtime->lines[i];
        /* The version of the line is that of the operator, not an opset. */
        bool is_version = word == NPART__LOAD_TAKES || line->version == schema->since;
        if (line->word == word && is_version && strcmp(line->domain, schema->domain) == 0 &&
            strcmp(line->op, schema->name) == 0)
            return true;
    }
    return false;
}

/* Backwards to a version that the runtime has: a model of a newer opset is judged by the older
 * schema where the runtime lacks the newer one. */
const struct npart__operator *npart__loads_schema(const struct npart__loads *runtime,
                                                    const struct npart__operator *schema)
{
    int64_t newest = schema ? npart__loads_opset(runtime, schema->domain) : 0;
    /* Ends, since each round asks for an earlier version; before the first there is none. */
    while (schema && (schema->since > newest || says(runtime, NPART__LOAD_LACKS, schema)))
        schema = npart__operator_find(schema->domain, schema->name, schema->since - 1);
    return schema;
}

bool npart__loads_any_attribute(const struct npart__loads *runtime, const struct npart__operator *schema)
{
    return says(runtime, NPART__LOAD_TAKES, schema);
}

/* A KEEPS line stands for an operator that was deprecated only after that release was built. */
bool npart__loads_no_more(const struct npart__loads *runtime, const struct npart__operator *schema)
{
    return (npart__operator_flags(schema) & NPART__OPERATOR_DEPRECATED) &&
           !says(runtime, NPART__LOAD_KEEPS, schema);
}
