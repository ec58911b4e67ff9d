/**
 * @file ZMTP frames.
 *
 * A frame is its flags, the size of its body in one or in eight octets, and the body. The flags say what the
 * frame is, so they are what a frame's number stands for here; flags that no frame has are refused.
 */
#ifndef ZEPS_WIRE_ZMTP_FRAME_H
#define ZEPS_WIRE_ZMTP_FRAME_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which message it is. */
typedef enum zmtp_frame_kind {
    ZMTP_FRAME_NONE = 0,
    ZMTP_FRAME_LAST = 1,
    ZMTP_FRAME_MORE = 2,
    ZMTP_FRAME_LONG_LAST = 3,
    ZMTP_FRAME_LONG_MORE = 4,
    ZMTP_FRAME_COMMAND = 5,
    ZMTP_FRAME_LONG_COMMAND = 6
} zmtp_frame_kind;

/** The last or only frame of a message, of up to 255 octets. */
typedef struct zmtp_frame_last {
    /** The octets */
    wire_octets body;
} zmtp_frame_last;

/** A frame of a message that goes on, of up to 255 octets. */
typedef struct zmtp_frame_more {
    /** The octets */
    wire_octets body;
} zmtp_frame_more;

/** The last or only frame of a message, of any size. */
typedef struct zmtp_frame_long_last {
    /** The octets */
    wire_octets body;
} zmtp_frame_long_last;

/** A frame of a message that goes on, of any size. */
typedef struct zmtp_frame_long_more {
    /** The octets */
    wire_octets body;
} zmtp_frame_long_more;

/** A command, of up to 255 octets. */
typedef struct zmtp_frame_command {
    /** The command */
    wire_octets body;
} zmtp_frame_command;

/** A command, of any size. */
typedef struct zmtp_frame_long_command {
    /** The command */
    wire_octets body;
} zmtp_frame_long_command;

/** Any of the messages. */
typedef struct zmtp_frame_message {
    zmtp_frame_kind kind;
    union {
        zmtp_frame_last last;
        zmtp_frame_more more;
        zmtp_frame_long_last long_last;
        zmtp_frame_long_more long_more;
        zmtp_frame_command command;
        zmtp_frame_long_command long_command;
        unsigned char none;
    } as;
} zmtp_frame_message;

/** The protocol as data. */
extern const wire_protocol zmtp_frame_protocol;
/** Its messages, in the model's order. */
extern const wire_schema zmtp_frame_schemas[];

/** Decode a frame, to its last octet, into views of it. If it is wrong, `error` (which may be NULL) says where, and
 * `message` is ZMTP_FRAME_NONE. */
