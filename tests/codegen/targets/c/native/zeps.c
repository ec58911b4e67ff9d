/* The codec and the machines of ZEPS, in a program. */
#include "zeps_wire/zeps.h"
#include "zeps_wire/zeps_client.h"
#include "zeps_wire/zeps_server.h"

#include "check.h"

#include <stdlib.h>

static const char long_key[] = "a key that is a good deal longer than thirty-two octets";

static zeps_message deliver_of(uint64_t sequence, const char *key, const char *body) {
    zeps_message message;
    memset(&message, 0, sizeof message);
    message.kind = ZEPS_DELIVER;
    message.as.deliver.sequence = sequence;
    message.as.deliver.key = wire_text_of(key);
    message.as.deliver.body = wire_octets_of(body, strlen(body));
    return message;
}

static void test_round_trip(void) {
    const char *const keys[] = {"", "k", "four", "eight888", "sixteen octets..", "caf\303\251", long_key};
    size_t index;
    for (index = 0; index < sizeof keys / sizeof *keys; index++) {
        const zeps_message message = deliver_of(7, keys[index], "body");
        zeps_message found;
        uint8_t frame[128];
        size_t size = 0;
        CHECK(zeps_encode(&message, frame, sizeof frame, &size, NULL) == WIRE_OK);
        CHECK(size == zeps_size(&message));
        CHECK(size == 16 + strlen(keys[index]) + 4);
        CHECK(zeps_decode(&found, frame, size, NULL) == WIRE_OK);
        CHECK(found.kind == ZEPS_DELIVER);
        CHECK(found.as.deliver.sequence == 7);
        CHECK(wire_text_equal(found.as.deliver.key, wire_text_of(keys[index])));
        CHECK(found.as.deliver.body.data == frame + size - 4); /* a view of the frame */
    }
}

/* Every prefix of a frame, in memory of exactly its size, so that a sanitizer reports each read beyond the end. */
static void test_cuts(void) {
    const zeps_message message = deliver_of(7, long_key, "body");
    uint8_t frame[128];
    size_t size = 0;
    size_t cut;
    CHECK(zeps_encode(&message, frame, sizeof frame, &size, NULL) == WIRE_OK);
    for (cut = 0; cut < size; cut++) {
        uint8_t *part = (uint8_t *)malloc(cut == 0 ? 1 : cut);
        zeps_deliver found = message.as.deliver;
        wire_error error = {WIRE_OK, NULL, NULL, 0};
        memcpy(part, frame, cut);
        CHECK(zeps_deliver_decode(&found, part, cut, &error) == WIRE_TRUNCATED);
        CHECK(error.code == WIRE_TRUNCATED);
        CHECK(found.sequence == 0 && found.key.data == NULL && found.body.data == NULL);
        free(part);
    }
}

static void test_errors(void) {
    static const uint8_t trailing[] = {0xAA, 0xA5, 8, 0};
    static const uint8_t unknown[] = {0xAA, 0xA5, 99};
    static const uint8_t signature[] = {0xAA, 0xA4, 8};
    static const uint8_t version[] = {0xAA, 0xA5, 1, 4, 'Z', 'E', 'P', 'S', 0, 2, 1, 's'};
    static const uint8_t control[] = {0xAA, 0xA5, 1, 4, 'Z', 'E', 'P', 'S', 0, 1, 1, 7};
    static const uint8_t huge[] = {0xAA, 0xA5, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF};
    zeps_message message = deliver_of(1, "key", "body");
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    CHECK(zeps_decode(&message, trailing, sizeof trailing, &error) == WIRE_TRAILING);
    CHECK(message.kind == ZEPS_NONE && message.as.deliver.key.data == NULL);
    CHECK(strcmp(error.message, "PING") == 0 && error.field == NULL && error.offset == 3);
    CHECK(zeps_decode(&message, unknown, sizeof unknown, NULL) == WIRE_UNKNOWN_MESSAGE);
    CHECK(zeps_decode(&message, signature, sizeof signature, NULL) == WIRE_BAD_SIGNATURE);
    CHECK(zeps_decode(&message, NULL, 0, NULL) == WIRE_TRUNCATED);
    CHECK(zeps_decode(&message, version, sizeof version, &error) == WIRE_BAD_CONSTANT);
    CHECK(strcmp(error.message, "ATTACH") == 0 && strcmp(error.field, "version") == 0 && error.offset == 8);
    CHECK(zeps_decode(&message, control, sizeof control, NULL) == WIRE_BAD_TEXT);
    CHECK(zeps_decode(&message, huge, sizeof huge, NULL) == WIRE_TOO_LONG);
    CHECK(strcmp(wire_code_name(WIRE_TOO_LONG), "too-long") == 0);
}

