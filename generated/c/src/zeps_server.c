/* The machine zeps_server: its guards, its steps, its table. */
#include "zeps_wire/zeps_server.h"

static void send_invalid_1(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_INVALID};
    sent.as.invalid.reason = (wire_text){"stream-name the stream name is empty", 36};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static bool guard_2(const void *self, const void *input) {
    const zeps_server *machine = self;
    const zeps_message *message = input;
    (void)message;
    (void)machine;
    return wire_text_equal(message->as.attach.stream, (wire_text){"", 0});
}

static void set_credit_3(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    machine->credit = 0;
}

static void do_open_stream_4(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    machine->host->open_stream(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void send_attach_ok_5(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_ATTACH_OK};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_invalid_6(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_INVALID};
    sent.as.invalid.reason = (wire_text){"no-session ATTACH opens a session", 33};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_invalid_7(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_INVALID};
    sent.as.invalid.reason = wire_string_text(&machine->reason);
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_close_stream_8(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    machine->host->close_stream(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void send_invalid_9(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_INVALID};
    sent.as.invalid.reason = (wire_text){"unexpected a client does not send this command in an open session", 65};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_check_subscription_10(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    machine->host->check_subscription(machine->context,
                                      (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void send_subscribe_ok_11(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_SUBSCRIBE_OK};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_add_subscription_12(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    machine->host->add_subscription(machine->context,
                                    (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void set_credit_13(void *self, const void *input) {
    zeps_server *machine = self;
    const zeps_message *message = input;
    (void)message;
    (void)machine;
    machine->credit = wire_add(machine->credit, message->as.credit.credit, UINT64_C(18446744073709551615));
}

static void do_use_credit_14(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    machine->host->use_credit(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void do_store_message_15(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    machine->host->store_message(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void send_ping_ok_16(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_PING_OK};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_detach_ok_17(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_DETACH_OK};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_ping_18(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_PING};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_detach_19(void *self, const void *input) {
    zeps_server *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_DETACH};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void set_credit_20(void *self, const void *input) {
    zeps_server *machine = self;
    const zeps_message *message = input;
    (void)message;
    (void)machine;
    machine->credit = wire_subtract(machine->credit, zeps_deliver_size(&message->as.deliver));
}

static void send_deliver_21(void *self, const void *input) {
    zeps_server *machine = self;
    const zeps_message *message = input;
    (void)message;
    (void)machine;
    wire_machine_sends(&machine->base, &zeps_protocol, message);
    machine->host->send(machine->context, message);
}

static bool guard_22(const void *self, const void *input) {
    const zeps_server *machine = self;
    const zeps_message *message = input;
    (void)message;
    (void)machine;
    return machine->credit >= zeps_deliver_size(&message->as.deliver);
}

static const char *const state_names[] = {"start", "open", "detaching"};

static const wire_event event_table[] = {
    {"ATTACH", WIRE_EVENT_MESSAGE, ZEPS_ATTACH, NULL, 0, 0, false},
    {"ATTACH-OK", WIRE_EVENT_MESSAGE, ZEPS_ATTACH_OK, NULL, 0, 0, false},
    {"SUBSCRIBE", WIRE_EVENT_MESSAGE, ZEPS_SUBSCRIBE, NULL, 0, 0, false},
    {"SUBSCRIBE-OK", WIRE_EVENT_MESSAGE, ZEPS_SUBSCRIBE_OK, NULL, 0, 0, false},
    {"CREDIT", WIRE_EVENT_MESSAGE, ZEPS_CREDIT, NULL, 0, 0, false},
    {"PUBLISH", WIRE_EVENT_MESSAGE, ZEPS_PUBLISH, NULL, 0, 0, false},
    {"DELIVER", WIRE_EVENT_MESSAGE, ZEPS_DELIVER, NULL, 0, 0, false},
    {"PING", WIRE_EVENT_MESSAGE, ZEPS_PING, NULL, 0, 0, false},
    {"PING-OK", WIRE_EVENT_MESSAGE, ZEPS_PING_OK, NULL, 0, 0, false},
    {"DETACH", WIRE_EVENT_MESSAGE, ZEPS_DETACH, NULL, 0, 0, false},
    {"DETACH-OK", WIRE_EVENT_MESSAGE, ZEPS_DETACH_OK, NULL, 0, 0, false},
    {"INVALID", WIRE_EVENT_MESSAGE, ZEPS_INVALID, NULL, 0, 0, false},
    {"malformed", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"attach_refused", WIRE_EVENT_HOST, 0, NULL, 0, 0, true},
    {"subscribe_refused", WIRE_EVENT_HOST, 0, NULL, 0, 0, true},
    {"gap", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"expired", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"heartbeat", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"shutdown", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"deliver", WIRE_EVENT_HOST, ZEPS_DELIVER, NULL, 0, 0, false},
};

static const wire_variable variable_table[] = {
    {"credit", WIRE_VARIABLE_NUMBER, offsetof(zeps_server, credit)},
    {"reason", WIRE_VARIABLE_STRING, offsetof(zeps_server, reason)},
};

static const wire_row row_table[] = {
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_ATTACH, WIRE_STAYS, "message.stream == ''", guard_2,
     (const wire_step[]){{"send INVALID(reason = 'stream-name the stream name is empty')", send_invalid_1}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_ATTACH, ZEPS_SERVER_IN_OPEN, NULL, NULL,
     (const wire_step[]){
         {"credit := 0", set_credit_3}, {"open_stream", do_open_stream_4}, {"send ATTACH-OK", send_attach_ok_5}},
     3, 3},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_ATTACH_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_SUBSCRIBE_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_CREDIT, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_PUBLISH, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_DELIVER, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_PING, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_PING_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_DETACH, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_DETACH_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_GOT_INVALID, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'no-session ATTACH opens a session')", send_invalid_6}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_ON_MALFORMED, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = reason)", send_invalid_7}}, 1, 1},
    {ZEPS_SERVER_IN_START, ZEPS_SERVER_ON_ATTACH_REFUSED, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = reason)", send_invalid_7}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_ATTACH, ZEPS_SERVER_IN_START, "message.stream == ''", guard_2,
     (const wire_step[]){{"close_stream", do_close_stream_8},
                         {"send INVALID(reason = 'stream-name the stream name is empty')", send_invalid_1}},
     2, 2},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_ATTACH, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8},
                         {"credit := 0", set_credit_3},
                         {"open_stream", do_open_stream_4},
                         {"send ATTACH-OK", send_attach_ok_5}},
     4, 4},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_ATTACH_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'unexpected a client does not send this command in an open session')",
                          send_invalid_9}},
     1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"check_subscription", do_check_subscription_10},
                         {"send SUBSCRIBE-OK", send_subscribe_ok_11},
                         {"add_subscription", do_add_subscription_12}},
     3, 3},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_SUBSCRIBE_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'unexpected a client does not send this command in an open session')",
                          send_invalid_9}},
     1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_CREDIT, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"credit := credit + message.credit", set_credit_13}, {"use_credit", do_use_credit_14}}, 2, 2},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_PUBLISH, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"store_message", do_store_message_15}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_DELIVER, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'unexpected a client does not send this command in an open session')",
                          send_invalid_9}},
     1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_PING, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send PING-OK", send_ping_ok_16}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_PING_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_DETACH, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}, {"send DETACH-OK", send_detach_ok_17}}, 2, 2},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_DETACH_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'unexpected a client does not send this command in an open session')",
                          send_invalid_9}},
     1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_GOT_INVALID, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = 'unexpected a client does not send this command in an open session')",
                          send_invalid_9}},
     1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_MALFORMED, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}, {"send INVALID(reason = reason)", send_invalid_7}}, 2, 2},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_ATTACH_REFUSED, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}, {"send INVALID(reason = reason)", send_invalid_7}}, 2, 2},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_SUBSCRIBE_REFUSED, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = reason)", send_invalid_7}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_GAP, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send INVALID(reason = reason)", send_invalid_7}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_EXPIRED, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send PING", send_ping_18}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_SHUTDOWN, ZEPS_SERVER_IN_DETACHING, NULL, NULL,
     (const wire_step[]){{"send DETACH", send_detach_19}}, 1, 1},
    {ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_DELIVER, WIRE_STAYS, "credit >= size(DELIVER)", guard_22,
     (const wire_step[]){{"credit := credit - size(DELIVER)", set_credit_20}, {"send DELIVER", send_deliver_21}}, 2, 2},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_ATTACH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_ATTACH_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_SUBSCRIBE_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_CREDIT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_PUBLISH, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"store_message", do_store_message_15}}, 1, 1},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_DELIVER, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_PING, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_PING_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_DETACH, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}, {"send DETACH-OK", send_detach_ok_17}}, 2, 2},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_DETACH_OK, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}}, 1, 1},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_GOT_INVALID, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_ON_MALFORMED, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}, {"send INVALID(reason = reason)", send_invalid_7}}, 2, 2},
    {ZEPS_SERVER_IN_DETACHING, ZEPS_SERVER_ON_EXPIRED, ZEPS_SERVER_IN_START, NULL, NULL,
     (const wire_step[]){{"close_stream", do_close_stream_8}}, 1, 1},
};

