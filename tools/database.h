/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of many models in a SQLite database: docs/results.md has the tables, include/records.table their columns. All
 * functions are for one thread. Where one fails, it writes a sentence to `problem`, of at most `bytes` with its NUL.
 */
#ifndef TOOL_DATABASE_H
#define TOOL_DATABASE_H

#include <stdbool.h>
#include <stddef.h>

struct database;

/* Opens the file, or makes it. `resumes`: goes on with what is there, which must be of the same `tool_and_options`;
 * else results that are there are dropped. A file that is anything but results is left as it is, and refused. Fails
 * always in a build without SQLite. `path` must stay until it is closed; where another program holds the file for more
 * than a second, that is said on standard error. *out is to be given back with database_close; NULL where it fails. */
bool database_open(struct database **out, const char *path, bool resumes, const char *tool_and_options, char *problem,
                   size_t bytes);
/* Adds one line of `--format json`, or that of a model that could not be analyzed: all of it or, where it fails,
 * nothing. Whatever ends the program, models of the last second, and at most some
 * hundred, may be missing; the others are there as a whole. */
bool database_add(struct database *database, const char *json, size_t count, char *problem, size_t bytes);
/* To be called now and then while no model comes: keeps what came more than a second ago. */
bool database_settle(struct database *database, char *problem, size_t bytes);
/* Is told of a model of an earlier scan: its path as documents have it, and a report of what npart_many_add counts,
 * good during the call, which has no use of the database itself. NULL where memory ends. */
typedef void database_taker(void *payload, const char *path, const char *json, size_t count);
/* Hands over all models in the order in which they were added. */
bool database_read(struct database *database, database_taker *take, void *payload, char *problem, size_t bytes);
/* Writes what is left and gives everything back, also where it fails. NULL is nothing. */
bool database_close(struct database *database, char *problem, size_t bytes);

#ifndef TOOL_HAS_SQLITE /* nothing is ever open */
#define database_open(out, path, resumes, tool, problem, bytes)                                                        \
    (*(out) = NULL, (void)snprintf(problem, bytes, "%s",                                                               \
                                   "this build of npu-partition has no SQLite; write lines of JSON instead"), false)
#define database_add(database, json, count, problem, bytes) false
#define database_settle(database, problem, bytes) false
#define database_read(database, take, payload, problem, bytes) ((void)(take), false)
#define database_close(database, problem, bytes) true
#endif

#endif
