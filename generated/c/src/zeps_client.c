/* The machine zeps_client: its guards, its steps, its table. */
#include "zeps_wire/zeps_client.h"

static void send_detach_ok_1(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_DETACH_OK};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void set_stream_2(void *self, const void *input) {
    zeps_client *machine = self;
    const zeps_client_open_call *call = input;
    (void)call;
    (void)machine;
    if (!wire_string_set(&machine->stream, call->stream)) {
        machine->base.failed = WIRE_EXHAUSTED;
    }
}

static void set_credit_3(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->credit = 0;
}

static void set_pending_4(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->pending = 0;
}

static void set_unanswered_5(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->unanswered = 0;
}

static void send_attach_6(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_ATTACH};
    sent.as.attach.stream = wire_string_text(&machine->stream);
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void set_stale_7(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->stale = 0;
}

static void do_attached_8(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->attached(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void send_ping_ok_9(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_PING_OK};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_detached_10(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->detached(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static bool guard_11(const void *self, const void *input) {
    const zeps_client *machine = self;
    (void)input;
    (void)machine;
    return machine->stale == 1;
}

static void do_attach_refused_12(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->attach_refused(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void do_broker_lost_13(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->broker_lost(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void send_detach_14(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_DETACH};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void set_pending_15(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->pending = wire_least(wire_subtract(machine->pending, 1), UINT64_C(4294967295));
}

static void do_subscribed_16(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->subscribed(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static bool guard_17(const void *self, const void *input) {
    const zeps_client *machine = self;
    (void)input;
    (void)machine;
    return machine->pending > wire_number(0);
}

static void set_credit_18(void *self, const void *input) {
    zeps_client *machine = self;
    const zeps_message *message = input;
    (void)message;
    (void)machine;
    machine->credit = wire_subtract(machine->credit, zeps_deliver_size(&message->as.deliver));
}

static void do_take_message_19(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->take_message(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static bool guard_20(const void *self, const void *input) {
    const zeps_client *machine = self;
    const zeps_message *message = input;
    (void)message;
    (void)machine;
    return machine->credit >= zeps_deliver_size(&message->as.deliver);
}

static void do_answered_21(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->answered(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void do_read_notice_22(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->read_notice(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void set_stale_23(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->stale = 1;
}

static bool guard_24(const void *self, const void *input) {
    const zeps_client *machine = self;
    (void)input;
    (void)machine;
    return machine->unanswered >= machine->unanswered_max;
}

static void set_unanswered_25(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->unanswered = wire_add(machine->unanswered, 1, 255);
}

static void send_ping_26(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_PING};
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void do_session_lost_27(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->session_lost(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void do_refused_28(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->host->refused(machine->context, (const zeps_message *)wire_machine_message(&machine->base, input));
}

static void set_pending_29(void *self, const void *input) {
    zeps_client *machine = self;
    (void)input;
    (void)machine;
    machine->pending = wire_add(machine->pending, 1, UINT64_C(4294967295));
}

static void send_subscribe_30(void *self, const void *input) {
    zeps_client *machine = self;
    const zeps_client_follow_call *call = input;
    (void)call;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_SUBSCRIBE};
    sent.as.subscribe.pattern = call->pattern;
    sent.as.subscribe.latest = (uint64_t)(call->latest);
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void set_credit_31(void *self, const void *input) {
    zeps_client *machine = self;
    const zeps_client_grant_call *call = input;
    (void)call;
    (void)machine;
    machine->credit = wire_add(machine->credit, call->octets, UINT64_C(18446744073709551615));
}

static void send_credit_32(void *self, const void *input) {
    zeps_client *machine = self;
    const zeps_client_grant_call *call = input;
    (void)call;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_CREDIT};
    sent.as.credit.credit = (uint64_t)(call->octets);
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static void send_publish_33(void *self, const void *input) {
    zeps_client *machine = self;
    const zeps_client_post_call *call = input;
    (void)call;
    (void)machine;
    zeps_message sent = {.kind = ZEPS_PUBLISH};
    sent.as.publish.key = call->key;
    sent.as.publish.body = call->body;
    wire_machine_sends(&machine->base, &zeps_protocol, &sent);
    machine->host->send(machine->context, &sent);
}

static const char *const state_names[] = {"start", "attaching", "leaving", "open", "detaching"};

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
    {"heartbeat", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"expired", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"malformed", WIRE_EVENT_HOST, 0, NULL, 0, 0, false},
    {"ended", WIRE_EVENT_HOST, 0, NULL, 0, 0, true},
    {"subscribe_refused", WIRE_EVENT_HOST, 0, NULL, 0, 0, true},
    {"open", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){{.name = "stream",
                           .type = WIRE_STRING,
                           .size = 1,
                           .text = WIRE_UTF8,
                           .offset = offsetof(zeps_client_open_call, stream)}},
     1, sizeof(zeps_client_open_call), false},
    {"follow", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){{.name = "pattern",
                           .type = WIRE_STRING,
                           .size = 1,
                           .text = WIRE_UTF8,
                           .offset = offsetof(zeps_client_follow_call, pattern)},
                          {.name = "latest",
                           .type = WIRE_NUMBER,
                           .size = 8,
                           .width = 8,
                           .offset = offsetof(zeps_client_follow_call, latest)}},
     2, sizeof(zeps_client_follow_call), false},
    {"grant", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){{.name = "octets",
                           .type = WIRE_NUMBER,
                           .size = 8,
                           .width = 8,
                           .offset = offsetof(zeps_client_grant_call, octets)}},
     1, sizeof(zeps_client_grant_call), false},
    {"post", WIRE_EVENT_METHOD, 0,
     (const wire_field[]){
         {.name = "key",
          .type = WIRE_STRING,
          .size = 1,
          .text = WIRE_UTF8,
          .offset = offsetof(zeps_client_post_call, key)},
         {.name = "body", .type = WIRE_CHUNK, .size = 4, .offset = offsetof(zeps_client_post_call, body)}},
     2, sizeof(zeps_client_post_call), false},
    {"probe", WIRE_EVENT_METHOD, 0, NULL, 0, 0, false},
    {"close", WIRE_EVENT_METHOD, 0, NULL, 0, 0, false},
};

static const wire_variable variable_table[] = {
    {"credit", WIRE_VARIABLE_NUMBER, offsetof(zeps_client, credit)},
    {"pending", WIRE_VARIABLE_NUMBER, offsetof(zeps_client, pending)},
    {"unanswered", WIRE_VARIABLE_NUMBER, offsetof(zeps_client, unanswered)},
    {"unanswered_max", WIRE_VARIABLE_NUMBER, offsetof(zeps_client, unanswered_max)},
    {"stale", WIRE_VARIABLE_NUMBER, offsetof(zeps_client, stale)},
    {"stream", WIRE_VARIABLE_STRING, offsetof(zeps_client, stream)},
};

static const wire_row row_table[] = {
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_ATTACH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_ATTACH_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_SUBSCRIBE_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_CREDIT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_PUBLISH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_DELIVER, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_PING, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_PING_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_DETACH, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send DETACH-OK", send_detach_ok_1}}, 1, 1},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_DETACH_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_GOT_INVALID, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_ON_EXPIRED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_ON_MALFORMED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_START, ZEPS_CLIENT_ON_OPEN, ZEPS_CLIENT_IN_ATTACHING, NULL, NULL,
     (const wire_step[]){{"stream := message.stream", set_stream_2},
                         {"credit := 0", set_credit_3},
                         {"pending := 0", set_pending_4},
                         {"unanswered := 0", set_unanswered_5},
                         {"send ATTACH(stream = stream)", send_attach_6}},
     5, 1},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_ATTACH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_ATTACH_OK, ZEPS_CLIENT_IN_OPEN, NULL, NULL,
     (const wire_step[]){{"stale := 0", set_stale_7}, {"attached", do_attached_8}}, 2, 2},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_SUBSCRIBE_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_CREDIT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_PUBLISH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_DELIVER, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_PING, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send PING-OK", send_ping_ok_9}}, 1, 1},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_PING_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_DETACH, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"send DETACH-OK", send_detach_ok_1}, {"detached", do_detached_10}}, 2, 2},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_DETACH_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_INVALID, WIRE_STAYS, "stale == 1", guard_11, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_GOT_INVALID, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"attach_refused", do_attach_refused_12}}, 1, 1},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_ON_EXPIRED, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"stale := 0", set_stale_7}, {"broker_lost", do_broker_lost_13}}, 2, 2},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_ON_MALFORMED, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_ATTACHING, ZEPS_CLIENT_ON_CLOSE, ZEPS_CLIENT_IN_LEAVING, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_ATTACH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_ATTACH_OK, ZEPS_CLIENT_IN_DETACHING, NULL, NULL,
     (const wire_step[]){{"send DETACH", send_detach_14}}, 1, 1},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_SUBSCRIBE_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_CREDIT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_PUBLISH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_DELIVER, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_PING, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send PING-OK", send_ping_ok_9}}, 1, 1},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_PING_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_DETACH, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"send DETACH-OK", send_detach_ok_1}, {"detached", do_detached_10}}, 2, 2},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_DETACH_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_INVALID, WIRE_STAYS, "stale == 1", guard_11, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_GOT_INVALID, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"detached", do_detached_10}}, 1, 1},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_ON_EXPIRED, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"stale := 0", set_stale_7}, {"detached", do_detached_10}}, 2, 2},
    {ZEPS_CLIENT_IN_LEAVING, ZEPS_CLIENT_ON_MALFORMED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_ATTACH, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_ATTACH_OK, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_SUBSCRIBE, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_SUBSCRIBE_OK, WIRE_STAYS, "pending > 0", guard_17,
     (const wire_step[]){{"pending := pending - 1", set_pending_15}, {"subscribed", do_subscribed_16}}, 2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_SUBSCRIBE_OK, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_CREDIT, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_PUBLISH, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_DELIVER, WIRE_STAYS, "credit >= size(DELIVER)", guard_20,
     (const wire_step[]){{"credit := credit - size(DELIVER)", set_credit_18}, {"take_message", do_take_message_19}}, 2,
     2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_DELIVER, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_PING, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send PING-OK", send_ping_ok_9}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_PING_OK, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := 0", set_unanswered_5}, {"answered", do_answered_21}}, 2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_DETACH, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"send DETACH-OK", send_detach_ok_1}, {"detached", do_detached_10}}, 2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_DETACH_OK, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_GOT_INVALID, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"read_notice", do_read_notice_22}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_HEARTBEAT, ZEPS_CLIENT_IN_START, "unanswered >= unanswered_max", guard_24,
     (const wire_step[]){{"stale := 1", set_stale_23}, {"broker_lost", do_broker_lost_13}}, 2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := unanswered + 1", set_unanswered_25}, {"send PING", send_ping_26}}, 2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_EXPIRED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_MALFORMED, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"broker_lost", do_broker_lost_13}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_ENDED, ZEPS_CLIENT_IN_ATTACHING, NULL, NULL,
     (const wire_step[]){{"stale := 1", set_stale_23},
                         {"session_lost", do_session_lost_27},
                         {"credit := 0", set_credit_3},
                         {"pending := 0", set_pending_4},
                         {"unanswered := 0", set_unanswered_5},
                         {"send ATTACH(stream = stream)", send_attach_6}},
     6, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_SUBSCRIBE_REFUSED, WIRE_STAYS, "pending > 0", guard_17,
     (const wire_step[]){{"pending := pending - 1", set_pending_15}, {"refused", do_refused_28}}, 2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_SUBSCRIBE_REFUSED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_FOLLOW, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"pending := pending + 1", set_pending_29},
                         {"send SUBSCRIBE(pattern = message.pattern, latest = message.latest)", send_subscribe_30}},
     2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_GRANT, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"credit := credit + message.octets", set_credit_31},
                         {"send CREDIT(credit = message.octets)", send_credit_32}},
     2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_POST, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"send PUBLISH(key = message.key, body = message.body)", send_publish_33}}, 1, 1},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_PROBE, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"unanswered := unanswered + 1", set_unanswered_25}, {"send PING", send_ping_26}}, 2, 2},
    {ZEPS_CLIENT_IN_OPEN, ZEPS_CLIENT_ON_CLOSE, ZEPS_CLIENT_IN_DETACHING, NULL, NULL,
     (const wire_step[]){{"send DETACH", send_detach_14}}, 1, 1},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_ATTACH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_ATTACH_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_SUBSCRIBE, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_SUBSCRIBE_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_CREDIT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_PUBLISH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_DELIVER, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_PING, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_PING_OK, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_DETACH, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_DETACH_OK, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"stale := 0", set_stale_7}, {"detached", do_detached_10}}, 2, 2},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_GOT_INVALID, WIRE_STAYS, NULL, NULL,
     (const wire_step[]){{"read_notice", do_read_notice_22}}, 1, 1},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_ON_HEARTBEAT, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_ON_EXPIRED, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"stale := 0", set_stale_7}, {"detached", do_detached_10}}, 2, 2},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_ON_MALFORMED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_ON_ENDED, ZEPS_CLIENT_IN_START, NULL, NULL,
     (const wire_step[]){{"stale := 1", set_stale_23}, {"detached", do_detached_10}}, 2, 2},
    {ZEPS_CLIENT_IN_DETACHING, ZEPS_CLIENT_ON_SUBSCRIBE_REFUSED, WIRE_STAYS, NULL, NULL, NULL, 0, 0},
};

