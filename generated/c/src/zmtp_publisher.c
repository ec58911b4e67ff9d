/* The machine zmtp_publisher: its guards, its steps, its table. */
#include "zeps_wire/zmtp_publisher.h"

static void send_greeting_1(void *self, const void *input) {
    zmtp_publisher *machine = self;
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
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->check_greeting(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void do_ask_for_introduction_3(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->ask_for_introduction(machine->context,
                                        (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void do_close_connection_4(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->close_connection(machine->context,
                                    (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void terminate_5(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->base.terminated = true;
}

static void set_minor_6(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->minor_ = 0;
}

static void do_check_peer_7(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->check_peer(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void send_ready_8(void *self, const void *input) {
    zmtp_publisher *machine = self;
    const zmtp_message *message = input;
    (void)message;
    (void)machine;
    wire_machine_sends(&machine->base, &zmtp_protocol, message);
    machine->host->send(machine->context, message);
}

static void send_error_9(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_ERROR};
    sent.as.error.reason = wire_text_view(wire_string_octets(&machine->reason));
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_opened_10(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->opened(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void do_peer_refused_11(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->peer_refused(machine->context, (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void set_unanswered_12(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->unanswered = 0;
}

static void send_pong_13(void *self, const void *input) {
    zmtp_publisher *machine = self;
    const zmtp_message *message = input;
    (void)message;
    (void)machine;
    zmtp_message sent = {.kind = ZMTP_PONG};
    sent.as.pong.context = message->as.ping.context;
    wire_machine_sends(&machine->base, &zmtp_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_add_subscription_14(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->add_subscription(machine->context,
                                    (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static void do_remove_subscription_15(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->host->remove_subscription(machine->context,
                                       (const zmtp_message *)wire_machine_message(&machine->base, input));
}

static bool guard_16(const void *self, const void *input) {
    const zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    return machine->unanswered >= machine->unanswered_max;
}

static void set_unanswered_17(void *self, const void *input) {
    zmtp_publisher *machine = self;
    (void)input;
    (void)machine;
    machine->unanswered = wire_add(machine->unanswered, 1, 255);
}

static void send_ping_18(void *self, const void *input) {
    zmtp_publisher *machine = self;
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
};

static const wire_variable variable_table[] = {
    {"mechanism", WIRE_VARIABLE_OCTETS, offsetof(zmtp_publisher, mechanism)},
    {"minor", WIRE_VARIABLE_NUMBER, offsetof(zmtp_publisher, minor_)},
    {"ttl", WIRE_VARIABLE_NUMBER, offsetof(zmtp_publisher, ttl)},
    {"unanswered", WIRE_VARIABLE_NUMBER, offsetof(zmtp_publisher, unanswered)},
    {"unanswered_max", WIRE_VARIABLE_NUMBER, offsetof(zmtp_publisher, unanswered_max)},
    {"reason", WIRE_VARIABLE_OCTETS, offsetof(zmtp_publisher, reason)},
};

static const wire_row row_table[] = {
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_GREETING, ZMTP_PUBLISHER_IN_INTRODUCING, NULL, NULL,
     (const wire_step[]){
         {"send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)", send_greeting_1},
         {"check_greeting", do_check_greeting_2},
         {"ask_for_introduction", do_ask_for_introduction_3}},
     3, 3},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_READY, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_ERROR, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_PING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_PONG, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_SUBSCRIBE, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_CANCEL, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_CANCELLATION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_CANCEL_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_GOT_CANCELLATION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_ON_DOWNGRADE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"minor := 0", set_minor_6}}, 1, 1},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_ON_CONNECTED, ZMTP_PUBLISHER_IN_GREETING, NULL, NULL,
     (const wire_step[]){
         {"send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)", send_greeting_1}},
     1, 1},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_ON_REFUSED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_ON_EXPIRED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_ON_MALFORMED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_ON_UNKNOWN, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_START, ZMTP_PUBLISHER_ON_DISCONNECTED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_GREETING, ZMTP_PUBLISHER_IN_INTRODUCING, NULL, NULL,
     (const wire_step[]){{"check_greeting", do_check_greeting_2}, {"ask_for_introduction", do_ask_for_introduction_3}},
     2, 2},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_READY, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_ERROR, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_PING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_PONG, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_SUBSCRIBE, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_CANCEL, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_CANCELLATION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_CANCEL_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_GOT_CANCELLATION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_ON_REFUSED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_ON_EXPIRED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_ON_MALFORMED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_ON_UNKNOWN, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_GREETING, ZMTP_PUBLISHER_ON_DISCONNECTED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_GREETING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_READY, ZMTP_PUBLISHER_IN_ANSWERING, NULL, NULL,
     (const wire_step[]){{"check_peer", do_check_peer_7}}, 1, 1},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_ERROR, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_PING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_PONG, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_SUBSCRIBE, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_CANCEL, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_CANCELLATION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_CANCEL_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_GOT_CANCELLATION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_ON_INTRODUCE, ZMTP_PUBLISHER_IN_HANDSHAKE, NULL, NULL,
     (const wire_step[]){{"send READY", send_ready_8}}, 1, 1},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_ON_REFUSED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"send ERROR(reason = reason)", send_error_9},
                         {"close_connection", do_close_connection_4},
                         {"terminate", terminate_5}},
     3, 1},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_ON_EXPIRED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_ON_MALFORMED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_ON_UNKNOWN, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_INTRODUCING, ZMTP_PUBLISHER_ON_DISCONNECTED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_GREETING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_READY, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_ERROR, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_PING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_PONG, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_SUBSCRIBE, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_CANCEL, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_CANCELLATION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_CANCEL_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_GOT_CANCELLATION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_ON_INTRODUCE, ZMTP_PUBLISHER_IN_OPEN, NULL, NULL,
     (const wire_step[]){{"send READY", send_ready_8}, {"opened", do_opened_10}}, 2, 1},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_ON_EXPIRED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_ON_MALFORMED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_ON_UNKNOWN, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_ANSWERING, ZMTP_PUBLISHER_ON_DISCONNECTED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_GREETING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_READY, ZMTP_PUBLISHER_IN_OPEN, NULL, NULL,
     (const wire_step[]){{"check_peer", do_check_peer_7}, {"opened", do_opened_10}}, 2, 1},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_ERROR, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){
         {"peer_refused", do_peer_refused_11}, {"close_connection", do_close_connection_4}, {"terminate", terminate_5}},
     3, 1},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_PING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_PONG, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_SUBSCRIBE, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_CANCEL, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_CANCELLATION, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_CANCEL_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_GOT_CANCELLATION_X, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_ON_REFUSED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"send ERROR(reason = reason)", send_error_9},
                         {"close_connection", do_close_connection_4},
                         {"terminate", terminate_5}},
     3, 1},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_ON_EXPIRED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_ON_MALFORMED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_ON_UNKNOWN, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_HANDSHAKE, ZMTP_PUBLISHER_ON_DISCONNECTED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_GREETING, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_READY, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_ERROR, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){
         {"peer_refused", do_peer_refused_11}, {"close_connection", do_close_connection_4}, {"terminate", terminate_5}},
     3, 1},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_PING, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12},
                         {"send PONG(context = message.context)", send_pong_13}},
     2, 2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_PONG, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}}, 1, 1},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"add_subscription", do_add_subscription_14}}, 2, 2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_CANCEL, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"remove_subscription", do_remove_subscription_15}}, 2,
     2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"add_subscription", do_add_subscription_14}}, 2, 2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_CANCELLATION, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"remove_subscription", do_remove_subscription_15}}, 2,
     2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"add_subscription", do_add_subscription_14}}, 2, 2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_CANCEL_X, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"remove_subscription", do_remove_subscription_15}}, 2,
     2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"add_subscription", do_add_subscription_14}}, 2, 2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_GOT_CANCELLATION_X, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}, {"remove_subscription", do_remove_subscription_15}}, 2,
     2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_ON_HEARTBEAT, ZMTP_PUBLISHER_IN_CLOSED, "unanswered >= unanswered_max",
     guard_16, (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := unanswered + 1", set_unanswered_17},
                         {"send PING(ttl = ttl, context = '')", send_ping_18}},
     2, 2},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_ON_EXPIRED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_ON_MALFORMED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_ON_UNKNOWN, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_12}}, 1, 1},
    {ZMTP_PUBLISHER_IN_OPEN, ZMTP_PUBLISHER_ON_DISCONNECTED, ZMTP_PUBLISHER_IN_CLOSED, NULL, NULL,
     (const wire_step[]){{"close_connection", do_close_connection_4}, {"terminate", terminate_5}}, 2, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_GREETING, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_READY, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_ERROR, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_PING, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_PONG, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_CANCEL, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_CANCELLATION, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_CANCEL_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_GOT_CANCELLATION_X, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZMTP_PUBLISHER_IN_CLOSED, ZMTP_PUBLISHER_ON_MALFORMED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
};

