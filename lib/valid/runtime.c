/* SPDX-License-Identifier: Apache-2.0 */
#include "valid/runtime.h"

static const struct npart__runtime_line lines[] = {
#define RUNTIME(name, ir_version) {NPART__RUNTIME_RELEASE, name, NULL, ir_version},
#define DOMAIN(domain, opset) {NPART__RUNTIME_DOMAIN, domain, NULL, opset},
#define LACKS(domain, op, version) {NPART__RUNTIME_LACKS, domain, op, version},
#define TAKES(domain, op) {NPART__RUNTIME_TAKES, domain, op, 0},
#define KEEPS(domain, op, version) {NPART__RUNTIME_KEEPS, domain, op, version},
#include "valid/runtimes.def"
};

struct npart__runtime npart__newest_runtime(void)
{
    size_t first = NPART__COUNT(lines) - 1;
    while (lines[first].word != NPART__RUNTIME_RELEASE)
        first--;
    return (struct npart__runtime){
        .name = lines[first].domain,
        .ir_version = lines[first].version,
        .lines = &lines[first + 1],
        .line_count = NPART__COUNT(lines) - first - 1,
    };
}

int64_t npart__runtime_opset(const struct npart__runtime *runtime, const char *domain)
{
    for (size_t i = 0; i < runtime->line_count; i++)
        if (runtime->lines[i].word == NPART__RUNTIME_DOMAIN && strcmp(runtime->lines[i].domain, domain) == 0)
            return runtime->lines[i].version;
    return 0;
}

static bool says(const struct npart__runtime *runtime, enum npart__runtime_word word,
                 const struct npart__operator *schema)
{
    for (size_t i = 0; i < runtime->line_count; i++) {
        const struct npart__runtime_line *line = &runtime->lines[i];
        bool is_version = word == NPART__RUNTIME_TAKES || line->version == schema->since;
        if (line->word == word && is_version && strcmp(line->domain, schema->domain) == 0 &&
            strcmp(line->op, schema->name) == 0)
            return true;
    }
    return false;
}

const struct npart__operator *npart__runtime_schema(const struct npart__runtime *runtime,
                                                    const struct npart__operator *schema)
{
    int64_t newest = schema ? npart__runtime_opset(runtime, schema->domain) : 0;
    while (schema && (schema->since > newest || says(runtime, NPART__RUNTIME_LACKS, schema)))
        schema = npart__operator_find(schema->domain, schema->name, schema->since - 1);
    return schema;
}

bool npart__runtime_takes_any_attribute(const struct npart__runtime *runtime, const struct npart__operator *schema)
{
    return says(runtime, NPART__RUNTIME_TAKES, schema);
}

bool npart__runtime_deprecates(const struct npart__runtime *runtime, const struct npart__operator *schema)
{
    return (npart__operator_flags(schema) & NPART__OPERATOR_DEPRECATED) &&
           !says(runtime, NPART__RUNTIME_KEEPS, schema);
}
