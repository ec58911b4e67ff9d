/* Machines in rare cases: values too large for a field, calls inside actions, actions that fail in turn. */
#include "zeps_wire/corners_server.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

typedef struct notebook {
    corners_server machine;
    char log[512];
    int warnings;
    int fails;  /* so many warnings fail */
    bool calls; /* whether a warning calls the machine */
    wire_outcome called[3];
} notebook;

static void note(notebook *self, const char *what, const char *more) {
    const size_t size = strlen(self->log);
    (void)snprintf(self->log + size, sizeof self->log - size, "%s%s%s", size == 0 ? "" : ", ", what, more);
}

static void on_send(void *context, const corners_message *message) {
    uint8_t frame[64];
    size_t size = 0;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    if (corners_encode(message, frame, sizeof frame, &size, &error) == WIRE_OK) {
        note((notebook *)context, "send", "");
    } else {
        note((notebook *)context, "cannot encode: ", error.field);
    }
}

static void on_unsendable(void *context, const wire_error *error) {
    CHECK(strcmp(error->message, "REPORT") == 0 && error->offset == 0);
    note((notebook *)context, "unsendable: ", wire_code_name(error->code));
    note((notebook *)context, error->field, "");
}

static void on_note(void *context, const corners_message *message) {
    CHECK(message == NULL);
    note((notebook *)context, "note", "");
}

static void on_warn(void *context, const corners_message *message) {
    notebook *self = (notebook *)context;
    corners_message other;
    memset(&other, 0, sizeof other);
    self->warnings++;
    if (self->calls) {
        self->called[0] = corners_server_receive(&self->machine, message);
        self->called[1] = corners_server_receive(&self->machine, &other); /* of no kind at all */
        self->called[2] = corners_server_on_report(&self->machine);
    }
    if (self->fails > 0) {
        self->fails--;
        CHECK(corners_server_fail(&self->machine, CORNERS_SERVER_ON_OOPS));
    }
}

static const corners_server_host host = {
    .send = on_send, .unsendable = on_unsendable, .warn = on_warn, .note = on_note};

static void start(notebook *self) {
    memset(self, 0, sizeof *self);
    CHECK(corners_server_init(&self->machine, &host, self));
}

static wire_outcome reading(notebook *self, int16_t degrees, int64_t change, const char *key) {
    corners_message message;
    memset(&message, 0, sizeof message);
    message.kind = CORNERS_READING;
    message.as.reading.degrees = degrees;
    message.as.reading.change = change;
    message.as.reading.key = wire_octets_of(key, strlen(key));
    return corners_server_receive(&self->machine, &message);
}

static void test_a_negative_number_counts_as_nothing(void) {
    notebook self;
    start(&self);
    CHECK(reading(&self, -5, INT64_MIN, "a") == WIRE_TAKEN && self.machine.total == 0);
    CHECK(reading(&self, 100, 0, "b") == WIRE_TAKEN && self.machine.total == 100);
    CHECK(corners_server_on_adjust(&self.machine, -7) == WIRE_TAKEN && self.machine.total == 0);
    CHECK(self.warnings == 0);
    corners_server_free(&self.machine);
}

static void report(uint64_t total, const char *token, const char *wanted) {
    notebook self;
    start(&self);
    self.machine.total = total;
    CHECK(wire_string_set(&self.machine.token, wire_text_of(token)));
    CHECK(corners_server_on_report(&self.machine) == WIRE_TAKEN);
    CHECK(strcmp(self.log, wanted) == 0);
    corners_server_free(&self.machine);
}

static void test_what_a_field_cannot_hold_is_not_sent(void) {
    report(1, "four", "send, note");
    report(UINT64_C(1) << 31, "four", "unsendable: too-long, level, note");
    report(UINT64_MAX, "four", "unsendable: too-long, level, note");
    report(256, "three", "unsendable: too-long, small, note");
    report(1, "", "unsendable: truncated, key, note");
    report(1, "fives", "unsendable: too-long, key, note");
    report(2, "four", "cannot encode: colour, note");
}

static void test_no_event_is_handled_inside_another(void) {
    notebook self;
    start(&self);
    self.calls = true;
    CHECK(reading(&self, 101, 0, "") == WIRE_TAKEN && self.warnings == 1);
    CHECK(self.called[0] == WIRE_UNHANDLED && self.called[1] == WIRE_UNHANDLED && self.called[2] == WIRE_UNHANDLED);
    CHECK(self.log[0] == '\0');
    CHECK(corners_server_on_report(&self.machine) == WIRE_TAKEN);
    corners_server_free(&self.machine);
}

static void test_actions_that_fail_in_turn(void) {
    notebook self;
    start(&self);
    self.fails = WIRE_RAISES_MAX;
    CHECK(reading(&self, 101, 0, "") == WIRE_TAKEN && self.warnings == 1 + WIRE_RAISES_MAX);
    self.fails = 1000;
    CHECK(reading(&self, 101, 0, "") == WIRE_UNHANDLED && self.warnings == 2 + 2 * WIRE_RAISES_MAX);
    self.fails = 0;
    CHECK(reading(&self, 101, 0, "") == WIRE_TAKEN && self.warnings == 3 + 2 * WIRE_RAISES_MAX);
    corners_server_free(&self.machine);
}

static void test_only_an_action_fails(void) {
    notebook self;
    start(&self);
    CHECK(!corners_server_fail(&self.machine, CORNERS_SERVER_ON_OOPS));
    CHECK(!corners_server_raise(&self.machine, CORNERS_SERVER_ON_OOPS));
    CHECK(reading(&self, 101, 0, "") == WIRE_TAKEN && self.warnings == 1 && self.log[0] == '\0');
    corners_server_free(&self.machine);
}

int main(void) {
    test_a_negative_number_counts_as_nothing();
    test_what_a_field_cannot_hold_is_not_sent();
    test_no_event_is_handled_inside_another();
    test_actions_that_fail_in_turn();
    test_only_an_action_fails();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
