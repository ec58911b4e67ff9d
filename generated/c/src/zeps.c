/* The tables of zeps, and the functions for all of its messages. */
#include "zeps_wire/zeps.h"

static const wire_field fields_of_attach[] = {
    {.name = "protocol", .type = WIRE_CONSTANT, .octets = 5, .constant = (const uint8_t *)"\004ZEPS"},
    {.name = "version", .type = WIRE_CONSTANT, .octets = 2, .constant = (const uint8_t *)"\000\001"},
    {.name = "stream",
     .type = WIRE_STRING,
     .size = 1,
     .text = WIRE_PRINTABLE,
     .offset = offsetof(zeps_attach, stream)}};
static const wire_field fields_of_subscribe[] = {
    {.name = "pattern",
     .type = WIRE_STRING,
     .size = 1,
     .text = WIRE_PRINTABLE,
     .offset = offsetof(zeps_subscribe, pattern)},
    {.name = "latest", .type = WIRE_NUMBER, .size = 8, .width = 8, .offset = offsetof(zeps_subscribe, latest)}};
static const wire_field fields_of_credit[] = {
    {.name = "credit", .type = WIRE_NUMBER, .size = 8, .width = 8, .offset = offsetof(zeps_credit, credit)}};
static const wire_field fields_of_publish[] = {
    {.name = "key", .type = WIRE_STRING, .size = 1, .text = WIRE_PRINTABLE, .offset = offsetof(zeps_publish, key)},
    {.name = "body",
     .type = WIRE_CHUNK,
     .size = 4,
     .is_limited = true,
     .max = UINT64_C(16777216),
     .offset = offsetof(zeps_publish, body)}};
static const wire_field fields_of_deliver[] = {
    {.name = "sequence", .type = WIRE_NUMBER, .size = 8, .width = 8, .offset = offsetof(zeps_deliver, sequence)},
    {.name = "key", .type = WIRE_STRING, .size = 1, .text = WIRE_PRINTABLE, .offset = offsetof(zeps_deliver, key)},
    {.name = "body",
     .type = WIRE_CHUNK,
     .size = 4,
     .is_limited = true,
     .max = UINT64_C(16777216),
     .offset = offsetof(zeps_deliver, body)}};
static const wire_field fields_of_invalid[] = {{.name = "reason",
                                                .type = WIRE_STRING,
                                                .size = 1,
                                                .text = WIRE_PRINTABLE,
                                                .offset = offsetof(zeps_invalid, reason)}};

const wire_schema zeps_schemas[] = {
    {.name = "ATTACH",
     .id = 1,
     .kind = ZEPS_ATTACH,
     .head = (const uint8_t *)"\252\245\001",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = fields_of_attach,
     .field_count = 3,
     .tail = 3,
     .is_extensible = false,
     .struct_size = sizeof(zeps_attach)},
    {.name = "ATTACH-OK",
     .id = 2,
     .kind = ZEPS_ATTACH_OK,
     .head = (const uint8_t *)"\252\245\002",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = NULL,
     .field_count = 0,
     .tail = 0,
     .is_extensible = false,
     .struct_size = sizeof(zeps_attach_ok)},
    {.name = "SUBSCRIBE",
     .id = 3,
     .kind = ZEPS_SUBSCRIBE,
     .head = (const uint8_t *)"\252\245\003",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = fields_of_subscribe,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zeps_subscribe)},
    {.name = "SUBSCRIBE-OK",
     .id = 4,
     .kind = ZEPS_SUBSCRIBE_OK,
     .head = (const uint8_t *)"\252\245\004",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = NULL,
     .field_count = 0,
     .tail = 0,
     .is_extensible = false,
     .struct_size = sizeof(zeps_subscribe_ok)},
    {.name = "CREDIT",
     .id = 5,
     .kind = ZEPS_CREDIT,
     .head = (const uint8_t *)"\252\245\005",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = fields_of_credit,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zeps_credit)},
    {.name = "PUBLISH",
     .id = 6,
     .kind = ZEPS_PUBLISH,
     .head = (const uint8_t *)"\252\245\006",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = fields_of_publish,
     .field_count = 2,
     .tail = 2,
     .is_extensible = false,
     .struct_size = sizeof(zeps_publish)},
    {.name = "DELIVER",
     .id = 7,
     .kind = ZEPS_DELIVER,
     .head = (const uint8_t *)"\252\245\007",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = fields_of_deliver,
     .field_count = 3,
     .tail = 3,
     .is_extensible = false,
     .struct_size = sizeof(zeps_deliver)},
    {.name = "PING",
     .id = 8,
     .kind = ZEPS_PING,
     .head = (const uint8_t *)"\252\245\010",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = NULL,
     .field_count = 0,
     .tail = 0,
     .is_extensible = false,
     .struct_size = sizeof(zeps_ping)},
    {.name = "PING-OK",
     .id = 9,
     .kind = ZEPS_PING_OK,
     .head = (const uint8_t *)"\252\245\011",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = NULL,
     .field_count = 0,
     .tail = 0,
     .is_extensible = false,
     .struct_size = sizeof(zeps_ping_ok)},
    {.name = "DETACH",
     .id = 10,
     .kind = ZEPS_DETACH,
     .head = (const uint8_t *)"\252\245\012",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = NULL,
     .field_count = 0,
     .tail = 0,
     .is_extensible = false,
     .struct_size = sizeof(zeps_detach)},
    {.name = "DETACH-OK",
     .id = 11,
     .kind = ZEPS_DETACH_OK,
     .head = (const uint8_t *)"\252\245\013",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = NULL,
     .field_count = 0,
     .tail = 0,
     .is_extensible = false,
     .struct_size = sizeof(zeps_detach_ok)},
    {.name = "INVALID",
     .id = 12,
     .kind = ZEPS_INVALID,
     .head = (const uint8_t *)"\252\245\014",
     .dispatch_size = 3,
     .head_size = 3,
     .fields = fields_of_invalid,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zeps_invalid)},
};

