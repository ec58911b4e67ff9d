/* The tables of zmtp, and the functions for all of its messages. */
#include "zeps_wire/zmtp.h"

static const wire_field fields_of_greeting[] = {
    {.name = "signature", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\377"},
    {.name = "padding", .type = WIRE_RESERVED, .octets = 8},
    {.name = "signature_end", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\177"},
    {.name = "major", .type = WIRE_NUMBER, .size = 1, .width = 1, .offset = offsetof(zmtp_greeting, major_)},
    {.name = "minor", .type = WIRE_NUMBER, .size = 1, .width = 1, .offset = offsetof(zmtp_greeting, minor_)},
    {.name = "mechanism", .type = WIRE_FIXED, .octets = 20, .offset = offsetof(zmtp_greeting, mechanism)},
    {.name = "as_server", .type = WIRE_NUMBER, .size = 1, .width = 1, .offset = offsetof(zmtp_greeting, as_server)},
    {.name = "filler", .type = WIRE_RESERVED, .octets = 31}};
static const wire_field fields_of_ready[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 6, .constant = (const uint8_t *)"\005READY"},
    {.name = "properties",
     .type = WIRE_HASH,
     .size = 0,
     .is_limited = true,
     .max = 255,
     .item = wire_pair_parts[WIRE_ANY_OCTETS],
     .is_open_ended = true,
     .offset = offsetof(zmtp_ready, properties)}};
static const wire_field fields_of_error[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 6, .constant = (const uint8_t *)"\005ERROR"},
    {.name = "reason",
     .type = WIRE_STRING,
     .size = 1,
     .text = WIRE_ANY_OCTETS,
     .offset = offsetof(zmtp_error, reason)}};
static const wire_field fields_of_ping[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 5, .constant = (const uint8_t *)"\004PING"},
    {.name = "ttl", .type = WIRE_NUMBER, .size = 2, .width = 2, .offset = offsetof(zmtp_ping, ttl)},
    {.name = "context", .type = WIRE_REST, .is_limited = true, .max = 16, .offset = offsetof(zmtp_ping, context)}};
static const wire_field fields_of_pong[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 5, .constant = (const uint8_t *)"\004PONG"},
    {.name = "context", .type = WIRE_REST, .is_limited = true, .max = 16, .offset = offsetof(zmtp_pong, context)}};
static const wire_field fields_of_subscribe[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 10, .constant = (const uint8_t *)"\011SUBSCRIBE"},
    {.name = "topic", .type = WIRE_REST, .offset = offsetof(zmtp_subscribe, topic)}};
static const wire_field fields_of_cancel[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 7, .constant = (const uint8_t *)"\006CANCEL"},
    {.name = "topic", .type = WIRE_REST, .offset = offsetof(zmtp_cancel, topic)}};
