/* Messages that the host fills, events that it raises, timers, and the hook for rows; see helpers/features. */
#include "zeps_wire/features_server.h"

#include "check.h"

#include <stdlib.h>

typedef struct notebook {
    features_server machine;
    features_message last;
    wire_error error;
    size_t sent;
    size_t unsent;
    size_t rows;
    int raises; /* an event, or WIRE_NO_EVENT */
    int fails;
    wire_outcome advanced; /* from inside an action */
    char path[256];
} notebook;

static void on_send(void *context, const features_message *message) {
    ((notebook *)context)->last = *message;
    ((notebook *)context)->sent++;
}

static void on_unsendable(void *context, const wire_error *error) {
    ((notebook *)context)->error = *error;
    ((notebook *)context)->unsent++;
}

static void on_look_up(void *context, const features_message *message) {
    notebook *self = (notebook *)context;
    CHECK(message != NULL && message->kind == FEATURES_QUESTION);
    self->advanced = features_server_advance(&self->machine, 0);
    if (self->raises != WIRE_NO_EVENT) {
        CHECK(features_server_raise(&self->machine, (features_server_internal_event)self->raises));
    }
    if (self->fails != WIRE_NO_EVENT) {
        CHECK(features_server_fail(&self->machine, (features_server_internal_event)self->fails));
    }
    CHECK(!features_server_raise(&self->machine, (features_server_internal_event)FEATURES_SERVER_GOT_BYE));
}

static void on_note(void *context, const features_message *message) {
    (void)context;
    (void)message;
}

static void on_row(void *context, features_server_state from, int event, features_server_state to) {
    notebook *self = (notebook *)context;
    const size_t used = strlen(self->path);
    (void)snprintf(self->path + used, sizeof self->path - used, "%s %s %s, ", features_server_state_name(from),
                   features_server_event_name(event), features_server_state_name(to));
    self->rows++;
}

static const features_server_host host = {
    .send = on_send, .unsendable = on_unsendable, .look_up = on_look_up, .note = on_note, .transition = on_row};

static void start(notebook *self) {
    memset(self, 0, sizeof *self);
    self->raises = self->fails = WIRE_NO_EVENT;
    CHECK(features_server_init(&self->machine, &host, self));
}

static wire_outcome ask(notebook *self, int raises, int fails) {
    features_message question;
    memset(&question, 0, sizeof question);
    question.kind = FEATURES_QUESTION;
    question.as.question.number = 7;
    self->raises = raises;
    self->fails = fails;
    return features_server_receive(&self->machine, &question);
}

static void test_a_field_that_is_not_filled(void) {
    const wire_octets one = {NULL, 0};
    notebook self;
    start(&self);
    features_server_fill_parcel_cover(&self.machine, wire_octets_of("first", 5));
    features_server_fill_parcel_cover(&self.machine, wire_octets_of("cover", 5)); /* takes its place */
    CHECK(features_server_on_ask(&self.machine) == WIRE_TAKEN && self.sent == 0 && self.unsent == 1);
    CHECK(self.error.code == WIRE_NOT_SET && strcmp(self.error.message, "PARCEL") == 0);
    CHECK(strcmp(self.error.field, "contents") == 0 && strcmp(wire_code_name(self.error.code), "not-set") == 0);
    features_server_fill_parcel_contents(&self.machine, (wire_blobs){1, &one, {NULL, 0, NULL}});
    CHECK(features_server_on_ask(&self.machine) == WIRE_TAKEN && self.unsent == 2); /* the cover was forgotten */
    CHECK(strcmp(self.error.field, "cover") == 0);
    features_server_fill_parcel_cover(&self.machine, wire_octets_of("cover", 5));
    features_server_fill_parcel_contents(&self.machine, (wire_blobs){1, &one, {NULL, 0, NULL}});
    CHECK(features_server_on_ask(&self.machine) == WIRE_TAKEN && self.sent == 1 && self.last.kind == FEATURES_PARCEL);
    CHECK(self.last.as.parcel.cover.size == 5 && self.last.as.parcel.contents.items == &one);
    features_server_free(&self.machine);
}

static void test_failing_and_raising(void) {
    notebook self;
    start(&self);
    CHECK(!features_server_raise(&self.machine, FEATURES_SERVER_ON_FOUND));
    CHECK(!features_server_fail(&self.machine, FEATURES_SERVER_ON_FOUND));
    CHECK(ask(&self, FEATURES_SERVER_ON_UNKNOWN, WIRE_NO_EVENT) == WIRE_TAKEN);
    CHECK(strcmp(self.path, "waiting QUESTION working, working unknown waiting, ") == 0);
    CHECK(self.advanced == WIRE_UNHANDLED && self.last.kind == FEATURES_BYE);
    self.path[0] = '\0';
    CHECK(ask(&self, FEATURES_SERVER_ON_FOUND, FEATURES_SERVER_ON_UNKNOWN) == WIRE_TAKEN); /* failing discards */
    CHECK(strcmp(self.path, "waiting QUESTION waiting, waiting unknown waiting, ") == 0);
    features_server_free(&self.machine);
}

static void test_timers(void) {
    notebook self;
    uint64_t deadline = 0;
    start(&self);
    CHECK(!features_server_deadline(&self.machine, &deadline));
    CHECK(features_server_advance(&self.machine, 1000) == WIRE_NOT_TAKEN);
    CHECK(features_server_deadline(&self.machine, &deadline) && deadline == 1200);
    CHECK(features_server_advance(&self.machine, 900) == WIRE_NOT_TAKEN); /* a clock does not go back */
    CHECK(features_server_advance(&self.machine, 1200) == WIRE_TAKEN && self.last.kind == FEATURES_GROWN);
    CHECK(features_server_deadline(&self.machine, &deadline) && deadline == 1400);
    self.machine.beat = 0; /* from when it starts again, the timer is off */
    CHECK(features_server_advance(&self.machine, 1400) == WIRE_TAKEN && self.sent == 2);
    CHECK(features_server_deadline(&self.machine, &deadline) && deadline == 4000);
    CHECK(ask(&self, WIRE_NO_EVENT, WIRE_NO_EVENT) == WIRE_TAKEN);
    CHECK(features_server_deadline(&self.machine, &deadline) && deadline == 1900); /* patience */
    features_server_free(&self.machine);
}

static void test_names(void) {
    CHECK(strcmp(features_server_event_name(-1), "unknown") == 0);
    CHECK(strcmp(features_server_event_name(99), "unknown") == 0);
    CHECK(strcmp(features_server_state_name((features_server_state)99), "unknown") == 0);
}

int main(void) {
    test_a_field_that_is_not_filled();
    test_failing_and_raising();
    test_timers();
    test_names();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
