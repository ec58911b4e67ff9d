/* The machine zmtp_subscriber: its guards, its steps, its table. */
#include "zeps_wire/zmtp_subscriber.h"

static void send_greeting_1(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_GREETING};
    wire_error error = {WIRE_OK, "GREETING", NULL, 0};
    sent.as.greeting.major_ = (uint8_t)(3);
    sent.as.greeting.minor_ = (uint8_t)(wire_fitting(&error, machine->minor_, 255, WIRE_TOO_LONG, "minor"));
    sent.as.greeting.mechanism = wire_sized(&error, wire_string_octets(&machine->mechanism), 20, "mechanism");
    sent.as.greeting.as_server = (uint8_t)(0);
    if (error.code != WIRE_OK) {
        machine->host->unsendable(machine->context, &error);
    } else {
        wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
        machine->host->send(machine->context, &sent);
    }
}

static void do_check_greeting_2(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->host->check_greeting(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void set_peer_minor_3(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_message *message = input;
    (void)message;
    (void)machine;
    machine->peer_minor = wire_least(message->as.greeting.minor_, 255);
}

static void do_ask_for_introduction_4(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->host->ask_for_introduction(machine->context,
                                        (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void do_close_connection_5(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->host->close_connection(machine->context,
                                    (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void terminate_6(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->base.terminated = true;
}

static void set_minor_7(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->minor_ = 0;
}

static void do_check_peer_8(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->host->check_peer(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void send_ready_9(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_message *message = input;
    (void)message;
    (void)machine;
    wire_machine_sends(&machine->base, &zmtp_protocol, message);
    machine->host->send(machine->context, message);
}

static void send_error_10(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_ERROR};
    sent.as.error.reason = wire_text_view(wire_string_octets(&machine->reason));
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_opened_11(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->host->opened(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void do_peer_refused_12(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->host->peer_refused(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void set_unanswered_13(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->unanswered = 0;
}

static void send_pong_14(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_message *message = input;
    (void)message;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_PONG};
    sent.as.pong.context = message->as.ping.context;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static bool guard_15(const void *self, const void *input) {
    const zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    return machine->unanswered >= machine->unanswered_max;
}

static void set_unanswered_16(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    machine->unanswered = wire_add(machine->unanswered, 1, 255);
}

static void send_ping_17(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_PING};
    wire_error error = {WIRE_OK, "PING", NULL, 0};
    sent.as.ping.ttl = (uint16_t)(wire_fitting(&error, machine->ttl, UINT64_C(65535), WIRE_TOO_LONG, "ttl"));
    sent.as.ping.context = wire_octets_of("", 0);
    if (error.code != WIRE_OK) {
        machine->host->unsendable(machine->context, &error);
    } else {
        wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
        machine->host->send(machine->context, &sent);
    }
}

static void send_subscribe_18(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_subscribe_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_SUBSCRIBE};
    sent.as.subscribe.topic = call->topic;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static bool guard_19(const void *self, const void *input) {
    const zmtp_subscriber *machine = self;
    (void)input;
    (void)machine;
    return (machine->minor_ >= 1) && (machine->peer_minor >= 1);
}

static void send_subscription_20(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_subscribe_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_SUBSCRIPTION};
    sent.as.subscription.topic = call->topic;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_cancel_21(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_unsubscribe_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_CANCEL};
    sent.as.cancel.topic = call->topic;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_cancellation_22(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_unsubscribe_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_CANCELLATION};
    sent.as.cancellation.topic = call->topic;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_subscribe_x_23(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_subscribe_filter_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_SUBSCRIBE_X};
    sent.as.subscribe_x.kind = (uint8_t)(call->kind);
    sent.as.subscribe_x.filter = call->octets;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_subscription_x_24(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_subscribe_filter_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_SUBSCRIPTION_X};
    sent.as.subscription_x.kind = (uint8_t)(call->kind);
    sent.as.subscription_x.filter = call->octets;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_cancel_x_25(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_unsubscribe_filter_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_CANCEL_X};
    sent.as.cancel_x.kind = (uint8_t)(call->kind);
    sent.as.cancel_x.filter = call->octets;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_cancellation_x_26(void *self, const void *input) {
    zmtp_subscriber *machine = self;
    const zmtp_subscriber_unsubscribe_filter_call *call = input;
    (void)call;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_CANCELLATION_X};
    sent.as.cancellation_x.kind = (uint8_t)(call->kind);
    sent.as.cancellation_x.filter = call->octets;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static const char *const state_names[] = {"start",     "greeting", "introducing", "answering",
                                          "handshake", "open",     "closed"};

static const wire_event event_table[] = {
    {"GREETING", WIRE_EVENT_MESSAGE, ZMTP_GREETING, NULL, 0, 0, false},
    {"READY", WIRE_EVENT_MESSAGE, ZMTP_READY, NULL, 0, 0, false},
    {"ERROR", WIRE_EVENT_MESSAGE, ZMTP_ERROR, NULL, 0, 0, false},
    {"PING", WIRE_EVENT_MESSAGE, ZMTP_PING, NULL, 0, 0, false},
    {"PONG", WIRE_EVENT_MESSAGE, ZMTP_PONG, NULL, 0, 0, false},
    {"SUBSCRIBE", WIRE_EVENT_MESSAGE, ZMTP_SUBSCRIBE, NULL, 0, 0, false},
    {"CANCEL", WIRE_EVENT_MESSAGE, ZMTP_CANCEL, NULL, 0, 0, false},
    {"SUBSCRIPTION", WIRE_EVENT_MESSAGE, ZMTP_SUBSCRIPTION, NULL, 0, 0, false},
    {"CANCELLATION", WIRE_EVENT_MESSAGE, ZMTP_CANCELLATION, NULL, 0, 0, false},
    {"SUBSCRIBE-X", WIRE_EVENT_MESSAGE, ZMTP_SUBSCRIBE_X, NULL, 0, 0, false},
    {"CANCEL-X", WIRE_EVENT_MESSAGE, ZMTP_CANCEL_X, NULL, 0, 0, false},
    {"SUBSCRIPTION-X", WIRE_EVENT_MESSAGE, ZMTP_SUBSCRIPTION_X, NULL, 0, 0, false},
    {"CANCELLATION-X", WIRE_EVENT_MESSAGE, ZMTP_CANCELLATION_X, NULL, 0, 0, false},
    {"downgrade", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"connected", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"introduce", WIRE_EVENT_HOST, ZMTP_READY, NULL, 0, 0, false},
    {"refused", WIRE_EVENT_HOST, 0, NULL, 0, 0, true},
    {"heartbeat", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"expired", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"malformed", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"unknown", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"disconnected", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"subscribe", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){
         {.name = "topic", .type = WIRE_CHUNK, .size = 4, .offset = offsetof(zmtp_subscriber_subscribe_call, topic)}},
     1, sizeof(zmtp_subscriber_subscribe_call), false},
    {"unsubscribe", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){
         {.name = "topic", .type = WIRE_CHUNK, .size = 4, .offset = offsetof(zmtp_subscriber_unsubscribe_call, topic)}},
     1, sizeof(zmtp_subscriber_unsubscribe_call), false},
    {"subscribe_filter", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){{.name = "kind",
                           .type = WIRE_NUMBER,
                           .size = 1,
                           .width = 1,
                           .offset = offsetof(zmtp_subscriber_subscribe_filter_call, kind)},
                          {.name = "octets",
                           .type = WIRE_CHUNK,
                           .size = 4,
                           .offset = offsetof(zmtp_subscriber_subscribe_filter_call, octets)}},
     2, sizeof(zmtp_subscriber_subscribe_filter_call), false},
    {"unsubscribe_filter", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){{.name = "kind",
                           .type = WIRE_NUMBER,
                           .size = 1,
                           .width = 1,
                           .offset = offsetof(zmtp_subscriber_unsubscribe_filter_call, kind)},
                          {.name = "octets",
                           .type = WIRE_CHUNK,
                           .size = 4,
                           .offset = offsetof(zmtp_subscriber_unsubscribe_filter_call, octets)}},
     2, sizeof(zmtp_subscriber_unsubscribe_filter_call), false},
};

static const wire_variable variable_table[] = {
    {"mechanism", WIRE_VARIABLE_OCTETS, offsetof(zmtp_subscriber, mechanism)},
    {"minor", WIRE_VARIABLE_NUMBER, offsetof(zmtp_subscriber, minor_)},
    {"peer_minor", WIRE_VARIABLE_NUMBER, offsetof(zmtp_subscriber, peer_minor)},
    {"ttl", WIRE_VARIABLE_NUMBER, offsetof(zmtp_subscriber, ttl)},
    {"unanswered", WIRE_VARIABLE_NUMBER, offsetof(zmtp_subscriber, unanswered)},
    {"unanswered_max", WIRE_VARIABLE_NUMBER, offsetof(zmtp_subscriber, unanswered_max)},
    {"reason", WIRE_VARIABLE_OCTETS, offsetof(zmtp_subscriber, reason)},
};

static const wire_row row_table[] = {
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_GREETING, ZMTP_SUBSCRIBER_IN_INTRODUCING, NULL, NULL,
     (const wire_step[]){
         {"send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)", send_greeting_1},
         {"check_greeting", do_check_greeting_2},
         {"peer_minor := message.minor", set_peer_minor_3},
         {"ask_for_introduction", do_ask_for_introduction_4}},
     4, 4},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_READY, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_ERROR, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_PING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_PONG, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_CANCEL, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_CANCELLATION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_CANCEL_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_ON_DOWNGRADE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"minor := 0", set_minor_7}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_ON_CONNECTED, ZMTP_SUBSCRIBER_IN_GREETING, NULL, NULL,
     (const wire_step[]){
         {"send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)", send_greeting_1}},
     1, 1},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_ON_REFUSED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_ON_EXPIRED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_ON_MALFORMED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_ON_UNKNOWN, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_START, ZMTP_SUBSCRIBER_ON_DISCONNECTED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_GREETING, ZMTP_SUBSCRIBER_IN_INTRODUCING, NULL, NULL,
     (const wire_step[]){{"check_greeting", do_check_greeting_2},
                         {"peer_minor := message.minor", set_peer_minor_3},
                         {"ask_for_introduction", do_ask_for_introduction_4}},
     3, 3},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_READY, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_ERROR, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_PING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_PONG, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_CANCEL, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_CANCELLATION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_CANCEL_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_ON_REFUSED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_ON_EXPIRED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_ON_MALFORMED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_ON_UNKNOWN, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_GREETING, ZMTP_SUBSCRIBER_ON_DISCONNECTED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_GREETING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_READY, ZMTP_SUBSCRIBER_IN_ANSWERING, NULL, NULL,
     (const wire_step[]){{"check_peer", do_check_peer_8}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_ERROR, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_PING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_PONG, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_CANCEL, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_CANCELLATION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_CANCEL_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_ON_INTRODUCE, ZMTP_SUBSCRIBER_IN_HANDSHAKE, NULL, NULL,
     (const wire_step[]){{"send READY", send_ready_9}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_ON_REFUSED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"send ERROR(reason = reason)", send_error_10},
                         {"close_connection", do_close_connection_5},
                         {"terminate", terminate_6}},
     3, 1},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_ON_EXPIRED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_ON_MALFORMED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_ON_UNKNOWN, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_INTRODUCING, ZMTP_SUBSCRIBER_ON_DISCONNECTED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_GREETING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_READY, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_ERROR, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_PING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_PONG, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_CANCEL, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_CANCELLATION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_CANCEL_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_ON_INTRODUCE, ZMTP_SUBSCRIBER_IN_OPEN, NULL, NULL,
     (const wire_step[]){{"send READY", send_ready_9}, {"opened", do_opened_11}}, 2, 1},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_ON_EXPIRED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_ON_MALFORMED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_ON_UNKNOWN, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_ANSWERING, ZMTP_SUBSCRIBER_ON_DISCONNECTED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_GREETING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_READY, ZMTP_SUBSCRIBER_IN_OPEN, NULL, NULL,
     (const wire_step[]){{"check_peer", do_check_peer_8}, {"opened", do_opened_11}}, 2, 1},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_ERROR, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){
         {"peer_refused", do_peer_refused_12}, {"close_connection", do_close_connection_5}, {"terminate", terminate_6}},
     3, 1},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_PING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_PONG, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_CANCEL, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_CANCELLATION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_CANCEL_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_ON_REFUSED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"send ERROR(reason = reason)", send_error_10},
                         {"close_connection", do_close_connection_5},
                         {"terminate", terminate_6}},
     3, 1},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_ON_EXPIRED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_ON_MALFORMED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_ON_UNKNOWN, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_HANDSHAKE, ZMTP_SUBSCRIBER_ON_DISCONNECTED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_GREETING, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_READY, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_ERROR, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){
         {"peer_refused", do_peer_refused_12}, {"close_connection", do_close_connection_5}, {"terminate", terminate_6}},
     3, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_PING, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_13},
                         {"send PONG(context = message.context)", send_pong_14}},
     2, 2},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_PONG, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_13}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_CANCEL, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_CANCELLATION, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_CANCEL_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_HEARTBEAT, ZMTP_SUBSCRIBER_IN_CLOSED, "unanswered >= unanswered_max",
     guard_15, (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := unanswered + 1", set_unanswered_16},
                         {"send PING(ttl = ttl, context = '')", send_ping_17}},
     2, 2},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_EXPIRED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_MALFORMED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_UNKNOWN, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_13}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_DISCONNECTED, ZMTP_SUBSCRIBER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_5}, {"terminate", terminate_6}}, 2, 0},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_SUBSCRIBE, WIRE_STAYS, "minor >= 1 and peer_minor >= 1", guard_19,
     (const wire_step[]){{"send SUBSCRIBE(topic = message.topic)", send_subscribe_18}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_SUBSCRIBE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send SUBSCRIPTION(topic = message.topic)", send_subscription_20}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_UNSUBSCRIBE, WIRE_STAYS, "minor >= 1 and peer_minor >= 1", guard_19,
     (const wire_step[]){{"send CANCEL(topic = message.topic)", send_cancel_21}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_UNSUBSCRIBE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send CANCELLATION(topic = message.topic)", send_cancellation_22}}, 1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_SUBSCRIBE_FILTER, WIRE_STAYS, "minor >= 1 and peer_minor >= 1",
     guard_19,
     (const wire_step[]){{"send SUBSCRIBE-X(kind = message.kind, filter = message.octets)", send_subscribe_x_23}}, 1,
     1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_SUBSCRIBE_FILTER, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send SUBSCRIPTION-X(kind = message.kind, filter = message.octets)", send_subscription_x_24}},
     1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_UNSUBSCRIBE_FILTER, WIRE_STAYS, "minor >= 1 and peer_minor >= 1",
     guard_19, (const wire_step[]){{"send CANCEL-X(kind = message.kind, filter = message.octets)", send_cancel_x_25}},
     1, 1},
    {ZMTP_SUBSCRIBER_IN_OPEN, ZMTP_SUBSCRIBER_ON_UNSUBSCRIBE_FILTER, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send CANCELLATION-X(kind = message.kind, filter = message.octets)", send_cancellation_x_26}},
     1, 1},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_GREETING, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_READY, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_ERROR, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_PING, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_PONG, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_CANCEL, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_CANCELLATION, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_CANCEL_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_SUBSCRIBER_IN_CLOSED, ZMTP_SUBSCRIBER_ON_MALFORMED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
};

