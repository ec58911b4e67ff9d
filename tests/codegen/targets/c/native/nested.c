/* Lists of lists. */
#include "zeps_wire/nested.h"

#include "check.h"

#include <stdlib.h>

static void test_lists_of_lists(void) {
    const uint64_t first[] = {1, 2, 3};
    const uint64_t last[] = {255};
    const wire_text words[] = {wire_text_of("a"), wire_text_of("bc")};
    const wire_list rows[] = {{3, first, {NULL, 0, NULL}}, {0, NULL, {NULL, 0, NULL}}, {1, last, {NULL, 0, NULL}}};
    const wire_list lines[] = {{2, words, {NULL, 0, NULL}}};
    const wire_list pages[] = {{1, lines, {NULL, 0, NULL}}};
    const nested_table table = {{3, rows, {NULL, 0, NULL}}, {1, pages, {NULL, 0, NULL}}};
    const uint8_t wanted[] = {7, 3, 3, 1, 2, 3, 0, 1, 255, 1, 1, 2, 1, 'a', 2, 'b', 'c'};
    nested_table found;
    wire_cursor cursor = {0, 0};
    wire_cursor inner = {0, 0};
    wire_list list = {0, NULL, {NULL, 0, NULL}};
    wire_lists page;
    wire_texts line;
    wire_numbers row;
    wire_text word = {NULL, 0};
    uint8_t frame[64];
    size_t size = 0;
    CHECK(nested_table_encode(&table, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(size == sizeof wanted && memcmp(frame, wanted, size) == 0 && size == nested_table_size(&table));
    CHECK(nested_table_decode(&found, frame, size, NULL) == WIRE_OK && found.rows.count == 3);
    CHECK(wire_lists_next(&found.rows, &cursor, &list));
    row = wire_numbers_of(list);
    CHECK(row.count == 3 && wire_numbers_at(&row, 2) == 3);
    CHECK(wire_lists_next(&found.rows, &cursor, &list) && list.count == 0);
    CHECK(wire_lists_next(&found.rows, &cursor, &list) && !wire_lists_next(&found.rows, &cursor, &list));
    row = wire_numbers_of(list);
    CHECK(wire_numbers_at(&row, 0) == 255);
    cursor.index = cursor.offset = 0;
    CHECK(wire_lists_next(&found.pages, &cursor, &list));
    page = wire_lists_of(list);
    cursor.index = cursor.offset = 0;
    CHECK(wire_lists_next(&page, &cursor, &list));
    line = wire_texts_of(list);
    CHECK(line.count == 2 && wire_texts_next(&line, &inner, &word) && wire_texts_next(&line, &inner, &word));
    CHECK(wire_text_equal(word, words[1]));
    memset(frame, 0, sizeof frame);
    CHECK(nested_table_encode(&found, frame + 32, 32, &size, NULL) == WIRE_OK); /* of what lies where it was */
}

static void test_what_is_wrong_inside(void) {
    const uint8_t cut[] = {7, 1, 3, 1, 2};
    const uint8_t text[] = {7, 0, 1, 1, 1, 1, 0xFF};
    nested_table found;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    CHECK(nested_table_decode(&found, cut, sizeof cut, &error) == WIRE_TRUNCATED);
    CHECK(strcmp(error.field, "rows") == 0 && error.offset == 2 && found.rows.count == 0);
    CHECK(nested_table_decode(&found, text, sizeof text, &error) == WIRE_BAD_TEXT);
    CHECK(strcmp(error.field, "pages") == 0 && error.offset == 5);
}

int main(void) {
    test_lists_of_lists();
    test_what_is_wrong_inside();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
