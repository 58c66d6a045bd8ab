/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the project file: project.c has the schema, project_file.c finds and applies it.
 */
#ifndef TOOL_PROJECT_FILE_H
#define TOOL_PROJECT_FILE_H

#include "project.h"

/* Of the document; tells all mistakes. */
bool read_schema(struct project *project);
/* Of a string, or an array of them (NULL: none). */
const struct toml_value *first_string(const struct toml_value *value);
const struct toml_value *next_string(const struct toml_value *value, const struct toml_value *item);
int64_t limit_of_dim(const char *text);
enum npart_condition fail_on_of(const struct toml_value *item);
double share_of(const struct toml_value *value);
double number_of(const struct toml_value *value);
/* Of a table of thresholds that is known to have no mistake; false: out of memory. */
bool read_thresholds(struct project *project, const struct toml_value *table, struct settings *out);

#endif