static wire_code decode_any(void *message, const uint8_t *data, size_t size, wire_error *error) {
    return zeps_decode(message, data, size, error);
}

static wire_code encode_any(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    return zeps_encode(message, buffer, capacity, size, error);
}

const wire_protocol zeps_protocol = {
    .name = "zeps",
    .dispatch = WIRE_BY_SIGNATURE,
    .signature = 165,
    .messages = zeps_schemas,
    .message_count = 12,
    .message_size = sizeof(zeps_message),
    .body_offset = offsetof(zeps_message, as),
    .decode = decode_any,
    .encode = encode_any,
};

wire_code zeps_decode(zeps_message *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_code code;
    switch (size > 2 && data[0] == 0xAA && data[1] == 0xA5 ? data[2] : -1) {
    case 1:
        message->kind = ZEPS_ATTACH;
        code = zeps_attach_decode(&message->as.attach, data, size, error);
        break;
    case 2:
        message->kind = ZEPS_ATTACH_OK;
        code = zeps_attach_ok_decode(&message->as.attach_ok, data, size, error);
        break;
    case 3:
        message->kind = ZEPS_SUBSCRIBE;
        code = zeps_subscribe_decode(&message->as.subscribe, data, size, error);
        break;
    case 4:
        message->kind = ZEPS_SUBSCRIBE_OK;
        code = zeps_subscribe_ok_decode(&message->as.subscribe_ok, data, size, error);
        break;
    case 5:
        message->kind = ZEPS_CREDIT;
        code = zeps_credit_decode(&message->as.credit, data, size, error);
        break;
    case 6:
        message->kind = ZEPS_PUBLISH;
        code = zeps_publish_decode(&message->as.publish, data, size, error);
        break;
    case 7:
        message->kind = ZEPS_DELIVER;
        code = zeps_deliver_decode(&message->as.deliver, data, size, error);
        break;
    case 8:
        message->kind = ZEPS_PING;
        code = zeps_ping_decode(&message->as.ping, data, size, error);
        break;
    case 9:
        message->kind = ZEPS_PING_OK;
        code = zeps_ping_ok_decode(&message->as.ping_ok, data, size, error);
        break;
    case 10:
        message->kind = ZEPS_DETACH;
        code = zeps_detach_decode(&message->as.detach, data, size, error);
        break;
    case 11:
        message->kind = ZEPS_DETACH_OK;
        code = zeps_detach_ok_decode(&message->as.detach_ok, data, size, error);
        break;
    case 12:
        message->kind = ZEPS_INVALID;
        code = zeps_invalid_decode(&message->as.invalid, data, size, error);
        break;
    default:
        return wire_decode_unknown(&zeps_protocol, message, data, size, error);
    }
    if (WIRE_RARELY(code != WIRE_OK)) {
        memset(message, 0, sizeof *message);
    }
    return code;
}

wire_code zeps_encode(const zeps_message *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    switch (message->kind) {
    case ZEPS_ATTACH:
        return zeps_attach_encode(&message->as.attach, buffer, capacity, size, error);
    case ZEPS_ATTACH_OK:
        return zeps_attach_ok_encode(&message->as.attach_ok, buffer, capacity, size, error);
    case ZEPS_SUBSCRIBE:
        return zeps_subscribe_encode(&message->as.subscribe, buffer, capacity, size, error);
    case ZEPS_SUBSCRIBE_OK:
        return zeps_subscribe_ok_encode(&message->as.subscribe_ok, buffer, capacity, size, error);
    case ZEPS_CREDIT:
        return zeps_credit_encode(&message->as.credit, buffer, capacity, size, error);
    case ZEPS_PUBLISH:
        return zeps_publish_encode(&message->as.publish, buffer, capacity, size, error);
    case ZEPS_DELIVER:
        return zeps_deliver_encode(&message->as.deliver, buffer, capacity, size, error);
    case ZEPS_PING:
        return zeps_ping_encode(&message->as.ping, buffer, capacity, size, error);
    case ZEPS_PING_OK:
        return zeps_ping_ok_encode(&message->as.ping_ok, buffer, capacity, size, error);
    case ZEPS_DETACH:
        return zeps_detach_encode(&message->as.detach, buffer, capacity, size, error);
    case ZEPS_DETACH_OK:
        return zeps_detach_ok_encode(&message->as.detach_ok, buffer, capacity, size, error);
    case ZEPS_INVALID:
        return zeps_invalid_encode(&message->as.invalid, buffer, capacity, size, error);
    default:
        *size = 0;
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
}
