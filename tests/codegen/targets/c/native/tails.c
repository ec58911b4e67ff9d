/* Lists that extend to the end of the frame, reserved bytes, and hashes with equal keys. */
#include "zeps_wire/greeting.h"
#include "zeps_wire/tails.h"

#include "check.h"

#include <stdlib.h>

static uint8_t frame[256];

static wire_octets octets(const char *text) { return wire_octets_of(text, strlen(text)); }

static void test_every_pair_of_a_hash_is_kept(void) {
    const wire_pair pairs[] = {{wire_text_of("k"), wire_text_of("1")},
                               {wire_text_of("a"), wire_text_of("")},
                               {wire_text_of("k"), wire_text_of("1")}};
    tails_properties properties = {wire_text_of("ready"), {3, pairs, {NULL, 0, NULL}}};
    tails_properties found;
    wire_cursor cursor = {0, 0};
    wire_pair pair = {{NULL, 0}, {NULL, 0}};
    size_t size = 0;
    size_t again = 0;
    size_t index;
    CHECK(tails_properties_encode(&properties, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(size == 1 + 6 + 7 + 6 + 7 && size == tails_properties_size(&properties));
    CHECK(tails_properties_decode(&found, frame, size, NULL) == WIRE_OK);
    CHECK(found.properties.count == 3);
    for (index = 0; wire_pairs_next(&found.properties, &cursor, &pair); index++) {
        CHECK(wire_text_equal(pair.key, pairs[index].key) && wire_text_equal(pair.value, pairs[index].value));
    }
    CHECK(index == 3);
    CHECK(tails_properties_encode(&found, frame + 128, 128, &again, NULL) == WIRE_OK);
    CHECK(again == size && memcmp(frame, frame + 128, size) == 0);
}

static void test_the_size_of_many_pairs_does_not_wrap(void) {
    wire_pair pairs[] = {{wire_text_of("k"), wire_text_of("")}, {wire_text_of("k"), wire_text_of("")}};
    tails_properties properties = {wire_text_of("ready"), {2, pairs, {NULL, 0, NULL}}};
    pairs[0].value.size = pairs[1].value.size = SIZE_MAX / 2 + 1;
    CHECK(tails_properties_size(&properties) == SIZE_MAX);
}

static void test_items_end_with_the_frame(void) {
    tails_properties properties;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    const uint8_t none[] = {1, 0};
    const uint8_t cut[] = {1, 0, 1, 'k', 0, 0, 0, 0, 1, 'k', 0};
    CHECK(tails_properties_decode(&properties, none, sizeof none, NULL) == WIRE_OK);
    CHECK(properties.properties.count == 0);
    CHECK(tails_properties_decode(&properties, cut, sizeof cut, &error) == WIRE_TRUNCATED);
    CHECK(strcmp(error.field, "properties") == 0 && error.offset == 10);
}

static void test_a_limit_counts_items(void) {
    const uint8_t many[] = {5, 1, 2, 3, 4, 5, 6};
    const uint64_t numbers[] = {1, 2, 3, 4, 5, 6};
    tails_small small;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    size_t size = 0;
    CHECK(tails_small_decode(&small, many, 6, NULL) == WIRE_OK);
    CHECK(small.small.count == 5 && wire_numbers_at(&small.small, 4) == 5);
    CHECK(tails_small_decode(&small, many, 7, &error) == WIRE_TOO_LONG);
    CHECK(error.offset == 1);
    small.small = (wire_numbers){6, numbers, {NULL, 0, NULL}};
    CHECK(tails_small_encode(&small, frame, sizeof frame, &size, NULL) == WIRE_TOO_LONG);
    small.small.count = 5;
    CHECK(tails_small_encode(&small, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(size == 6 && memcmp(frame, many, 6) == 0);
}

static void test_what_is_reserved_is_zero_and_not_looked_at(void) {
    const uint8_t sent[] = {15, 0, 0, 'A', 'B', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 0, 0};
    const uint64_t listed[] = {7};
    tails_between between = {{1, listed, {NULL, 0, NULL}}};
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    size_t size = 0;
    memset(frame, 0xFF, sizeof frame);
    CHECK(tails_between_encode(&between, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(size == sizeof sent && memcmp(frame, sent, size) == 0);
    memset(frame + 1, 0xFF, 2);
    memset(frame + 5, 0xFF, 8);
    memset(frame + 16, 0xFF, 2);
    CHECK(tails_between_decode(&between, frame, size, NULL) == WIRE_OK);
    CHECK(between.listed.count == 1 && wire_numbers_at(&between.listed, 0) == 7);
    CHECK(tails_between_decode(&between, frame, 17, &error) == WIRE_TRUNCATED);
    CHECK(strcmp(error.field, "last") == 0 && error.offset == 16);
}

static void test_one_message_alone_is_every_frame(void) {
    greeting_message message;
    size_t size = 0;
    message.kind = GREETING_GREETING;
    message.as.greeting.mechanism = octets("NULL");
    message.as.greeting.server = 1;
    CHECK(greeting_encode(&message, frame, sizeof frame, &size, NULL) == WIRE_OK);
    CHECK(size == 11 && memcmp(frame, "\0\0\177NULL\1\0\0\0", size) == 0);
    memcpy(frame, "xy", 2);
    CHECK(greeting_decode(&message, frame, size, NULL) == WIRE_OK);
    CHECK(message.kind == GREETING_GREETING && wire_octets_equal(message.as.greeting.mechanism, octets("NULL")));
    CHECK(greeting_decode(&message, frame, 0, NULL) == WIRE_TRUNCATED);
    frame[2] = 0;
    CHECK(greeting_decode(&message, frame, size, NULL) == WIRE_BAD_CONSTANT);
}

int main(void) {
    test_every_pair_of_a_hash_is_kept();
    test_the_size_of_many_pairs_does_not_wrap();
    test_items_end_with_the_frame();
    test_a_limit_counts_items();
    test_what_is_reserved_is_zero_and_not_looked_at();
    test_one_message_alone_is_every_frame();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