static void taken(const void *self, int from, int event, int to) {
    const zeps_client *machine = self;
    if (machine->host->transition != NULL) {
        machine->host->transition(machine->context, (zeps_client_state)from, event, (zeps_client_state)to);
    }
}

static const uint16_t first_rows[] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 15, 15, 16, 16, 16, 16, 16, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 29, 30, 31, 32, 32, 32, 32, 32, 32, 32, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
    46, 47, 48, 49, 49, 49, 49, 49, 49, 49, 49, 49, 50, 51, 52, 54, 55, 56, 58, 59, 60, 61, 62, 63, 65, 66, 67, 68, 70,
    70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 92, 92, 92, 92, 92, 92};

const wire_table zeps_client_table = {
    .name = "zeps_client",
    .states = state_names,
    .state_count = 5,
    .events = event_table,
    .event_count = 23,
    .actions = (const char *const[]){"attached", "attach_refused", "detached", "broker_lost", "subscribed",
                                     "take_message", "answered", "read_notice", "session_lost", "refused"},
    .action_count = 10,
    .variables = variable_table,
    .variable_count = 6,
    .rows = row_table,
    .first = first_rows,
    .taken = taken,
};

bool zeps_client_init(zeps_client *machine, const zeps_client_host *host, void *context) {
    memset(machine, 0, sizeof *machine);
    wire_machine_init(&machine->base, &zeps_client_table);
    machine->host = host;
    machine->context = context;
    machine->credit = 0;
    machine->pending = 0;
    machine->unanswered = 0;
    machine->unanswered_max = 3;
    machine->stale = 0;
    return true;
}

