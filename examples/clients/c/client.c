/* client ENDPOINT STREAM COUNT [PATTERN [LATEST]]: attach to a stream, subscribe to PATTERN (demo/) from LATEST (0) on,
 * publish COUNT messages, receive them all back, detach.
 *
 * The machine decides which messages a client may send and when; this program is its host. It owns the socket and the
 * clock. Actions only set flags for further steps, which are taken after the machine has finished its step. */
#include "zeps_wire/zeps_client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zmq.h>

enum { QUIET_MS = 1000, SEND_MS = 10000, FRAME_OCTETS = 512, ANSWER_MAX = 3, SILENCE_MAX = 30, WINDOW = 65536 };

#define PREFIX "demo/"

/* An INVALID's reason: `code [SP first SP last] SP text`. */
typedef struct notice {
    char text[256];
    size_t code_size;
    uint64_t first;
    uint64_t last;
} notice;

typedef struct session {
    zeps_client machine;
    void *context;
    void *socket;
    const char *endpoint;
    const char *stream;
    const char *pattern;
    uint64_t latest; /* last sequence that was delivered or is lost; subscribing resumes after it */
    char tag[64];    /* prefix of this run's bodies; messages of other clients do not have it */
    uint64_t count;
    uint64_t number; /* of the last own message that was received back */
    uint64_t received;
    uint64_t first;
    uint64_t last;
    uint64_t used; /* bytes of credit used since the last grant */
    notice notice; /* the last one */
    int waited;    /* number of receive timeouts while waiting for an answer */
    bool has_gap;  /* since the last own message */
    bool is_lost;  /* a new connection is needed */
    bool is_to_subscribe;
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
        complain(self, "the machine does not accept this event in its present state");
    }
}

/* --- notices */

static notice notice_of(wire_text reason) {
    notice found = {.text = ""};
    char *rest = NULL;
    memcpy(found.text, reason.data, reason.size < sizeof found.text ? reason.size : sizeof found.text - 1);
    found.code_size = strcspn(found.text, " ");
    found.first = strtoull(found.text + found.code_size, &rest, 10);
    found.last = strtoull(rest, NULL, 10);
    return found;
}

static bool has_code(const notice *self, const char *code) {
    return self->code_size == strlen(code) && memcmp(self->text, code, self->code_size) == 0;
}

static bool is_gap(const notice *self) {
    return has_code(self, ZEPS_OPEN_CODE_RETENTION) || has_code(self, ZEPS_OPEN_CODE_DAMAGE);
}

static bool is_refusal(const notice *self) {
    return has_code(self, ZEPS_OPEN_CODE_BAD_PATTERN) || has_code(self, ZEPS_OPEN_CODE_TOO_MANY_SUBSCRIPTIONS) ||
           has_code(self, ZEPS_OPEN_CODE_NOT_RETAINED) || has_code(self, ZEPS_OPEN_CODE_BEYOND_END);
}

static void miss(session *self) {
    const notice *lost = &self->notice;
    printf("missing %" PRIu64 " %" PRIu64 " %.*s\n", lost->first, lost->last, (int)lost->code_size, lost->text);
    self->latest = self->latest == ZEPS_LATEST_NEW || lost->last > self->latest ? lost->last : self->latest;
    self->has_gap = true;
}

/* --- actions of the machine */

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
    ((session *)context)->is_to_subscribe = true;
}

static void on_subscribed(void *context, const zeps_message *message) {
    (void)message;
    ((session *)context)->is_subscribed = true;
}

static void on_detached(void *context, const zeps_message *message) {
    (void)message;
    ((session *)context)->is_over = true;
}

static void on_attach_refused(void *context, const zeps_message *message) {
    fail((session *)context, "the broker refused: ", message->as.invalid.reason);
}

/* Handles INVALID by its code: a gap, a refused SUBSCRIBE, another notice, or the end of the session. An unknown code
 * ends the session (ZEPS-INVALID-6). */
