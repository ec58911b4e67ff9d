/* client ENDPOINT STREAM COUNT: attach to a stream, publish COUNT messages, receive them all back, detach.
 *
 * The machine decides what a client may say and when; this program is its host. It owns the socket, the clock, and
 * what its user wants. Actions only note what is to follow: it is done once the machine has finished its step. */
#include "zeps_wire/zeps_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zmq.h>

enum { QUIET_MS = 1000, SEND_MS = 10000, FRAME_OCTETS = 512, SILENCE_MAX = 30, WINDOW = 65536 };

typedef struct session {
    zeps_client machine;
    void *socket;
    const char *stream;
    char tag[64]; /* begins the bodies of this run, so that messages of others are not taken for ours */
    size_t count;
    size_t received;
    uint64_t first;
    uint64_t last;
    uint64_t used; /* octets of credit since the last grant */
    bool is_attached;
    bool is_subscribed;
    bool is_over;
    bool is_closing;
    bool has_failed;
} session;

static void fail(session *self, const char *what, wire_text more) {
    if (!self->has_failed) {
        fprintf(stderr, "client: %s%.*s\n", what, (int)more.size, more.size == 0 ? "" : more.data);
    }
    self->has_failed = true;
}

static void complain(session *self, const char *what) { fail(self, what, wire_text_of("")); }

static void insist(session *self, wire_outcome outcome) {
    if (outcome != WIRE_TAKEN) {
        complain(self, "the machine does not take this now");
    }
}

/* --- what the machine asks of its host */

static void on_send(void *context, const zeps_message *message) {
    session *self = (session *)context;
    uint8_t frame[FRAME_OCTETS];
    size_t size = 0;
    if (zeps_encode(message, frame, sizeof frame, &size, NULL) != WIRE_OK) {
        complain(self, "a message cannot be encoded");
    } else if (zmq_send(self->socket, frame, size, 0) < 0) {
        fail(self, "cannot send: ", wire_text_of(zmq_strerror(zmq_errno())));
    }
}

static void on_attached(void *context, const zeps_message *message) {
    (void)message;
    ((session *)context)->is_attached = true;
}

static void on_subscribed(void *context, const zeps_message *message) {
    (void)message;
    ((session *)context)->is_subscribed = true;
}

static void on_detached(void *context, const zeps_message *message) {
    (void)message;
    ((session *)context)->is_over = true;
}

static void on_refused(void *context, const zeps_message *message) {
    fail((session *)context, "the broker refused: ", message->as.invalid.reason);
}

static void on_session_lost(void *context, const zeps_message *message) {
    fail((session *)context, "the session is lost: ", message->as.invalid.reason);
}

/* A client that lives longer would attach again, and resume after its last sequence. */
static void on_broker_lost(void *context, const zeps_message *message) {
    (void)message;
    complain((session *)context, "the broker is lost");
}

static void on_answered(void *context, const zeps_message *message) {
    (void)context;
    (void)message;
}

static void on_deliver(void *context, const zeps_message *message) {
    session *self = (session *)context;
    const zeps_deliver *deliver = &message->as.deliver;
    const size_t tag = strlen(self->tag);
    char wanted[32];
    self->used += zeps_deliver_size(deliver);
    if (deliver->body.size < tag || memcmp(deliver->body.data, self->tag, tag) != 0) {
        return;
    }
    self->received++;
    (void)snprintf(wanted, sizeof wanted, "demo/%zu", self->received);
    if (!wire_text_equal(deliver->key, wire_text_of(wanted)) || deliver->sequence <= self->last) {
        fail(self, "out of order: ", deliver->key);
    }
    self->first = self->received == 1 ? deliver->sequence : self->first;
    self->last = deliver->sequence;
}

static const zeps_client_host host = {
    .send = on_send,
    .attached = on_attached,
    .attach_refused = on_refused,
    .detached = on_detached,
    .broker_lost = on_broker_lost,
    .subscribed = on_subscribed,
    .take_message = on_deliver,
    .answered = on_answered,
    .session_lost = on_session_lost,
};

