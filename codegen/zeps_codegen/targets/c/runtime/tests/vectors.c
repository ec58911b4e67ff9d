/* Every vector: a name, a request and the answer that it must get, in hexadecimal, with tabs between. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>

static int digit(int character) {
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    if (character >= 'a' && character <= 'f') {
        return character - 'a' + 10;
    }
    return character >= 'A' && character <= 'F' ? character - 'A' + 10 : -1;
}

/* The bytes up to the end of the column; false if they are not hexadecimal. */
static bool from_hex(const driver_buffer *line, size_t *at, driver_buffer *octets) {
    octets->size = 0;
    while (*at + 1 < line->size && line->data[*at] != '\t') {
        const int high = digit(line->data[*at]);
        const int low = digit(line->data[*at + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        driver_put_octet(octets, (unsigned)(16 * high + low));
        *at += 2;
    }
    return *at == line->size || line->data[*at] == '\t';
}

static bool read_line(FILE *file, driver_buffer *line) {
    int character;
    line->size = 0;
    while ((character = fgetc(file)) != EOF && character != '\n') {
        driver_put_octet(line, (unsigned)character);
    }
    return line->size != 0 || character != EOF;
}

static void show(const char *what, const driver_buffer *octets) {
    size_t index;
    printf("  %s ", what);
    for (index = 0; index < octets->size; index++) {
        printf("%02x", octets->data[index]);
    }
    printf("\n");
}

/* The three columns; false if the line has others. */
static bool parse(const driver_buffer *line, size_t *name, driver_buffer *request, driver_buffer *wanted) {
    size_t at = 0;
    while (at < line->size && line->data[at] != '\t') {
        at++;
    }
    *name = at;
    at++;
    if (at > line->size || !from_hex(line, &at, request) || at == line->size) {
        return false;
    }
    at++;
    return from_hex(line, &at, wanted) && at == line->size;
}

/* Whether the vector in `line` holds. */
static bool holds(const driver_buffer *line, driver_buffer *request, driver_buffer *wanted, driver_buffer *answer) {
    size_t name = 0;
    if (!parse(line, &name, request, wanted)) {
        printf("not a vector: %.*s\n", (int)name, (const char *)line->data);
        return false;
    }
    answer->size = 0;
    driver_handle(request->data, request->size, answer);
    if (answer->size == wanted->size && memcmp(answer->data, wanted->data, wanted->size) == 0) {
        return true;
    }
    printf("%.*s\n", (int)name, (const char *)line->data);
    show("request", request);
    show("wanted ", wanted);
    show("answer ", answer);
    return false;
}

int main(int count, char **arguments) {
    driver_buffer line = {NULL, 0, 0};
    driver_buffer request = {NULL, 0, 0};
    driver_buffer wanted = {NULL, 0, 0};
    driver_buffer answer = {NULL, 0, 0};
    size_t vectors = 0;
    size_t wrong = 0;
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: vectors FILE (a file that can be read)\n");
        return EXIT_FAILURE;
    }
    while (read_line(file, &line)) {
        vectors++;
        wrong += holds(&line, &request, &wanted, &answer) ? 0 : 1;
    }
    fclose(file);
    printf("%zu vectors, %zu wrong\n", vectors, wrong);
    driver_free(&line);
    driver_free(&request);
    driver_free(&wanted);
    driver_free(&answer);
    return vectors != 0 && wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
