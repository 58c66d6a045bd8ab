/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of project files: project.c has the schema, settle.c what the file says of a model.
 */
#ifndef NPART_GATE_PROJECT_H
#define NPART_GATE_PROJECT_H

#include "gate/toml.h"

/* What the top of the file, a table of [[models]], or a waiver says; NULL: nothing. Each of these begins with it. */
struct npart__project_settings {
    const struct npart__toml *targets, *dims, *inputs, *level, *runtime, *thresholds;
    const struct npart__toml *max_partitions, *min_coverage, *min_mac_coverage, *allow_none, *fail_on;
    const struct npart__toml *bounds[NPART_BOUNDS];
    const struct npart__toml *on; /* thresholds of some targets, by target */
};

struct npart__model_table {
    struct npart__project_settings settings;
    const struct npart__toml *path;
    struct npart_project_texts paths;
    bool has_model; /* one that was asked for */
};

struct npart__waiver {
    struct npart__project_settings settings; /* thresholds alone */
    const struct npart__toml *at, *models, *targets, *rules, *worse, *thresholds, *reason, *expires;
    struct npart_project_texts for_models, for_targets, for_rules; /* globs; those of targets: none: all */
    uint32_t line, column;
    /* What became of it. */
    bool has_model, is_used;
    uint64_t known_rules; /* of the first 64 of its rules, those that an op list of its models has */
    char meant[128];      /* what the first that none has may have meant; "" */
};

struct npart__project_file {
    struct npart__project_settings top;
    const struct npart__toml *exclude, *oplist, *cost, *baseline, *models, *waiver_tables;
    struct npart__model_table *tables;
    struct npart__waiver *waivers;
    uint32_t table_count, waiver_count;
};

struct npart_project {
    struct npart__life *life;
    const struct npart__toml_document *document;
    struct npart__project_file file;
    struct npart_project_texts excluded;
    struct NPART__ARRAY(uint32_t) found; /* entries of dims that a model has, of thresholds that a target has */
    /* What npart_project_settle has told last. */
    struct NPART__ARRAY(struct npart_project_dim) dims;
    struct NPART__ARRAY(struct npart_project_input) inputs;
    struct npart_project_texts targets;
};

/* Of the document; tells all mistakes. */
bool npart__read_project(npart_project *project, npart_project_callback tell, void *payload);
/* Of a string, or an array of them (NULL: none). */
const struct npart__toml *npart__first_string(const struct npart__toml *value);
const struct npart__toml *npart__next_string(const struct npart__toml *value,
                                                   const struct npart__toml *item);
int64_t npart__limit_of_dim(const char *text);
enum npart_condition npart__condition_of(const struct npart__toml *item);
double npart__share_of(const struct npart__toml *value);
double npart__number_of_value(const struct npart__toml *value);
/* Of a table of thresholds that is known to have no mistake. */
void npart__read_thresholds(const npart_project *project, const struct npart__toml *table,
                            struct npart__project_settings *out);
/* A string, or an array of them, with their places; none when out of memory, as the arena says. */
struct npart_project_texts npart__texts_of(npart_project *project, const struct npart__toml *value);

#endif
