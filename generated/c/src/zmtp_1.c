/* The tables of zmtp_1, and the functions for all of its messages. */
#include "zeps_wire/zmtp_1.h"

static const wire_field fields_of_frame[] = {{.name = "content",
                                              .type = WIRE_CHUNK,
                                              .size = 1,
                                              .is_limited = true,
                                              .max = 254,
                                              .offset = offsetof(zmtp_1_frame, content)}};

const wire_schema zmtp_1_schemas[] = {
    {.name = "FRAME",
     .id = 1,
     .kind = ZMTP_1_FRAME,
     .head = (const uint8_t *)"",
     .dispatch_size = 0,
     .head_size = 0,
     .fields = fields_of_frame,
     .field_count = 1,
     .tail = 1,
     .is_extensible = false,
     .struct_size = sizeof(zmtp_1_frame)},
};

static wire_code decode_any(void *message, const uint8_t *data, size_t size, wire_error *error) {
    return zmtp_1_decode(message, data, size, error);
}

static wire_code encode_any(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    return zmtp_1_encode(message, buffer, capacity, size, error);
}

const wire_protocol zmtp_1_protocol = {
    .name = "zmtp_1",
    .dispatch = WIRE_BY_CONSTANT,
    .signature = 160,
    .messages = zmtp_1_schemas,
    .message_count = 1,
    .message_size = sizeof(zmtp_1_message),
    .body_offset = offsetof(zmtp_1_message, as),
    .decode = decode_any,
    .encode = encode_any,
};

wire_code zmtp_1_decode(zmtp_1_message *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_code code;
    switch (wire_find_kind(&zmtp_1_protocol, data, size)) {
    case ZMTP_1_FRAME:
        message->kind = ZMTP_1_FRAME;
        code = zmtp_1_frame_decode(&message->as.frame, data, size, error);
        break;
    default:
        return wire_decode_unknown(&zmtp_1_protocol, message, data, size, error);
    }
    if (WIRE_RARELY(code != WIRE_OK)) {
        memset(message, 0, sizeof *message);
    }
    return code;
}

wire_code zmtp_1_encode(const zmtp_1_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                        wire_error *error) {
    switch (message->kind) {
    case ZMTP_1_FRAME:
        return zmtp_1_frame_encode(&message->as.frame, buffer, capacity, size, error);
    default:
        *size = 0;
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
}