static void taken(const void *self, int from, int event, int to) {
    const zeps_server *machine = self;
    if (machine->host->transition != NULL) {
        machine->host->transition(machine->context, (zeps_server_state)from, event, (zeps_server_state)to);
    }
}

static const uint16_t first_rows[] = {0,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 15,
                                      15, 15, 15, 15, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                                      28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
                                      44, 45, 46, 47, 48, 49, 49, 49, 49, 50, 50, 50, 50};

const wire_table zeps_server_table = {
    .name = "zeps_server",
    .states = state_names,
    .state_count = 3,
    .events = event_table,
    .event_count = 20,
    .actions = (const char *const[]){"open_stream", "close_stream", "check_subscription", "add_subscription",
                                     "use_credit", "store_message"},
    .action_count = 6,
    .variables = variable_table,
    .variable_count = 2,
    .rows = row_table,
    .first = first_rows,
    .taken = taken,
};

bool zeps_server_init(zeps_server *machine, const zeps_server_host *host, void *context) {
    memset(machine, 0, sizeof *machine);
    wire_machine_init(&machine->base, &zeps_server_table);
    machine->host = host;
    machine->context = context;
    machine->credit = 0;
    return true;
}

void zeps_server_free(zeps_server *machine) {
    (void)machine;
    wire_string_free(&machine->reason);
}