static void test_encoders_refuse(void) {
    char text[256];
    uint8_t frame[32];
    size_t size = 99;
    zeps_message message = deliver_of(1, "key", "a body that is too long for the buffer");
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    CHECK(zeps_encode(&message, frame, sizeof frame, &size, &error) == WIRE_NO_ROOM);
    CHECK(size == zeps_size(&message));
    message.as.deliver.key = wire_text_of("\a");
    CHECK(zeps_encode(&message, frame, sizeof frame, &size, &error) == WIRE_BAD_TEXT);
    CHECK(size == 0 && strcmp(error.field, "key") == 0);
    memset(text, 'x', sizeof text);
    message.as.deliver.key.data = text;
    message.as.deliver.key.size = sizeof text;
    CHECK(zeps_encode(&message, frame, sizeof frame, &size, &error) == WIRE_TOO_LONG);
    message.kind = ZEPS_NONE;
    CHECK(zeps_encode(&message, frame, sizeof frame, &size, NULL) == WIRE_UNKNOWN_MESSAGE);
    CHECK(zeps_size(&message) == 0);
}

static void test_sizes_stop_at_the_greatest(void) {
    zeps_message message = deliver_of(1, "key", "body");
    uint8_t frame[64];
    size_t size = 99;
    message.as.deliver.body.size = SIZE_MAX - 8;
    CHECK(zeps_deliver_size(&message.as.deliver) == SIZE_MAX && zeps_size(&message) == SIZE_MAX);
    CHECK(zeps_encode(&message, frame, sizeof frame, &size, NULL) == WIRE_TOO_LONG && size == 0);
}

static void test_names(void) {
    CHECK(strcmp(zeps_kind_name(ZEPS_ATTACH_OK), "ATTACH-OK") == 0);
    CHECK(strcmp(zeps_kind_name(ZEPS_NONE), "unknown") == 0 && strcmp(zeps_kind_name((zeps_kind)99), "unknown") == 0);
    CHECK(strcmp(zeps_server_state_name(ZEPS_SERVER_IN_OPEN), "open") == 0);
    CHECK(strcmp(zeps_server_event_name(ZEPS_SERVER_GOT_PING), "PING") == 0);
}

/* --- a server; its host refuses the stream "no", the stream "long" with a long reason, and the pattern "(" */

typedef struct recorder {
    zeps_server machine;
    zeps_message last;
    size_t sent;
    size_t closed;
    size_t subscriptions;
} recorder;

static void on_send(void *context, const zeps_message *message) {
    recorder *self = (recorder *)context;
    self->last = *message;
    self->sent++;
}

static void on_open_stream(void *context, const zeps_message *message) {
    recorder *self = (recorder *)context;
    if (wire_text_equal(message->as.attach.stream, wire_text_of("no"))) {
        CHECK(wire_string_set(&self->machine.reason, wire_text_of("not that one")));
        zeps_server_fail(&self->machine, ZEPS_SERVER_ON_ATTACH_REFUSED);
    } else if (wire_text_equal(message->as.attach.stream, wire_text_of("long"))) {
        char reason[257] = {0};
        memset(reason, 'x', sizeof reason - 1);
        CHECK(wire_string_set(&self->machine.reason, wire_text_of(reason)));
        zeps_server_fail(&self->machine, ZEPS_SERVER_ON_ATTACH_REFUSED);
    }
}

static void on_close_stream(void *context, const zeps_message *message) {
    (void)message;
    ((recorder *)context)->closed++;
}

static void on_nothing(void *context, const zeps_message *message) {
    (void)context;
    (void)message;
}

