/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_memory.h"

struct zoo {
    uint64_t models, failures;
};

struct zoo *zoo_make(void)
{
    return calloc(1, sizeof(struct zoo));
}

bool zoo_add(struct zoo *zoo, const json_t *document)
{
    zoo->models++;
    zoo->failures += json_text(json_object_get(document, "error"), "code") != NULL;
    return true;
}

void zoo_write(const struct zoo *zoo, const struct npart_report_options *look, npart_write_callback write,
               void *payload)
{
    char line[128];
    (void)look;
    (void)snprintf(line, sizeof line, "%llu models, %llu of them not analyzed\n", (unsigned long long)zoo->models,
                   (unsigned long long)zoo->failures);
    (void)write(payload, line, strlen(line));
}

void zoo_free(struct zoo *zoo)
{
    free(zoo);
}