static void on_notice(void *context, const zeps_message *message) {
    session *self = (session *)context;
    self->notice = notice_of(message->as.invalid.reason);
    if (is_gap(&self->notice)) {
        miss(self);
    } else if (is_refusal(&self->notice)) {
        zeps_client_fail(&self->machine, ZEPS_CLIENT_ON_SUBSCRIBE_REFUSED);
    } else if (has_code(&self->notice, ZEPS_OPEN_CODE_UNEXPECTED)) {
        fprintf(stderr, "client: notice from the broker: %s\n", self->notice.text);
    } else {
        zeps_client_fail(&self->machine, ZEPS_CLIENT_ON_ENDED);
    }
}

/* Subscribe again with a request that the broker accepts. */
static void on_refused(void *context, const zeps_message *message) {
    session *self = (session *)context;
    (void)message;
    self->is_to_subscribe = true;
    if (has_code(&self->notice, ZEPS_OPEN_CODE_NOT_RETAINED)) {
        miss(self);
    } else if (has_code(&self->notice, ZEPS_OPEN_CODE_BEYOND_END)) {
        self->latest = self->notice.first - 1;
        printf("reset %" PRIu64 "\n", self->latest);
    } else if (*self->pattern != '\0') {
        printf("refused %s: %s\n", self->pattern, self->notice.text);
        self->pattern = ""; /* every key */
    } else {
        fail(self, "the broker refused: ", wire_text_of(self->notice.text));
    }
}

static void forget_steps(session *self) {
    self->is_to_subscribe = false;
    self->is_subscribed = false;
    self->is_closing = false;
    self->used = 0;
}

/* The machine attaches again, over the same socket. */
static void on_session_lost(void *context, const zeps_message *message) {
    session *self = (session *)context;
    (void)message;
    fprintf(stderr, "client: the session is lost: %s\n", self->notice.text);
    forget_steps(self);
}

static void on_broker_lost(void *context, const zeps_message *message) {
    session *self = (session *)context;
    (void)message;
    fprintf(stderr, "client: the broker is lost\n");
    forget_steps(self);
    self->is_lost = true;
}

static void on_answered(void *context, const zeps_message *message) {
    (void)context;
    (void)message;
}

static uint64_t number_of(wire_octets body, size_t at) {
    uint64_t number = 0;
    for (; at < body.size && body.data[at] >= '0' && body.data[at] <= '9'; at++) {
        number = number * 10 + (uint64_t)(body.data[at] - '0');
    }
    return number;
}

static void on_deliver(void *context, const zeps_message *message) {
    session *self = (session *)context;
    const zeps_deliver *deliver = &message->as.deliver;
    const size_t tag = strlen(self->tag);
    uint64_t number;
    self->used += zeps_deliver_size(deliver);
    if (self->latest != ZEPS_LATEST_NEW && deliver->sequence <= self->latest) {
        fail(self, "sequences do not ascend: ", deliver->key);
    }
    self->latest = deliver->sequence;
    if (deliver->body.size < tag || memcmp(deliver->body.data, self->tag, tag) != 0) {
        return;
    }
    number = number_of(deliver->body, tag);
    if (number <= self->number) {
        return; /* a duplicate: published again after the session was lost */
    }
    if (number > self->number + 1 && !self->has_gap) {
        fail(self, "out of order: ", deliver->key);
    }
    self->number = number;
    self->has_gap = false;
    self->first = self->received == 0 ? deliver->sequence : self->first;
    self->last = deliver->sequence;
    self->received++;
}

static const zeps_client_host host = {
    .send = on_send,
    .attached = on_attached,
    .attach_refused = on_attach_refused,
    .detached = on_detached,
    .broker_lost = on_broker_lost,
    .subscribed = on_subscribed,
    .take_message = on_deliver,
    .answered = on_answered,
    .read_notice = on_notice,
    .session_lost = on_session_lost,
    .refused = on_refused,
};

/* --- steps of the client */

