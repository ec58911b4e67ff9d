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

/** The kinds of messages. */
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

/** The protocol's tables. */
extern const wire_protocol zmtp_frame_protocol;
/** Its messages, in the model's order. */
extern const wire_schema zmtp_frame_schemas[];

/** Decode a frame, which must be used completely, into views of it. After an error, `error` (which may be NULL) has
 * the place, and `message` is ZMTP_FRAME_NONE. */
wire_code zmtp_frame_decode(zmtp_frame_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must not contain the message's own bytes. `*size` becomes the encoded size,
 * also if that exceeds `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code zmtp_frame_encode(const zmtp_frame_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                            wire_error *error);

/** The size of the encoded message in bytes. */
static inline size_t zmtp_frame_size(const zmtp_frame_message *message) {
    return wire_size(&zmtp_frame_protocol, message);
}

/** The model's name for a kind of message; "unknown" if the kind does not exist. */
static inline const char *zmtp_frame_kind_name(zmtp_frame_kind kind) {
    return wire_kind_name(&zmtp_frame_protocol, (int)kind);
}

/** Decode a frame of LAST; see zmtp_frame_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_frame_last_decode(zmtp_frame_last *message, const uint8_t *data, size_t size,
                                               wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 2, "\000", 1) && wire_read_octets(&in, &message->body, 1, 255, true) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[0], message, data, size, error);
}

/** Encode a message; see zmtp_frame_encode(). */
static inline wire_code zmtp_frame_last_encode(const zmtp_frame_last *message, uint8_t *buffer, size_t capacity,
                                               size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 2, "\000", 1) && wire_write_octets(&out, &message->body, 1, 255)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_frame_schemas[0], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_frame_last_size(const zmtp_frame_last *message) {
    size_t size = 2;
    size = wire_plus(size, message->body.size);
    return size;
}

/** Decode a frame of MORE; see zmtp_frame_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_frame_more_decode(zmtp_frame_more *message, const uint8_t *data, size_t size,
                                               wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 2, "\001", 1) && wire_read_octets(&in, &message->body, 1, 255, true) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[1], message, data, size, error);
}

/** Encode a message; see zmtp_frame_encode(). */
static inline wire_code zmtp_frame_more_encode(const zmtp_frame_more *message, uint8_t *buffer, size_t capacity,
                                               size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 2, "\001", 1) && wire_write_octets(&out, &message->body, 1, 255)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_frame_schemas[1], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_frame_more_size(const zmtp_frame_more *message) {
    size_t size = 2;
    size = wire_plus(size, message->body.size);
    return size;
}

/** Decode a frame of LONG-LAST; see zmtp_frame_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_frame_long_last_decode(zmtp_frame_long_last *message, const uint8_t *data, size_t size,
                                                    wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 9, "\002", 1) &&
        wire_read_octets(&in, &message->body, 8, UINT64_C(9223372036854775807), true) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[2], message, data, size, error);
}

/** Encode a message; see zmtp_frame_encode(). */
static inline wire_code zmtp_frame_long_last_encode(const zmtp_frame_long_last *message, uint8_t *buffer,
                                                    size_t capacity, size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 9, "\002", 1) &&
        wire_write_octets(&out, &message->body, 8, UINT64_C(9223372036854775807))) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_frame_schemas[2], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_frame_long_last_size(const zmtp_frame_long_last *message) {
    size_t size = 9;
    size = wire_plus(size, message->body.size);
    return size;
}

/** Decode a frame of LONG-MORE; see zmtp_frame_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_frame_long_more_decode(zmtp_frame_long_more *message, const uint8_t *data, size_t size,
                                                    wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 9, "\003", 1) &&
        wire_read_octets(&in, &message->body, 8, UINT64_C(9223372036854775807), true) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[3], message, data, size, error);
}

/** Encode a message; see zmtp_frame_encode(). */
static inline wire_code zmtp_frame_long_more_encode(const zmtp_frame_long_more *message, uint8_t *buffer,
                                                    size_t capacity, size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 9, "\003", 1) &&
        wire_write_octets(&out, &message->body, 8, UINT64_C(9223372036854775807))) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_frame_schemas[3], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_frame_long_more_size(const zmtp_frame_long_more *message) {
    size_t size = 9;
    size = wire_plus(size, message->body.size);
    return size;
}

/** Decode a frame of COMMAND; see zmtp_frame_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_frame_command_decode(zmtp_frame_command *message, const uint8_t *data, size_t size,
                                                  wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 2, "\004", 1) && wire_read_octets(&in, &message->body, 1, 255, true) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[4], message, data, size, error);
}

/** Encode a message; see zmtp_frame_encode(). */
static inline wire_code zmtp_frame_command_encode(const zmtp_frame_command *message, uint8_t *buffer, size_t capacity,
                                                  size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 2, "\004", 1) && wire_write_octets(&out, &message->body, 1, 255)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_frame_schemas[4], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_frame_command_size(const zmtp_frame_command *message) {
    size_t size = 2;
    size = wire_plus(size, message->body.size);
    return size;
}

/** Decode a frame of LONG-COMMAND; see zmtp_frame_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_frame_long_command_decode(zmtp_frame_long_command *message, const uint8_t *data,
                                                       size_t size, wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 9, "\006", 1) &&
        wire_read_octets(&in, &message->body, 8, UINT64_C(9223372036854775807), true) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_frame_protocol, &zmtp_frame_schemas[5], message, data, size, error);
}

/** Encode a message; see zmtp_frame_encode(). */
static inline wire_code zmtp_frame_long_command_encode(const zmtp_frame_long_command *message, uint8_t *buffer,
                                                       size_t capacity, size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 9, "\006", 1) &&
        wire_write_octets(&out, &message->body, 8, UINT64_C(9223372036854775807))) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_frame_schemas[5], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_frame_long_command_size(const zmtp_frame_long_command *message) {
    size_t size = 9;
    size = wire_plus(size, message->body.size);
    return size;
}

#ifdef __cplusplus
}
#endif

#endif