void zeps_client_free(zeps_client *machine) {
    (void)machine;
    wire_string_free(&machine->stream);
}

wire_outcome zeps_client_receive(zeps_client *machine, const zeps_message *message) {
    switch (message->kind) {
    case ZEPS_ATTACH:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_ATTACH, message);
    case ZEPS_ATTACH_OK:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_ATTACH_OK, message);
    case ZEPS_SUBSCRIBE:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_SUBSCRIBE, message);
    case ZEPS_SUBSCRIBE_OK:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_SUBSCRIBE_OK, message);
    case ZEPS_CREDIT:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_CREDIT, message);
    case ZEPS_PUBLISH:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_PUBLISH, message);
    case ZEPS_DELIVER:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_DELIVER, message);
    case ZEPS_PING:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_PING, message);
    case ZEPS_PING_OK:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_PING_OK, message);
    case ZEPS_DETACH:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_DETACH, message);
    case ZEPS_DETACH_OK:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_DETACH_OK, message);
    case ZEPS_INVALID:
        return wire_machine_handle(&machine->base, ZEPS_CLIENT_GOT_INVALID, message);
    default:
        return machine->base.busy ? WIRE_UNHANDLED : WIRE_UNEXPECTED;
    }
}

wire_outcome zeps_client_on_heartbeat(zeps_client *machine) {
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_HEARTBEAT, NULL);
}

