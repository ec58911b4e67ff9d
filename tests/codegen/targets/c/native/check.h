/* Checks. A failed check prints its line, and the test continues. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int failures;

#define CHECK(truth)                                                                                                   \
    do {                                                                                                               \
        if (!(truth)) {                                                                                                \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #truth);                                                         \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

#endif
