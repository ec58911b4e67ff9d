/* The tables of zmtp_frame, and the functions for all of its messages. */
#include "zeps_wire/zmtp_frame.h"

static const wire_field fields_of_last[] = {
    {.name = "body", .type = WIRE_CHUNK, .size = 1, .offset = offsetof(zmtp_frame_last, body)}};
static const wire_field fields_of_more[] = {
    {.name = "body", .type = WIRE_CHUNK, .size = 1, .offset = offsetof(zmtp_frame_more, body)}};
static const wire_field fields_of_long_last[] = {{.name = "body",
                                                  .type = WIRE_CHUNK,
                                                  .size = 8,
                                                  .is_limited = true,
                                                  .max = UINT64_C(9223372036854775807),
                                                  .offset = offsetof(zmtp_frame_long_last, body)}};
static const wire_field fields_of_long_more[] = {{.name = "body",
                                                  .type = WIRE_CHUNK,
                                                  .size = 8,
                                                  .is_limited = true,
                                                  .max = UINT64_C(9223372036854775807),
                                                  .offset = offsetof(zmtp_frame_long_more, body)}};
static const wire_field fields_of_command[] = {
    {.name = "body", .type = WIRE_CHUNK, .size = 1, .offset = offsetof(zmtp_frame_command, body)}};
static const wire_field fields_of_long_command[] = {{.name = "body",
                                                     .type = WIRE_CHUNK,
                                                     .size = 8,
                                                     .is_limited = true,
                                                     .max = UINT64_C(9223372036854775807),
                                                     .offset = offsetof(zmtp_frame_long_command, body)}};

const wire_schema zmtp_frame_schemas[] = {
    {.name = "LAST",
     .id = 0,
     .kind = ZMTP_FRAME_LAST,
     .head = (const uint8_t *)"\000",
     .dispatch_size = 1,
     .head_size = 1,
     .fields = fields_of_last,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_frame_last)},
    {.name = "MORE",
     .id = 1,
     .kind = ZMTP_FRAME_MORE,
     .head = (const uint8_t *)"\001",
     .dispatch_size = 1,
     .head_size = 1,
     .fields = fields_of_more,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_frame_more)},
    {.name = "LONG-LAST",
     .id = 2,
     .kind = ZMTP_FRAME_LONG_LAST,
     .head = (const uint8_t *)"\002",
     .dispatch_size = 1,
     .head_size = 1,
     .fields = fields_of_long_last,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_frame_long_last)},
    {.name = "LONG-MORE",
     .id = 3,
     .kind = ZMTP_FRAME_LONG_MORE,
     .head = (const uint8_t *)"\003",
     .dispatch_size = 1,
     .head_size = 1,
     .fields = fields_of_long_more,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_frame_long_more)},
    {.name = "COMMAND",
     .id = 4,
     .kind = ZMTP_FRAME_COMMAND,
     .head = (const uint8_t *)"\004",
     .dispatch_size = 1,
     .head_size = 1,
     .fields = fields_of_command,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_frame_command)},
    {.name = "LONG-COMMAND",
     .id = 6,
     .kind = ZMTP_FRAME_LONG_COMMAND,
     .head = (const uint8_t *)"\006",
     .dispatch_size = 1,
     .head_size = 1,
     .fields = fields_of_long_command,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_frame_long_command)},
};

static wire_code decode_any(void *message, const uint8_t *data, size_t size, wire_error *error) {
    return zmtp_frame_decode(message, data, size, error);
}

static wire_code encode_any(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    return zmtp_frame_encode(message, buffer, capacity, size, error);
}

const wire_protocol zmtp_frame_protocol = {
    .name = "zmtp_frame",
    .dispatch = WIRE_BY_OCTET,
    .signature = 160,
    .messages = zmtp_frame_schemas,
    .message_count = 6,
    .message_size = sizeof(zmtp_frame_message),
    .body_offset = offsetof(zmtp_frame_message, as),
    .decode = decode_any,
    .encode = encode_any,
};

wire_code zmtp_frame_decode(zmtp_frame_message *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_code code;
    switch (size > 0 ? data[0] : -1) {
    case 0:
        message->kind = ZMTP_FRAME_LAST;
        code = zmtp_frame_last_decode(&message->as.last, data, size, error);
        break;
    case 1:
        message->kind = ZMTP_FRAME_MORE;
        code = zmtp_frame_more_decode(&message->as.more, data, size, error);
        break;
    case 2:
        message->kind = ZMTP_FRAME_LONG_LAST;
        code = zmtp_frame_long_last_decode(&message->as.long_last, data, size, error);
        break;
    case 3:
        message->kind = ZMTP_FRAME_LONG_MORE;
        code = zmtp_frame_long_more_decode(&message->as.long_more, data, size, error);
        break;
    case 4:
        message->kind = ZMTP_FRAME_COMMAND;
        code = zmtp_frame_command_decode(&message->as.command, data, size, error);
        break;
    case 6:
        message->kind = ZMTP_FRAME_LONG_COMMAND;
        code = zmtp_frame_long_command_decode(&message->as.long_command, data, size, error);
        break;
    default:
        return wire_decode_unknown(&zmtp_frame_protocol, message, data, size, error);
    }
    if (WIRE_RARELY(code != WIRE_OK)) {
        memset(message, 0, sizeof *message);
    }
    return code;
}

wire_code zmtp_frame_encode(const zmtp_frame_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                            wire_error *error) {
    switch (message->kind) {
    case ZMTP_FRAME_LAST:
        return zmtp_frame_last_encode(&message->as.last, buffer, capacity, size, error);
    case ZMTP_FRAME_MORE:
        return zmtp_frame_more_encode(&message->as.more, buffer, capacity, size, error);
    case ZMTP_FRAME_LONG_LAST:
        return zmtp_frame_long_last_encode(&message->as.long_last, buffer, capacity, size, error);
    case ZMTP_FRAME_LONG_MORE:
        return zmtp_frame_long_more_encode(&message->as.long_more, buffer, capacity, size, error);
    case ZMTP_FRAME_COMMAND:
        return zmtp_frame_command_encode(&message->as.command, buffer, capacity, size, error);
    case ZMTP_FRAME_LONG_COMMAND:
        return zmtp_frame_long_command_encode(&message->as.long_command, buffer, capacity, size, error);
    default:
        *size = 0;
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
}