static void on_check_subscription(void *context, const zeps_message *message) {
    recorder *self = (recorder *)context;
    if (wire_text_equal(message->as.subscribe.pattern, wire_text_of("("))) {
        CHECK(wire_string_set(&self->machine.reason, wire_text_of(ZEPS_OPEN_CODE_BAD_PATTERN " not that one")));
        zeps_server_fail(&self->machine, ZEPS_SERVER_ON_SUBSCRIBE_REFUSED);
    }
}

static void on_add_subscription(void *context, const zeps_message *message) {
    (void)message;
    ((recorder *)context)->subscriptions++;
}

static const zeps_server_host host = {.send = on_send,
                                      .open_stream = on_open_stream,
                                      .close_stream = on_close_stream,
                                      .check_subscription = on_check_subscription,
                                      .add_subscription = on_add_subscription,
                                      .use_credit = on_nothing,
                                      .store_message = on_nothing};

static wire_outcome attach(recorder *self, const char *stream) {
    zeps_message message;
    memset(&message, 0, sizeof message);
    message.kind = ZEPS_ATTACH;
    message.as.attach.stream = wire_text_of(stream);
    return zeps_server_receive(&self->machine, &message);
}

static void test_server(void) {
    recorder self;
    zeps_message message;
    memset(&self, 0, sizeof self);
    CHECK(zeps_server_init(&self.machine, &host, &self));
    CHECK(zeps_server_where(&self.machine) == ZEPS_SERVER_IN_START);
    CHECK(attach(&self, "") == WIRE_TAKEN); /* a guard */
    CHECK(self.last.kind == ZEPS_INVALID && self.sent == 1);
    CHECK(zeps_server_where(&self.machine) == ZEPS_SERVER_IN_START);
    CHECK(attach(&self, "no") == WIRE_TAKEN); /* the host fails: ATTACH-OK is skipped */
    CHECK(self.sent == 2 && self.last.kind == ZEPS_INVALID);
    CHECK(wire_text_equal(self.last.as.invalid.reason, wire_text_of("not that one")));
    CHECK(attach(&self, "yes") == WIRE_TAKEN);
    CHECK(zeps_server_where(&self.machine) == ZEPS_SERVER_IN_OPEN && self.last.kind == ZEPS_ATTACH_OK);
    message = deliver_of(1, "key", "body");
    CHECK(zeps_server_on_deliver(&self.machine, &message) == WIRE_NOT_TAKEN); /* no credit */
    memset(&message, 0, sizeof message);
    message.kind = ZEPS_CREDIT;
    message.as.credit.credit = UINT64_MAX;
    CHECK(zeps_server_receive(&self.machine, &message) == WIRE_TAKEN);
    CHECK(zeps_server_receive(&self.machine, &message) == WIRE_TAKEN);
    CHECK(self.machine.credit == UINT64_MAX); /* it saturates */
    message = deliver_of(1, "key", "body");
    CHECK(zeps_server_on_deliver(&self.machine, &message) == WIRE_TAKEN);
    CHECK(self.last.kind == ZEPS_DELIVER && self.machine.credit == UINT64_MAX - zeps_size(&message));
    message.kind = ZEPS_PING;
    CHECK(zeps_server_on_deliver(&self.machine, &message) == WIRE_UNHANDLED); /* the message is not a DELIVER */
    zeps_server_free(&self.machine);
}

/* A refused SUBSCRIBE does not change the session. */
static void test_a_refused_subscribe(void) {
    recorder self;
    zeps_message message;
    memset(&self, 0, sizeof self);
    memset(&message, 0, sizeof message);
    CHECK(zeps_server_init(&self.machine, &host, &self));
    CHECK(attach(&self, "yes") == WIRE_TAKEN);
    message.kind = ZEPS_SUBSCRIBE;
    message.as.subscribe.pattern = wire_text_of("(");
    CHECK(zeps_server_receive(&self.machine, &message) == WIRE_TAKEN);
    CHECK(self.sent == 2 && self.last.kind == ZEPS_INVALID);
    CHECK(wire_text_equal(self.last.as.invalid.reason, wire_text_of("bad-pattern not that one")));
    CHECK(zeps_server_where(&self.machine) == ZEPS_SERVER_IN_OPEN);
    CHECK(self.closed == 0 && self.subscriptions == 0);
    message.as.subscribe.pattern = wire_text_of("x");
    CHECK(zeps_server_receive(&self.machine, &message) == WIRE_TAKEN);
    CHECK(self.last.kind == ZEPS_SUBSCRIBE_OK && self.subscriptions == 1);
    zeps_server_free(&self.machine);
}