/* Publish the messages that were not received back yet. */
static void publish(session *self) {
    char key[32];
    char body[96];
    uint64_t number;
    for (number = self->number + 1; number <= self->count && !self->has_failed; number++) {
        (void)snprintf(key, sizeof key, PREFIX "%" PRIu64, number);
        (void)snprintf(body, sizeof body, "%s%" PRIu64, self->tag, number);
        insist(self, zeps_client_on_post(&self->machine, wire_text_of(key), wire_octets_of(body, strlen(body))));
    }
}

/* Attach over a new connection: data that is queued in the old one does not reach the new session. */
static void attach(session *self) {
    const int linger = SEND_MS;
    const int none = 0;
    const int quiet = QUIET_MS;
    if (self->socket != NULL) {
        zmq_setsockopt(self->socket, ZMQ_LINGER, &none, sizeof none);
        zmq_close(self->socket);
    }
    self->socket = zmq_socket(self->context, ZMQ_DEALER);
    self->is_lost = false;
    self->waited = 0;
    zmq_setsockopt(self->socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(self->socket, ZMQ_SNDTIMEO, &linger, sizeof linger);
    zmq_setsockopt(self->socket, ZMQ_RCVTIMEO, &quiet, sizeof quiet);
    if (zmq_connect(self->socket, self->endpoint) != 0) {
        fail(self, "cannot connect: ", wire_text_of(zmq_strerror(zmq_errno())));
    } else {
        insist(self, zeps_client_on_open(&self->machine, wire_text_of(self->stream)));
    }
}

/* Performs the steps that the machine's actions have queued. */
static void go_on(session *self) {
    if (self->is_lost) {
        attach(self);
    }
    if (self->is_to_subscribe) {
        self->is_to_subscribe = false;
        insist(self, zeps_client_on_follow(&self->machine, wire_text_of(self->pattern), self->latest));
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
    if (self->number == self->count && !self->is_closing && zeps_client_where(&self->machine) == ZEPS_CLIENT_IN_OPEN) {
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
}

/* Receives until the session is over; sends PING, or attaches again, if the broker is silent. */
static void run(session *self) {
    int silent = 0;
    attach(self);
    while (!self->is_over && !self->has_failed) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, self->socket, 0) >= 0) {
            silent = self->waited = 0;
            take(self, (const uint8_t *)zmq_msg_data(&frame), zmq_msg_size(&frame));
        } else if (zmq_errno() != EAGAIN || ++silent == SILENCE_MAX) {
            complain(self, "the broker does not answer");
        } else if (zeps_client_where(&self->machine) == ZEPS_CLIENT_IN_OPEN || ++self->waited < ANSWER_MAX) {
            insist(self, zeps_client_on_heartbeat(&self->machine));
        } else {
            insist(self, zeps_client_on_expired(&self->machine));
        }
        zmq_msg_close(&frame);
        if (!self->is_over && !self->has_failed) {
            go_on(self);
        }
    }
    if (!self->has_failed && self->number != self->count) {
        complain(self, "detached before all messages were received");
    }
}

static bool parse(const char *text, uint64_t *number) {
    char *end = NULL;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

int main(int count, char **arguments) {
    session self = {.is_over = false, .pattern = PREFIX};
    if (count < 4 || count > 6 || !parse(arguments[3], &self.count) ||
        (count == 6 && !parse(arguments[5], &self.latest))) {
        fprintf(stderr, "usage: client ENDPOINT STREAM COUNT [PATTERN [LATEST]]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a reader of a pipe learns of a gap at once */
    self.endpoint = arguments[1];
    self.stream = arguments[2];
    self.pattern = count > 4 ? arguments[4] : self.pattern;
    self.context = zmq_ctx_new();
    (void)snprintf(self.tag, sizeof self.tag, "%lld %p ", (long long)time(NULL), self.context);
    if (!zeps_client_init(&self.machine, &host, &self)) {
        complain(&self, "out of memory");
    } else {
        run(&self);
    }
    zeps_client_free(&self.machine);
    zmq_close(self.socket);
    zmq_ctx_term(self.context);
    if (self.has_failed) {
        return 1;
    }
    printf("received %" PRIu64 " messages, sequences %" PRIu64 "..%" PRIu64 "\n", self.received, self.first, self.last);
    return 0;
}