wire_outcome zeps_client_on_expired(zeps_client *machine) {
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_EXPIRED, NULL);
}

wire_outcome zeps_client_on_malformed(zeps_client *machine) {
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_MALFORMED, NULL);
}

wire_outcome zeps_client_on_ended(zeps_client *machine) {
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_ENDED, NULL);
}

wire_outcome zeps_client_on_subscribe_refused(zeps_client *machine) {
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_SUBSCRIBE_REFUSED, NULL);
}

wire_outcome zeps_client_on_open(zeps_client *machine, wire_text stream) {
    const zeps_client_open_call call = {stream};
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_OPEN, &call);
}

wire_outcome zeps_client_on_follow(zeps_client *machine, wire_text pattern, uint64_t latest) {
    const zeps_client_follow_call call = {pattern, latest};
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_FOLLOW, &call);
}

wire_outcome zeps_client_on_grant(zeps_client *machine, uint64_t octets) {
    const zeps_client_grant_call call = {octets};
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_GRANT, &call);
}

wire_outcome zeps_client_on_post(zeps_client *machine, wire_text key, wire_octets body) {
    const zeps_client_post_call call = {key, body};
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_POST, &call);
}

wire_outcome zeps_client_on_probe(zeps_client *machine) {
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_PROBE, NULL);
}

wire_outcome zeps_client_on_close(zeps_client *machine) {
    return wire_machine_handle(&machine->base, ZEPS_CLIENT_ON_CLOSE, NULL);
}
