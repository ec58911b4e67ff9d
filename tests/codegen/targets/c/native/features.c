/* Every kind of field, in a program: lists, hashes, flags, enumerations, variable-length numbers. */
#include "zeps_wire/features.h"

#include "check.h"

#include <stdlib.h>

static uint8_t frame[512];

static void test_lists(void) {
    const wire_text keys[] = {wire_text_of("a"), wire_text_of(""), wire_text_of("ccc")};
    const uint64_t times[] = {1, UINT64_MAX, 3};
    const uint64_t sizes[] = {0, 127, 128, UINT64_MAX};
    features_lists lists = {{3, keys, {NULL, 0, NULL}}, {3, times, {NULL, 0, NULL}}, {4, sizes, {NULL, 0, NULL}}};
    features_lists found;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    wire_cursor cursor = {0, 0};
    wire_text key = {NULL, 0};
    size_t size = 0;
    size_t index;
    CHECK(features_lists_encode(&lists, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(size == features_lists_size(&lists));
    CHECK(features_lists_decode(&found, frame, size, NULL) == WIRE_OK);
    CHECK(found.keys.count == 3 && found.times.count == 3 && found.sizes.count == 4);
    for (index = 0; wire_texts_next(&found.keys, &cursor, &key); index++) {
        CHECK(wire_text_equal(key, keys[index]));
    }
    CHECK(index == 3);
    for (index = 0; index < 4; index++) {
        CHECK(wire_numbers_at(&found.times, index) == (index < 3 ? times[index] : 0));
        CHECK(wire_numbers_at(&found.sizes, index) == sizes[index]);
    }
    lists = found; /* what was decoded can be encoded again */
    CHECK(features_lists_encode(&lists, frame + 256, 256, &size, NULL) == WIRE_OK);
    CHECK(size == features_lists_size(&lists) && memcmp(frame, frame + 256, size) == 0);
    lists.times.count = 2; /* one number counts both lists */
    CHECK(features_lists_encode(&lists, frame, sizeof frame, &size, &error) == WIRE_TRUNCATED);
    CHECK(strcmp(error.field, "times") == 0);
}

static void test_a_list_without_items(void) {
    features_lists lists;
    size_t size = 0;
    memset(&lists, 0, sizeof lists);
    CHECK(features_lists_encode(&lists, frame, sizeof frame, &size, NULL) == WIRE_OK);
    lists.sizes.count = 2; /* but no items are set */
    CHECK(features_lists_encode(&lists, frame, sizeof frame, &size, NULL) == WIRE_TRUNCATED);
}

static void test_texts(void) {
    const wire_text words[] = {wire_text_of("one"), wire_text_of("two")};
    const wire_pair headers[] = {{wire_text_of("key"), wire_text_of("value")}};
    features_texts texts;
    features_texts found;
    wire_cursor cursor = {0, 0};
    wire_pair pair = {{NULL, 0}, {NULL, 0}};
    size_t size = 0;
    memset(&texts, 0, sizeof texts);
    texts.visible = wire_text_of("visible");
    texts.raw.data = "\0\377";
    texts.raw.size = 2;
    texts.words.count = 2;
    texts.words.items = words;
    texts.headers.count = 1;
    texts.headers.items = headers;
    CHECK(features_texts_encode(&texts, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(features_texts_decode(&found, frame, size, NULL) == WIRE_OK);
    CHECK(wire_text_equal(found.raw, texts.raw));
    CHECK(wire_pairs_next(&found.headers, &cursor, &pair));
    CHECK(wire_text_equal(pair.key, headers[0].key) && wire_text_equal(pair.value, headers[0].value));
    CHECK(!wire_pairs_next(&found.headers, &cursor, &pair));
    texts.visible = wire_text_of("not visible");
    CHECK(features_texts_encode(&texts, frame, sizeof frame, &size, NULL) == WIRE_BAD_TEXT);
}

static void test_numbers(void) {
    features_numbers numbers = {1, -2, 300, 300, -300, FEATURES_COLOUR_DARK_BLUE, 0};
    features_message found;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    size_t size = 0;
    numbers.rights = FEATURES_RIGHTS_READ | FEATURES_RIGHTS_WRITE;
    CHECK(features_numbers_encode(&numbers, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(features_decode(&found, frame, size, NULL) == WIRE_OK);
    CHECK(found.kind == FEATURES_NUMBERS && found.as.numbers.tiny == 1 && found.as.numbers.below == -2);
    CHECK(found.as.numbers.limited == 300 && found.as.numbers.lean == 300 && found.as.numbers.zigzag == -300);
    CHECK(found.as.numbers.colour == FEATURES_COLOUR_DARK_BLUE && found.as.numbers.rights == numbers.rights);
    frame[size - 1] = 4; /* no such bit */
    CHECK(features_decode(&found, frame, size, &error) == WIRE_BAD_CONSTANT);
    CHECK(strcmp(error.field, "rights") == 0);
    numbers.colour = 2;
    CHECK(features_numbers_encode(&numbers, frame, sizeof frame, &size, NULL) == WIRE_BAD_CONSTANT);
    numbers.limited = 301;
    CHECK(features_numbers_encode(&numbers, frame, sizeof frame, &size, &error) == WIRE_TOO_LONG);
    CHECK(strcmp(error.field, "limited") == 0);
}

int main(void) {
    test_lists();
    test_a_list_without_items();
    test_texts();
    test_numbers();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