static const wire_field fields_of_subscription[] = {
    {.name = "form", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\001"},
    {.name = "topic", .type = WIRE_REST, .offset = offsetof(zmtp_subscription, topic)}};
static const wire_field fields_of_cancellation[] = {
    {.name = "form", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\000"},
    {.name = "topic", .type = WIRE_REST, .offset = offsetof(zmtp_cancellation, topic)}};
static const wire_field fields_of_subscribe_x[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 12, .constant = (const uint8_t *)"\013SUBSCRIBE-X"},
    {.name = "kind", .type = WIRE_NUMBER, .size = 1, .width = 1, .offset = offsetof(zmtp_subscribe_x, kind)},
    {.name = "filter", .type = WIRE_REST, .offset = offsetof(zmtp_subscribe_x, filter)}};
static const wire_field fields_of_cancel_x[] = {
    {.name = "name", .type = WIRE_CONSTANT, .octets = 9, .constant = (const uint8_t *)"\010CANCEL-X"},
    {.name = "kind", .type = WIRE_NUMBER, .size = 1, .width = 1, .offset = offsetof(zmtp_cancel_x, kind)},
    {.name = "filter", .type = WIRE_REST, .offset = offsetof(zmtp_cancel_x, filter)}};
static const wire_field fields_of_subscription_x[] = {
    {.name = "form", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\002"},
    {.name = "kind", .type = WIRE_NUMBER, .size = 1, .width = 1, .offset = offsetof(zmtp_subscription_x, kind)},
    {.name = "filter", .type = WIRE_REST, .offset = offsetof(zmtp_subscription_x, filter)}};
static const wire_field fields_of_cancellation_x[] = {
    {.name = "form", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\003"},
    {.name = "kind", .type = WIRE_NUMBER, .size = 1, .width = 1, .offset = offsetof(zmtp_cancellation_x, kind)},
    {.name = "filter", .type = WIRE_REST, .offset = offsetof(zmtp_cancellation_x, filter)}};

const wire_schema zmtp_schemas[] = {
    {.name = "GREETING",
     .id = 1,
     .kind = ZMTP_GREETING,
     .head = (const uint8_t *)"\377",
     .dispatch_size = 1,
     .head_size = 0,
     .fields = fields_of_greeting,
     .field_count = 8,
     .tail = 8,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_greeting)},
    {.name = "READY",
     .id = 2,
     .kind = ZMTP_READY,
     .head = (const uint8_t *)"\005READY",
     .dispatch_size = 6,
     .head_size = 0,
     .fields = fields_of_ready,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_ready)},
    {.name = "ERROR",
     .id = 3,
     .kind = ZMTP_ERROR,
     .head = (const uint8_t *)"\005ERROR",
     .dispatch_size = 6,
     .head_size = 0,
     .fields = fields_of_error,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_error)},
    {.name = "PING",
     .id = 4,
     .kind = ZMTP_PING,
     .head = (const uint8_t *)"\004PING",
     .dispatch_size = 5,
     .head_size = 0,
     .fields = fields_of_ping,
     .field_count = 3,
     .tail = 3,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_ping)},
    {.name = "PONG",
     .id = 5,
     .kind = ZMTP_PONG,
     .head = (const uint8_t *)"\004PONG",
     .dispatch_size = 5,
     .head_size = 0,
     .fields = fields_of_pong,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_pong)},
    {.name = "SUBSCRIBE",
     .id = 6,
     .kind = ZMTP_SUBSCRIBE,
     .head = (const uint8_t *)"\011SUBSCRIBE",
     .dispatch_size = 10,
     .head_size = 0,
     .fields = fields_of_subscribe,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_subscribe)},
    {.name = "CANCEL",
     .id = 7,
     .kind = ZMTP_CANCEL,
     .head = (const uint8_t *)"\006CANCEL",
     .dispatch_size = 7,
     .head_size = 0,
     .fields = fields_of_cancel,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_cancel)},
    {.name = "SUBSCRIPTION",
     .id = 8,
     .kind = ZMTP_SUBSCRIPTION,
     .head = (const uint8_t *)"\001",
     .dispatch_size = 1,
     .head_size = 0,
     .fields = fields_of_subscription,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_subscription)},
    {.name = "CANCELLATION",
     .id = 9,
     .kind = ZMTP_CANCELLATION,
     .head = (const uint8_t *)"\000",
     .dispatch_size = 1,
     .head_size = 0,
     .fields = fields_of_cancellation,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_cancellation)},
    {.name = "SUBSCRIBE-X",
     .id = 10,
     .kind = ZMTP_SUBSCRIBE_X,
     .head = (const uint8_t *)"\013SUBSCRIBE-X",
     .dispatch_size = 12,
     .head_size = 0,
     .fields = fields_of_subscribe_x,
     .field_count = 3,
     .tail = 3,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_subscribe_x)},
    {.name = "CANCEL-X",
     .id = 11,
     .kind = ZMTP_CANCEL_X,
     .head = (const uint8_t *)"\010CANCEL-X",
     .dispatch_size = 9,
     .head_size = 0,
     .fields = fields_of_cancel_x,
     .field_count = 3,
     .tail = 3,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_cancel_x)},
    {.name = "SUBSCRIPTION-X",
     .id = 12,
     .kind = ZMTP_SUBSCRIPTION_X,
     .head = (const uint8_t *)"\002",
     .dispatch_size = 1,
     .head_size = 0,
     .fields = fields_of_subscription_x,
     .field_count = 3,
     .tail = 3,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_subscription_x)},
    {.name = "CANCELLATION-X",
     .id = 13,
     .kind = ZMTP_CANCELLATION_X,
     .head = (const uint8_t *)"\003",
     .dispatch_size = 1,
     .head_size = 0,
     .fields = fields_of_cancellation_x,
     .field_count = 3,
     .tail = 3,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_cancellation_x)},
};

static wire_code decode_any(void *message, const uint8_t *data, size_t size, wire_error *error) {
    return zmtp_decode(message, data, size, error);
}

static wire_code encode_any(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    return zmtp_encode(message, buffer, capacity, size, error);
}

const wire_protocol zmtp_protocol = {
    .name = "zmtp",
    .dispatch = WIRE_BY_CONSTANT,
    .signature = 160,
    .messages = zmtp_schemas,
    .message_count = 13,
    .message_size = sizeof(zmtp_message),
    .body_offset = offsetof(zmtp_message, as),
    .decode = decode_any,
    .encode = encode_any,
};