wire_code zmtp_frame_decode(zmtp_frame_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must hold nothing that the message shows. `*size` becomes the octets it takes,
 * also if that is more than `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code zmtp_frame_encode(const zmtp_frame_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                            wire_error *error);

/** Octets of the encoded message. */
size_t zmtp_frame_size(const zmtp_frame_message *message);

/** Decode a frame that is to be LAST; as zmtp_frame_decode(). If it is wrong, `message` is all zero. */
static inline wire_code zmtp_frame_last_decode(zmtp_frame_last *message, const uint8_t *data, size_t size,
                                               wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 2 || data[0] != 0x00)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[0], message, data, size, error);
    }
    at = data;
    spare = size - 2;
    const uint64_t size_3 = at[1];
    if (WIRE_RARELY(size_3 != spare)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[0], message, data, size, error);
    }
    message->body.data = at + 2;
    message->body.size = (size_t)size_3;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t zmtp_frame_last_size(const zmtp_frame_last *message) {
    (void)message;
    return 2 + message->body.size;
}

/** Encode a message; as zmtp_frame_encode(). */
static inline wire_code zmtp_frame_last_encode(const zmtp_frame_last *message, uint8_t *buffer, size_t capacity,
                                               size_t *size, wire_error *error) {
    const size_t total = zmtp_frame_last_size(message);
    uint8_t *at = buffer;
    if (WIRE_RARELY(message->body.size > 255 || total > capacity)) {
        return wire_encode_message(&zmtp_frame_schemas[0], message, buffer, capacity, size, error);
    }
    wire_store1(at, 0x00);
    wire_store1(at + 1, (uint8_t)message->body.size);
    wire_copy(at + 2, message->body.data, message->body.size);
    *size = total;
    return WIRE_OK;
}

/** Decode a frame that is to be MORE; as zmtp_frame_decode(). If it is wrong, `message` is all zero. */
static inline wire_code zmtp_frame_more_decode(zmtp_frame_more *message, const uint8_t *data, size_t size,
                                               wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 2 || data[0] != 0x01)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[1], message, data, size, error);
    }
    at = data;
    spare = size - 2;
    const uint64_t size_3 = at[1];
    if (WIRE_RARELY(size_3 != spare)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[1], message, data, size, error);
    }
    message->body.data = at + 2;
    message->body.size = (size_t)size_3;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t zmtp_frame_more_size(const zmtp_frame_more *message) {
    (void)message;
    return 2 + message->body.size;
}

/** Encode a message; as zmtp_frame_encode(). */
static inline wire_code zmtp_frame_more_encode(const zmtp_frame_more *message, uint8_t *buffer, size_t capacity,
                                               size_t *size, wire_error *error) {
    const size_t total = zmtp_frame_more_size(message);
    uint8_t *at = buffer;
    if (WIRE_RARELY(message->body.size > 255 || total > capacity)) {
        return wire_encode_message(&zmtp_frame_schemas[1], message, buffer, capacity, size, error);
    }
    wire_store1(at, 0x01);
    wire_store1(at + 1, (uint8_t)message->body.size);
    wire_copy(at + 2, message->body.data, message->body.size);
    *size = total;
    return WIRE_OK;
}

/** Decode a frame that is to be LONG-LAST; as zmtp_frame_decode(). If it is wrong, `message` is all zero. */
static inline wire_code zmtp_frame_long_last_decode(zmtp_frame_long_last *message, const uint8_t *data, size_t size,
                                                    wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 9 || data[0] != 0x02)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[2], message, data, size, error);
    }
    at = data;
    spare = size - 9;
    const uint64_t size_3 = wire_load8(at + 1);
    if (WIRE_RARELY(size_3 != spare || size_3 > UINT64_C(9223372036854775807))) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[2], message, data, size, error);
    }
    message->body.data = at + 9;
    message->body.size = (size_t)size_3;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t zmtp_frame_long_last_size(const zmtp_frame_long_last *message) {
    (void)message;
    return 9 + message->body.size;
}

/** Encode a message; as zmtp_frame_encode(). */
static inline wire_code zmtp_frame_long_last_encode(const zmtp_frame_long_last *message, uint8_t *buffer,
                                                    size_t capacity, size_t *size, wire_error *error) {
    const size_t total = zmtp_frame_long_last_size(message);
    uint8_t *at = buffer;
    if (WIRE_RARELY(message->body.size > UINT64_C(9223372036854775807) || total > capacity)) {
        return wire_encode_message(&zmtp_frame_schemas[2], message, buffer, capacity, size, error);
    }
    wire_store1(at, 0x02);
    wire_store8(at + 1, (uint64_t)message->body.size);
    wire_copy(at + 9, message->body.data, message->body.size);
    *size = total;
    return WIRE_OK;
}

/** Decode a frame that is to be LONG-MORE; as zmtp_frame_decode(). If it is wrong, `message` is all zero. */
static inline wire_code zmtp_frame_long_more_decode(zmtp_frame_long_more *message, const uint8_t *data, size_t size,
                                                    wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 9 || data[0] != 0x03)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[3], message, data, size, error);
    }
    at = data;
    spare = size - 9;
    const uint64_t size_3 = wire_load8(at + 1);
    if (WIRE_RARELY(size_3 != spare || size_3 > UINT64_C(9223372036854775807))) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[3], message, data, size, error);
    }
    message->body.data = at + 9;
    message->body.size = (size_t)size_3;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t zmtp_frame_long_more_size(const zmtp_frame_long_more *message) {
    (void)message;
    return 9 + message->body.size;
}

/** Encode a message; as zmtp_frame_encode(). */
static inline wire_code zmtp_frame_long_more_encode(const zmtp_frame_long_more *message, uint8_t *buffer,
                                                    size_t capacity, size_t *size, wire_error *error) {
    const size_t total = zmtp_frame_long_more_size(message);
    uint8_t *at = buffer;
    if (WIRE_RARELY(message->body.size > UINT64_C(9223372036854775807) || total > capacity)) {
        return wire_encode_message(&zmtp_frame_schemas[3], message, buffer, capacity, size, error);
    }
    wire_store1(at, 0x03);
    wire_store8(at + 1, (uint64_t)message->body.size);
    wire_copy(at + 9, message->body.data, message->body.size);
    *size = total;
    return WIRE_OK;
}

/** Decode a frame that is to be COMMAND; as zmtp_frame_decode(). If it is wrong, `message` is all zero. */
static inline wire_code zmtp_frame_command_decode(zmtp_frame_command *message, const uint8_t *data, size_t size,
                                                  wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 2 || data[0] != 0x04)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[4], message, data, size, error);
    }
    at = data;
    spare = size - 2;
    const uint64_t size_3 = at[1];
    if (WIRE_RARELY(size_3 != spare)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[4], message, data, size, error);
    }
    message->body.data = at + 2;
    message->body.size = (size_t)size_3;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t zmtp_frame_command_size(const zmtp_frame_command *message) {
    (void)message;
    return 2 + message->body.size;
}

/** Encode a message; as zmtp_frame_encode(). */
static inline wire_code zmtp_frame_command_encode(const zmtp_frame_command *message, uint8_t *buffer, size_t capacity,
                                                  size_t *size, wire_error *error) {
    const size_t total = zmtp_frame_command_size(message);
    uint8_t *at = buffer;
    if (WIRE_RARELY(message->body.size > 255 || total > capacity)) {
        return wire_encode_message(&zmtp_frame_schemas[4], message, buffer, capacity, size, error);
    }
    wire_store1(at, 0x04);
    wire_store1(at + 1, (uint8_t)message->body.size);
    wire_copy(at + 2, message->body.data, message->body.size);
    *size = total;
    return WIRE_OK;
}

/** Decode a frame that is to be LONG-COMMAND; as zmtp_frame_decode(). If it is wrong, `message` is all zero. */
static inline wire_code zmtp_frame_long_command_decode(zmtp_frame_long_command *message, const uint8_t *data,
                                                       size_t size, wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 9 || data[0] != 0x06)) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[5], message, data, size, error);
    }
    at = data;
    spare = size - 9;
    const uint64_t size_3 = wire_load8(at + 1);
    if (WIRE_RARELY(size_3 != spare || size_3 > UINT64_C(9223372036854775807))) {
        return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[5], message, data, size, error);
    }
    message->body.data = at + 9;
    message->body.size = (size_t)size_3;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t zmtp_frame_long_command_size(const zmtp_frame_long_command *message) {
    (void)message;
    return 9 + message->body.size;
}

/** Encode a message; as zmtp_frame_encode(). */
static inline wire_code zmtp_frame_long_command_encode(const zmtp_frame_long_command *message, uint8_t *buffer,
                                                       size_t capacity, size_t *size, wire_error *error) {
    const size_t total = zmtp_frame_long_command_size(message);
    uint8_t *at = buffer;
    if (WIRE_RARELY(message->body.size > UINT64_C(9223372036854775807) || total > capacity)) {
        return wire_encode_message(&zmtp_frame_schemas[5], message, buffer, capacity, size, error);
    }
    wire_store1(at, 0x06);
    wire_store8(at + 1, (uint64_t)message->body.size);
    wire_copy(at + 9, message->body.data, message->body.size);
    *size = total;
    return WIRE_OK;
}

#ifdef __cplusplus
}
#endif

#endif