static void taken(const void *self, int from, int event, int to) {
    const zmtp_subscriber *machine = self;
    if (machine->host->transition != NULL) {
        machine->host->transition(machine->context, (zmtp_subscriber_state)from, event, (zmtp_subscriber_state)to);
    }
}

static const uint16_t first_rows[] = {
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  15,  16,  16,  17,  18,  19,  20,
    20,  20,  20,  20,  21,  22,  23,  24,  25,  26,  27,  28,  29,  30,  31,  32,  33,  33,  33,  33,  34,  34,  35,
    36,  37,  38,  38,  38,  38,  38,  39,  40,  41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51,  51,  51,  52,
    53,  53,  54,  55,  56,  57,  57,  57,  57,  57,  58,  59,  60,  61,  62,  63,  64,  65,  66,  67,  68,  69,  70,
    70,  70,  71,  71,  71,  72,  73,  74,  75,  75,  75,  75,  75,  76,  77,  78,  79,  80,  81,  82,  83,  84,  85,
    86,  87,  88,  88,  88,  88,  89,  89,  90,  91,  92,  93,  93,  93,  93,  93,  94,  95,  96,  97,  98,  99,  100,
    101, 102, 103, 104, 105, 106, 106, 106, 106, 106, 108, 109, 110, 111, 112, 114, 116, 118, 120, 121, 122, 123, 124,
    125, 126, 127, 128, 129, 130, 131, 132, 133, 133, 133, 133, 133, 133, 133, 134, 134, 134, 134, 134, 134, 134};

