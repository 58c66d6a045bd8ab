/* SPDX-License-Identifier: Apache-2.0
 *
 * Defects of a run, of which the sanitizer that looks for them has to tell, so that one that does not look is seen.
 *
 * usage: planted_run race | uninitialized
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *count_up(void *payload)
{
    (*(int *)payload)++;
    return NULL;
}

/* Two threads write one number. */
static int race(void)
{
    pthread_t threads[2];
    int number = 0;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, count_up, &number) != 0)
            return 0;
    for (int i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    return number > 2;
}

/* What to print is up to a number that nobody wrote. */
static int uninitialized(void)
{
    int *number = malloc(sizeof *number);
    if (number && *number == 1)
        puts("one");
    free(number);
    return 0;
}

int main(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "race") == 0 ? race() : uninitialized();
}