/* The encoder checks the length of a text; the host receives the message before. */
static void test_text_that_is_too_long(void) {
    recorder self;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    uint8_t frame[512];
    size_t size = 0;
    memset(&self, 0, sizeof self);
    CHECK(zeps_server_init(&self.machine, &host, &self));
    CHECK(attach(&self, "long") == WIRE_TAKEN);
    CHECK(self.sent == 1 && self.last.kind == ZEPS_INVALID && self.last.as.invalid.reason.size == 256);
    CHECK(zeps_encode(&self.last, frame, sizeof frame, &size, &error) == WIRE_TOO_LONG);
    CHECK(strcmp(error.field, "reason") == 0);
    zeps_server_free(&self.machine);
}

static void test_unexpected(void) {
    recorder self;
    zeps_message message;
    const wire_row *row = &zeps_server_table.rows[0];
    memset(&self, 0, sizeof self);
    memset(&message, 0, sizeof message);
    CHECK(zeps_server_init(&self.machine, &host, &self));
    CHECK(zeps_server_on_shutdown(&self.machine) == WIRE_UNHANDLED);
    CHECK(zeps_server_receive(&self.machine, &message) == WIRE_UNEXPECTED);
    CHECK(row->state == ZEPS_SERVER_IN_START && row->event == ZEPS_SERVER_GOT_ATTACH && row->next == WIRE_STAYS);
    CHECK(strcmp(row->guard, "message.stream == ''") == 0);
    zeps_server_free(&self.machine);
}

/* A machine copies a text, even a text that it already owns. */
static void test_memory(void) {
    wire_string string = {NULL, 0, 0};
    char text[] = "stream";
    CHECK(wire_string_set(&string, wire_text_of(text)));
    text[0] = 'X';
    CHECK(wire_text_equal(wire_string_text(&string), wire_text_of("stream")));
    CHECK(wire_string_set(&string, wire_string_text(&string)));
    CHECK(wire_text_equal(wire_string_text(&string), wire_text_of("stream")));
    CHECK(wire_string_set(&string, wire_text_of("")));
    CHECK(wire_string_text(&string).size == 0);
    wire_string_free(&string);
}

/* --- a client; its host calls the machine with another event inside `send` */

typedef struct nested {
    zeps_client machine;
    int kind;
} nested;

static void on_nested_send(void *context, const zeps_message *message) {
    nested *self = (nested *)context;
    if (message->kind == ZEPS_DETACH_OK) {
        CHECK(zeps_client_on_heartbeat(&self->machine) == WIRE_UNHANDLED);
    }
}

static void on_nested_detached(void *context, const zeps_message *message) {
    ((nested *)context)->kind = message == NULL ? ZEPS_NONE : (int)message->kind;
}

static void test_an_event_within_an_event(void) {
    static const zeps_client_host nesting = {.send = on_nested_send, .detached = on_nested_detached};
    nested self;
    zeps_message message;
    memset(&self, 0, sizeof self);
    CHECK(zeps_client_init(&self.machine, &nesting, &self));
    CHECK(zeps_client_on_open(&self.machine, wire_text_of("stream")) == WIRE_TAKEN);
    memset(&message, 0, sizeof message);
    message.kind = ZEPS_DETACH;
    CHECK(zeps_client_receive(&self.machine, &message) == WIRE_TAKEN);
    CHECK(self.kind == ZEPS_DETACH);
    zeps_client_free(&self.machine);
}

int main(void) {
    test_round_trip();
    test_cuts();
    test_errors();
    test_encoders_refuse();
    test_sizes_stop_at_the_greatest();
    test_names();
    test_server();
    test_a_refused_subscribe();
    test_text_that_is_too_long();
    test_an_event_within_an_event();
    test_unexpected();
    test_memory();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