wire_code zmtp_decode(zmtp_message *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_code code;
    switch (wire_find_kind(&zmtp_protocol, data, size)) {
    case ZMTP_GREETING:
        message->kind = ZMTP_GREETING;
        code = zmtp_greeting_decode(&message->as.greeting, data, size, error);
        break;
    case ZMTP_READY:
        message->kind = ZMTP_READY;
        code = zmtp_ready_decode(&message->as.ready, data, size, error);
        break;
    case ZMTP_ERROR:
        message->kind = ZMTP_ERROR;
        code = zmtp_error_decode(&message->as.error, data, size, error);
        break;
    case ZMTP_PING:
        message->kind = ZMTP_PING;
        code = zmtp_ping_decode(&message->as.ping, data, size, error);
        break;
    case ZMTP_PONG:
        message->kind = ZMTP_PONG;
        code = zmtp_pong_decode(&message->as.pong, data, size, error);
        break;
    case ZMTP_SUBSCRIBE:
        message->kind = ZMTP_SUBSCRIBE;
        code = zmtp_subscribe_decode(&message->as.subscribe, data, size, error);
        break;
    case ZMTP_CANCEL:
        message->kind = ZMTP_CANCEL;
        code = zmtp_cancel_decode(&message->as.cancel, data, size, error);
        break;
    case ZMTP_SUBSCRIPTION:
        message->kind = ZMTP_SUBSCRIPTION;
        code = zmtp_subscription_decode(&message->as.subscription, data, size, error);
        break;
    case ZMTP_CANCELLATION:
        message->kind = ZMTP_CANCELLATION;
        code = zmtp_cancellation_decode(&message->as.cancellation, data, size, error);
        break;
    case ZMTP_SUBSCRIBE_X:
        message->kind = ZMTP_SUBSCRIBE_X;
        code = zmtp_subscribe_x_decode(&message->as.subscribe_x, data, size, error);
        break;
    case ZMTP_CANCEL_X:
        message->kind = ZMTP_CANCEL_X;
        code = zmtp_cancel_x_decode(&message->as.cancel_x, data, size, error);
        break;
    case ZMTP_SUBSCRIPTION_X:
        message->kind = ZMTP_SUBSCRIPTION_X;
        code = zmtp_subscription_x_decode(&message->as.subscription_x, data, size, error);
        break;
    case ZMTP_CANCELLATION_X:
        message->kind = ZMTP_CANCELLATION_X;
        code = zmtp_cancellation_x_decode(&message->as.cancellation_x, data, size, error);
        break;
    default:
        return wire_decode_unknown(&zmtp_protocol, message, data, size, error);
    }
    if (WIRE_RARELY(code != WIRE_OK)) {
        memset(message, 0, sizeof *message);
    }
    return code;
}

wire_code zmtp_encode(const zmtp_message *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    switch (message->kind) {
    case ZMTP_GREETING:
        return zmtp_greeting_encode(&message->as.greeting, buffer, capacity, size, error);
    case ZMTP_READY:
        return zmtp_ready_encode(&message->as.ready, buffer, capacity, size, error);
    case ZMTP_ERROR:
        return zmtp_error_encode(&message->as.error, buffer, capacity, size, error);
    case ZMTP_PING:
        return zmtp_ping_encode(&message->as.ping, buffer, capacity, size, error);
    case ZMTP_PONG:
        return zmtp_pong_encode(&message->as.pong, buffer, capacity, size, error);
    case ZMTP_SUBSCRIBE:
        return zmtp_subscribe_encode(&message->as.subscribe, buffer, capacity, size, error);
    case ZMTP_CANCEL:
        return zmtp_cancel_encode(&message->as.cancel, buffer, capacity, size, error);
    case ZMTP_SUBSCRIPTION:
        return zmtp_subscription_encode(&message->as.subscription, buffer, capacity, size, error);
    case ZMTP_CANCELLATION:
        return zmtp_cancellation_encode(&message->as.cancellation, buffer, capacity, size, error);
    case ZMTP_SUBSCRIBE_X:
        return zmtp_subscribe_x_encode(&message->as.subscribe_x, buffer, capacity, size, error);
    case ZMTP_CANCEL_X:
        return zmtp_cancel_x_encode(&message->as.cancel_x, buffer, capacity, size, error);
    case ZMTP_SUBSCRIPTION_X:
        return zmtp_subscription_x_encode(&message->as.subscription_x, buffer, capacity, size, error);
    case ZMTP_CANCELLATION_X:
        return zmtp_cancellation_x_encode(&message->as.cancellation_x, buffer, capacity, size, error);
    default:
        *size = 0;
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
}
