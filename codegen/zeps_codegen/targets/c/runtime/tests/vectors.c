/* Checks every vector: a name, a request and the expected answer, in hexadecimal, separated by tabs. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>

static const char digits[] = "0123456789abcdef";

static unsigned digit(char character) { return (unsigned)(strchr(digits, character) - digits); }

/* The bytes of a column; false if it is not hexadecimal. */
static bool from_hex(const char *text, driver_buffer *octets) {
    octets->size = 0;
    if (strlen(text) % 2 != 0 || text[strspn(text, digits)] != '\0') {
        return false;
    }
    for (; *text != '\0'; text += 2) {
        driver_put_octet(octets, 16 * digit(text[0]) + digit(text[1]));
    }
    return true;
}

/* The text of a column, and a terminating zero. */
static void to_hex(const driver_buffer *octets, driver_buffer *text) {
    text->size = 0;
    for (size_t index = 0; index < octets->size; index++) {
        driver_put_octet(text, (unsigned char)digits[octets->data[index] >> 4]);
        driver_put_octet(text, (unsigned char)digits[octets->data[index] & 0xF]);
    }
    driver_put_octet(text, 0);
}

/* The next line, and a terminating zero. */
static bool read_line(FILE *file, driver_buffer *line) {
    int character;
    line->size = 0;
    while ((character = fgetc(file)) != EOF && character != '\n') {
        driver_put_octet(line, (unsigned)character);
    }
    driver_put_octet(line, 0);
    return line->size > 1 || character != EOF;
}

/* Whether the answer matches the vector in `line`. */
static bool holds(char *line, driver_buffer *request, driver_buffer *answer, driver_buffer *shown) {
    char *asked = strchr(line, '\t');
    char *wanted = asked == NULL ? NULL : strchr(asked + 1, '\t');
    if (wanted == NULL) {
        printf("not a vector: %s\n", line);
        return false;
    }
    *asked++ = *wanted++ = '\0';
    if (!from_hex(asked, request)) {
        printf("not a request: %s\n", line);
        return false;
    }
    answer->size = 0;
    driver_handle(request->data, request->size, answer);
    to_hex(answer, shown);
    if (strcmp(wanted, (const char *)shown->data) == 0) {
        return true;
    }
    printf("%s\n  request %s\n  wanted  %s\n  answer  %s\n", line, asked, wanted, (const char *)shown->data);
    return false;
}

int main(int count, char **arguments) {
    driver_buffer line = {NULL, 0, 0};
    driver_buffer request = {NULL, 0, 0};
    driver_buffer answer = {NULL, 0, 0};
    driver_buffer shown = {NULL, 0, 0};
    size_t vectors = 0;
    size_t wrong = 0;
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: vectors FILE (a file that can be read)\n");
        return EXIT_FAILURE;
    }
    while (read_line(file, &line)) {
        vectors++;
        wrong += holds((char *)line.data, &request, &answer, &shown) ? 0 : 1;
    }
    fclose(file);
    printf("%zu vectors, %zu wrong\n", vectors, wrong);
    driver_free(&line);
    driver_free(&request);
    driver_free(&answer);
    driver_free(&shown);
    return vectors != 0 && wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
