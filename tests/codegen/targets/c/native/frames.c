/* Messages of several frames, and the machine that forwards them. */
#include "zeps_wire/frames_server.h"

#include "check.h"

#include <stdlib.h>

static wire_octets octets(const char *text) { return wire_octets_of(text, strlen(text)); }

static frames_message parcel_of(const wire_octets *more, size_t count) {
    frames_message message;
    memset(&message, 0, sizeof message);
    message.kind = FRAMES_PARCEL;
    message.as.parcel.label = wire_text_of("label");
    message.as.parcel.content = octets("content");
    message.as.parcel.more.items = more;
    message.as.parcel.more.count = count;
    return message;
}

static void test_frames_are_views(void) {
    const wire_octets more[] = {octets(""), octets("last")};
    const frames_message message = parcel_of(more, 2);
    frames_message found;
    uint8_t buffer[64];
    wire_octets frames[4];
    size_t count = 4;
    CHECK(frames_encode_frames(&message, buffer, sizeof buffer, frames, &count, NULL) == WIRE_OK);
    CHECK(count == 4 && frames[0].data == buffer && frames[0].size == 9 && frames[3].data == more[1].data);
    CHECK(frames_size(&message) == 9 + 7 + 0 + 4);
    CHECK(frames_decode_frames(&found, frames, count, NULL) == WIRE_OK);
    CHECK(found.kind == FRAMES_PARCEL && found.as.parcel.content.data == message.as.parcel.content.data);
    CHECK(found.as.parcel.more.count == 2 && found.as.parcel.more.items == frames + 2);
    CHECK(wire_text_equal(found.as.parcel.label, message.as.parcel.label));
}

static void test_too_few_and_too_many(void) {
    const wire_octets more[] = {octets("x")};
    const frames_message message = parcel_of(more, 1);
    frames_message found;
    frames_hello hello = {7};
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    uint8_t buffer[64];
    wire_octets frames[3];
    size_t count = 3;
    size_t size = 0;
    CHECK(frames_encode_frames(&message, buffer, sizeof buffer, frames, &count, NULL) == WIRE_OK && count == 3);
    CHECK(frames_decode_frames(&found, frames, 0, &error) == WIRE_TRUNCATED && error.message == NULL);
    CHECK(frames_decode_frames(&found, frames, 1, &error) == WIRE_TRUNCATED);
    CHECK(strcmp(error.field, "content") == 0 && error.offset == 9 && found.kind == FRAMES_NONE);
    CHECK(frames_decode_frames(&found, frames, 2, &error) == WIRE_TRUNCATED && strcmp(error.field, "more") == 0);
    CHECK(frames_decode(&found, buffer, 9, &error) == WIRE_TRUNCATED && strcmp(error.field, "content") == 0);
    CHECK(frames_hello_encode(&hello, buffer, sizeof buffer, &size, NULL) == WIRE_OK);
    frames[0] = wire_octets_of(buffer, size);
    CHECK(frames_decode_frames(&found, frames, 1, NULL) == WIRE_OK && found.as.hello.ticket == 7);
    CHECK(frames_decode_frames(&found, frames, 2, &error) == WIRE_TRAILING);
    CHECK(strcmp(error.message, "HELLO") == 0 && error.field == NULL && error.offset == size);
}

static void test_what_cannot_be_encoded(void) {
    const wire_octets more[] = {octets("x")};
    frames_message message = parcel_of(more, 1);
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    uint8_t buffer[64];
    wire_octets frames[3];
    size_t count = 2;
    size_t size = 99;
    CHECK(frames_encode_frames(&message, buffer, sizeof buffer, frames, &count, &error) == WIRE_NO_ROOM && count == 3);
    CHECK(frames_encode_frames(&message, buffer, 8, frames, &count, &error) == WIRE_NO_ROOM && count == 3);
    CHECK(frames_encode(&message, buffer, sizeof buffer, &size, &error) == WIRE_TOO_LONG && size == 0);
    CHECK(strcmp(error.message, "PARCEL") == 0);
    message.as.parcel.more.count = 0;
    CHECK(frames_encode_frames(&message, buffer, sizeof buffer, frames, &count, &error) == WIRE_TRUNCATED);
    CHECK(count == 0 && strcmp(error.field, "more") == 0);
    message.kind = FRAMES_NONE;
    CHECK(frames_encode_frames(&message, buffer, sizeof buffer, frames, &count, NULL) == WIRE_UNKNOWN_MESSAGE);
}

static void test_one_expected_message(void) {
    const wire_octets more[] = {octets("x")};
    const frames_message message = parcel_of(more, 1);
    frames_parcel found;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    uint8_t buffer[64];
    wire_octets frames[3];
    size_t count = 3;
    CHECK(frames_parcel_encode_frames(&message.as.parcel, buffer, sizeof buffer, frames, &count, NULL) == WIRE_OK);
    CHECK(frames_parcel_decode_frames(&found, frames, count, NULL) == WIRE_OK && found.more.count == 1);
    buffer[2] = 1; /* now it is a HELLO */
    CHECK(frames_parcel_decode_frames(&found, frames, count, &error) == WIRE_UNKNOWN_MESSAGE);
    CHECK(found.content.data == NULL && frames_parcel_size(&message.as.parcel) == 9 + 7 + 1);
}

static size_t sent;

static void on_send(void *context, const frames_message *message) {
    sent += ((const frames_message *)context)->as.parcel.content.data == message->as.parcel.content.data ? 1 : 0;
}

static void on_nothing(void *context, const frames_message *message) {
    (void)context;
    (void)message;
}

static void test_a_machine_hands_it_on(void) {
    static const frames_server_host host = {.send = on_send, .fetch = on_nothing, .open_door = on_nothing};
    const wire_octets more[] = {octets("x")};
    frames_message parcel = parcel_of(more, 1);
    frames_message hello;
    frames_server machine;
    memset(&hello, 0, sizeof hello);
    hello.kind = FRAMES_HELLO;
    hello.as.hello.ticket = 7;
    CHECK(frames_server_init(&machine, &host, &parcel));
    CHECK(frames_server_receive(&machine, &hello) == WIRE_TAKEN);
    CHECK(frames_server_on_parcel(&machine, &parcel) == WIRE_TAKEN && sent == 1 && machine.left == 2);
    frames_server_free(&machine);
}

int main(void) {
    test_frames_are_views();
    test_too_few_and_too_many();
    test_what_cannot_be_encoded();
    test_one_expected_message();
    test_a_machine_hands_it_on();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
