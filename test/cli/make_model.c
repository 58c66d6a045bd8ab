/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard input, a model as text (test/support/model_text.h), to standard output, the model.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/model_text.h"

int main(void)
{
    static char text[1 << 20];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    text[size] = '\0';
    struct bytes model = model_from_text(text);
    bool is_written = fwrite(model.data, 1, model.size, stdout) == model.size && fflush(stdout) == 0;
    bytes_free(&model);
    return is_written ? EXIT_SUCCESS : EXIT_FAILURE;
}