const wire_table zmtp_subscriber_table = {
    .name = "zmtp_subscriber",
    .states = state_names,
    .state_count = 7,
    .events = event_table,
    .event_count = 26,
    .actions = (const char *const[]){"check_greeting", "ask_for_introduction", "close_connection", "check_peer",
                                     "opened", "peer_refused"},
    .action_count = 6,
    .variables = variable_table,
    .variable_count = 7,
    .rows = row_table,
    .first = first_rows,
    .taken = taken,
};

bool zmtp_subscriber_init(zmtp_subscriber *machine, const zmtp_subscriber_host *host, void *context) {
    memset(machine, 0, sizeof *machine);
    wire_machine_init(&machine->base, &zmtp_subscriber_table);
    machine->host = host;
    machine->context = context;
    machine->minor_ = 1;
    machine->peer_minor = 0;
    machine->ttl = 0;
    machine->unanswered = 0;
    machine->unanswered_max = 1;
    return true;
}

void zmtp_subscriber_free(zmtp_subscriber *machine) {
    (void)machine;
    wire_string_free(&machine->mechanism);
    wire_string_free(&machine->reason);
}

wire_outcome zmtp_subscriber_receive(zmtp_subscriber *machine, const zmtp_message *message) {
    switch (message->kind) {
    case ZMTP_GREETING:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_GREETING, message);
    case ZMTP_READY:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_READY, message);
    case ZMTP_ERROR:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_ERROR, message);
    case ZMTP_PING:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_PING, message);
    case ZMTP_PONG:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_PONG, message);
    case ZMTP_SUBSCRIBE:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE, message);
    case ZMTP_CANCEL:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_CANCEL, message);
    case ZMTP_SUBSCRIPTION:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION, message);
    case ZMTP_CANCELLATION:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_CANCELLATION, message);
    case ZMTP_SUBSCRIBE_X:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_SUBSCRIBE_X, message);
    case ZMTP_CANCEL_X:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_CANCEL_X, message);
    case ZMTP_SUBSCRIPTION_X:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_SUBSCRIPTION_X, message);
    case ZMTP_CANCELLATION_X:
        return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_GOT_CANCELLATION_X, message);
    default:
        return machine->base.busy ? WIRE_UNHANDLED : WIRE_UNEXPECTED;
    }
}