wire_outcome zeps_server_receive(zeps_server *machine, const zeps_message *message) {
    switch (message->kind) {
    case ZEPS_ATTACH:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_ATTACH, message);
    case ZEPS_ATTACH_OK:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_ATTACH_OK, message);
    case ZEPS_SUBSCRIBE:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_SUBSCRIBE, message);
    case ZEPS_SUBSCRIBE_OK:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_SUBSCRIBE_OK, message);
    case ZEPS_CREDIT:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_CREDIT, message);
    case ZEPS_PUBLISH:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_PUBLISH, message);
    case ZEPS_DELIVER:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_DELIVER, message);
    case ZEPS_PING:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_PING, message);
    case ZEPS_PING_OK:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_PING_OK, message);
    case ZEPS_DETACH:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_DETACH, message);
    case ZEPS_DETACH_OK:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_DETACH_OK, message);
    case ZEPS_INVALID:
        return wire_machine_handle(&machine->base, ZEPS_SERVER_GOT_INVALID, message);
    default:
        return machine->base.busy ? WIRE_UNHANDLED : WIRE_UNEXPECTED;
    }
}

wire_outcome zeps_server_on_malformed(zeps_server *machine) {
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_MALFORMED, NULL);
}

wire_outcome zeps_server_on_attach_refused(zeps_server *machine) {
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_ATTACH_REFUSED, NULL);
}

wire_outcome zeps_server_on_subscribe_refused(zeps_server *machine) {
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_SUBSCRIBE_REFUSED, NULL);
}

wire_outcome zeps_server_on_gap(zeps_server *machine) {
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_GAP, NULL);
}

wire_outcome zeps_server_on_expired(zeps_server *machine) {
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_EXPIRED, NULL);
}

wire_outcome zeps_server_on_heartbeat(zeps_server *machine) {
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_HEARTBEAT, NULL);
}

wire_outcome zeps_server_on_shutdown(zeps_server *machine) {
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_SHUTDOWN, NULL);
}

wire_outcome zeps_server_on_deliver(zeps_server *machine, const zeps_message *message) {
    if (message->kind != ZEPS_DELIVER) {
        return WIRE_UNHANDLED;
    }
    return wire_machine_handle(&machine->base, ZEPS_SERVER_ON_DELIVER, message);
}