static void taken(const void *self, int from, int event, int to) {
    const zmtp_publisher *machine = self;
    if (machine->host->transition != NULL) {
        machine->host->transition(machine->context, (zmtp_publisher_state)from, event, (zmtp_publisher_state)to);
    }
}

static const uint16_t first_rows[] = {
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  15,  16,  16,  17,  18,  19,  20,
    21,  22,  23,  24,  25,  26,  27,  28,  29,  30,  31,  32,  33,  33,  33,  33,  34,  34,  35,  36,  37,  38,  39,
    40,  41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51,  51,  51,  52,  53,  53,  54,  55,  56,  57,  58,  59,
    60,  61,  62,  63,  64,  65,  66,  67,  68,  69,  70,  70,  70,  71,  71,  71,  72,  73,  74,  75,  76,  77,  78,
    79,  80,  81,  82,  83,  84,  85,  86,  87,  88,  88,  88,  88,  89,  89,  90,  91,  92,  93,  94,  95,  96,  97,
    98,  99,  100, 101, 102, 103, 104, 105, 106, 106, 106, 106, 106, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117,
    118, 119, 120, 121, 122, 123, 124, 125, 125, 125, 125, 125, 125, 125, 126, 126, 126};

const wire_table zmtp_publisher_table = {
    .name = "zmtp_publisher",
    .states = state_names,
    .state_count = 7,
    .events = event_table,
    .event_count = 22,
    .actions = (const char *const[]){"check_greeting", "ask_for_introduction", "close_connection", "check_peer",
                                     "opened", "peer_refused", "add_subscription", "remove_subscription"},
    .action_count = 8,
    .variables = variable_table,
    .variable_count = 6,
    .rows = row_table,
    .first = first_rows,
    .taken = taken,
};

