/* The tables of zmtp_2, and the functions for all of its messages. */
#include "zeps_wire/zmtp_2.h"

static const wire_field fields_of_greeting[] = {
    {.name = "signature", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\377"},
    {.name = "padding", .type = WIRE_RESERVED, .octets = 8},
    {.name = "signature_end", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\177"},
    {.name = "revision", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\001"},
    {.name = "socket_type",
     .type = WIRE_NUMBER,
     .size = 1,
     .width = 1,
     .enumeration =
         &(const wire_enumeration){
             .count = 9, .flags = false, .mask = 15, .numbers = (const uint64_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8}},
     .offset = offsetof(zmtp_2_greeting, socket_type)},
    {.name = "final_short", .type = WIRE_CONSTANT, .octets = 1, .constant = (const uint8_t *)"\000"},
    {.name = "identity", .type = WIRE_CHUNK, .size = 1, .offset = offsetof(zmtp_2_greeting, identity)}};

const wire_schema zmtp_2_schemas[] = {
    {.name = "GREETING",
     .id = 1,
     .kind = ZMTP_2_GREETING,
     .head = (const uint8_t *)"\377",
     .dispatch_size = 1,
     .head_size = 0,
     .fields = fields_of_greeting,
     .field_count = 7,
     .tail = 7,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_2_greeting)},
};

static wire_code decode_any(void *message, const uint8_t *data, size_t size, wire_error *error) {
    return zmtp_2_decode(message, data, size, error);
}

static wire_code encode_any(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    return zmtp_2_encode(message, buffer, capacity, size, error);
}

const wire_protocol zmtp_2_protocol = {
    .name = "zmtp_2",
    .dispatch = WIRE_BY_CONSTANT,
    .signature = 160,
    .messages = zmtp_2_schemas,
    .message_count = 1,
    .message_size = sizeof(zmtp_2_message),
    .body_offset = offsetof(zmtp_2_message, as),
    .decode = decode_any,
    .encode = encode_any,
};

wire_code zmtp_2_decode(zmtp_2_message *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_code code;
    switch (wire_find_kind(&zmtp_2_protocol, data, size)) {
    case ZMTP_2_GREETING:
        message->kind = ZMTP_2_GREETING;
        code = zmtp_2_greeting_decode(&message->as.greeting, data, size, error);
        break;
    default:
        return wire_decode_unknown(&zmtp_2_protocol, message, data, size, error);
    }
    if (WIRE_RARELY(code != WIRE_OK)) {
        memset(message, 0, sizeof *message);
    }
    return code;
}

wire_code zmtp_2_encode(const zmtp_2_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                        wire_error *error) {
    switch (message->kind) {
    case ZMTP_2_GREETING:
        return zmtp_2_greeting_encode(&message->as.greeting, buffer, capacity, size, error);
    default:
        *size = 0;
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
}