wire_outcome zmtp_subscriber_on_downgrade(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_DOWNGRADE, NULL);
}

wire_outcome zmtp_subscriber_on_connected(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_CONNECTED, NULL);
}

wire_outcome zmtp_subscriber_on_introduce(zmtp_subscriber *machine, const zmtp_message *message) {
    if (message->kind != ZMTP_READY) {
        return WIRE_UNHANDLED;
    }
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_INTRODUCE, message);
}

wire_outcome zmtp_subscriber_on_refused(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_REFUSED, NULL);
}

wire_outcome zmtp_subscriber_on_heartbeat(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_HEARTBEAT, NULL);
}

wire_outcome zmtp_subscriber_on_expired(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_EXPIRED, NULL);
}

wire_outcome zmtp_subscriber_on_malformed(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_MALFORMED, NULL);
}

wire_outcome zmtp_subscriber_on_unknown(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_UNKNOWN, NULL);
}

wire_outcome zmtp_subscriber_on_disconnected(zmtp_subscriber *machine) {
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_DISCONNECTED, NULL);
}

wire_outcome zmtp_subscriber_on_subscribe(zmtp_subscriber *machine, wire_octets topic) {
    const zmtp_subscriber_subscribe_call call = {topic};
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_SUBSCRIBE, &call);
}

wire_outcome zmtp_subscriber_on_unsubscribe(zmtp_subscriber *machine, wire_octets topic) {
    const zmtp_subscriber_unsubscribe_call call = {topic};
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_UNSUBSCRIBE, &call);
}

wire_outcome zmtp_subscriber_on_subscribe_filter(zmtp_subscriber *machine, uint8_t kind, wire_octets octets) {
    const zmtp_subscriber_subscribe_filter_call call = {kind, octets};
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_SUBSCRIBE_FILTER, &call);
}

wire_outcome zmtp_subscriber_on_unsubscribe_filter(zmtp_subscriber *machine, uint8_t kind, wire_octets octets) {
    const zmtp_subscriber_unsubscribe_filter_call call = {kind, octets};
    return wire_machine_handle(&machine->base, ZMTP_SUBSCRIBER_ON_UNSUBSCRIBE_FILTER, &call);
}