bool zmtp_publisher_init(zmtp_publisher *machine, const zmtp_publisher_host *host, void *context) {
    memset(machine, 0, sizeof *machine);
    wire_machine_init(&machine->base, &zmtp_publisher_table);
    machine->host = host;
    machine->context = context;
    machine->minor_ = 1;
    machine->ttl = 0;
    machine->unanswered = 0;
    machine->unanswered_max = 1;
    return true;
}

void zmtp_publisher_free(zmtp_publisher *machine) {
    (void)machine;
    wire_string_free(&machine->mechanism);
    wire_string_free(&machine->reason);
}

wire_outcome zmtp_publisher_receive(zmtp_publisher *machine, const zmtp_message *message) {
    switch (message->kind) {
    case ZMTP_GREETING:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_GREETING, message);
    case ZMTP_READY:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_READY, message);
    case ZMTP_ERROR:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_ERROR, message);
    case ZMTP_PING:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_PING, message);
    case ZMTP_PONG:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_PONG, message);
    case ZMTP_SUBSCRIBE:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_SUBSCRIBE, message);
    case ZMTP_CANCEL:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_CANCEL, message);
    case ZMTP_SUBSCRIPTION:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_SUBSCRIPTION, message);
    case ZMTP_CANCELLATION:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_CANCELLATION, message);
    case ZMTP_SUBSCRIBE_X:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_SUBSCRIBE_X, message);
    case ZMTP_CANCEL_X:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_CANCEL_X, message);
    case ZMTP_SUBSCRIPTION_X:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X, message);
    case ZMTP_CANCELLATION_X:
        return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_GOT_CANCELLATION_X, message);
    default:
        return machine->base.busy ? WIRE_UNHANDLED : WIRE_UNEXPECTED;
    }
}

wire_outcome zmtp_publisher_on_downgrade(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_DOWNGRADE, NULL);
}

wire_outcome zmtp_publisher_on_connected(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_CONNECTED, NULL);
}

wire_outcome zmtp_publisher_on_introduce(zmtp_publisher *machine, const zmtp_message *message) {
    if (message->kind != ZMTP_READY) {
        return WIRE_UNHANDLED;
    }
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_INTRODUCE, message);
}

wire_outcome zmtp_publisher_on_refused(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_REFUSED, NULL);
}

wire_outcome zmtp_publisher_on_heartbeat(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_HEARTBEAT, NULL);
}

wire_outcome zmtp_publisher_on_expired(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_EXPIRED, NULL);
}

wire_outcome zmtp_publisher_on_malformed(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_MALFORMED, NULL);
}

wire_outcome zmtp_publisher_on_unknown(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_UNKNOWN, NULL);
}

wire_outcome zmtp_publisher_on_disconnected(zmtp_publisher *machine) {
    return wire_machine_handle(&machine->base, ZMTP_PUBLISHER_ON_DISCONNECTED, NULL);
}