/* --- what the user wants */

static void publish(session *self) {
    char key[32];
    char body[96];
    size_t number;
    for (number = 1; number <= self->count && !self->has_failed; number++) {
        (void)snprintf(key, sizeof key, "demo/%zu", number);
        (void)snprintf(body, sizeof body, "%s%zu", self->tag, number);
        insist(self, zeps_client_on_post(&self->machine, wire_text_of(key), wire_octets_of(body, strlen(body))));
    }
}

/* What follows from the actions of the last step. */
static void go_on(session *self) {
    if (self->is_attached) {
        self->is_attached = false;
        insist(self, zeps_client_on_follow(&self->machine, wire_text_of("demo/"), ZEPS_LATEST_ALL));
    }
    if (self->is_subscribed) {
        self->is_subscribed = false;
        insist(self, zeps_client_on_grant(&self->machine, WINDOW));
        publish(self);
    }
    if (self->used > WINDOW / 2) {
        insist(self, zeps_client_on_grant(&self->machine, self->used));
        self->used = 0;
    }
    if (self->received == self->count && !self->is_closing &&
        zeps_client_where(&self->machine) == ZEPS_CLIENT_IN_OPEN) {
        self->is_closing = true;
        insist(self, zeps_client_on_close(&self->machine));
    }
}

static void take(session *self, const uint8_t *frame, size_t size) {
    zeps_message message;
    if (zeps_decode(&message, frame, size, NULL) != WIRE_OK) {
        insist(self, zeps_client_on_malformed(&self->machine));
    } else {
        insist(self, zeps_client_receive(&self->machine, &message));
    }
    if (!self->is_over && !self->has_failed) {
        go_on(self);
    }
}

/* Receive until the session is over; ping when nothing comes. */
static void run(session *self) {
    int silent = 0;
    insist(self, zeps_client_on_open(&self->machine, wire_text_of(self->stream)));
    while (!self->is_over && !self->has_failed) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, self->socket, 0) >= 0) {
            silent = 0;
            take(self, (const uint8_t *)zmq_msg_data(&frame), zmq_msg_size(&frame));
        } else if (zmq_errno() != EAGAIN || ++silent == SILENCE_MAX) {
            complain(self, "nothing comes any more");
        } else {
            insist(self, zeps_client_on_heartbeat(&self->machine));
        }
        zmq_msg_close(&frame);
    }
    if (!self->has_failed && self->received != self->count) {
        complain(self, "detached before all messages came");
    }
}

static bool parse(const char *text, size_t *number) {
    char *end = NULL;
    *number = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

int main(int count, char **arguments) {
    session self = {.is_over = false};
    const int linger = SEND_MS;
    const int quiet = QUIET_MS;
    void *context;
    if (count != 4 || !parse(arguments[3], &self.count)) {
        fprintf(stderr, "usage: client ENDPOINT STREAM COUNT\n");
        return 2;
    }
    self.stream = arguments[2];
    context = zmq_ctx_new();
    self.socket = zmq_socket(context, ZMQ_DEALER);
    (void)snprintf(self.tag, sizeof self.tag, "%lld %p ", (long long)time(NULL), self.socket);
    zmq_setsockopt(self.socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(self.socket, ZMQ_SNDTIMEO, &linger, sizeof linger);
    zmq_setsockopt(self.socket, ZMQ_RCVTIMEO, &quiet, sizeof quiet);
    if (zmq_connect(self.socket, arguments[1]) != 0) {
        fail(&self, "cannot connect: ", wire_text_of(zmq_strerror(zmq_errno())));
    } else if (!zeps_client_init(&self.machine, &host, &self)) {
        complain(&self, "no memory");
    } else {
        run(&self);
    }
    zeps_client_free(&self.machine);
    zmq_close(self.socket);
    zmq_ctx_term(context);
    if (self.has_failed) {
        return 1;
    }
    printf("received %zu messages, sequences %llu..%llu\n", self.received, (unsigned long long)self.first,
           (unsigned long long)self.last);
    return 0;
}
