/**
 * @file ZMTP 1.0.
 *
 * A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the identity, which is
 * mostly empty; a subscriber says nothing after it.
 */
#ifndef ZEPS_WIRE_ZMTP_1_H
#define ZEPS_WIRE_ZMTP_1_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of messages. */
typedef enum zmtp_1_kind { ZMTP_1_NONE = 0, ZMTP_1_FRAME = 1 } zmtp_1_kind;

/** Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets of length. */
typedef struct zmtp_1_frame {
    /** One octet of flags, zero or one, and the body */
    wire_octets content;
} zmtp_1_frame;

/** Any of the messages. */
typedef struct zmtp_1_message {
    zmtp_1_kind kind;
    union {
        zmtp_1_frame frame;
        unsigned char none;
    } as;
} zmtp_1_message;

/** The protocol's tables. */
extern const wire_protocol zmtp_1_protocol;
/** Its messages, in the model's order. */
extern const wire_schema zmtp_1_schemas[];

/** Decode a frame, which must be used completely, into views of it. After an error, `error` (which may be NULL) has
 * the place, and `message` is ZMTP_1_NONE. */
wire_code zmtp_1_decode(zmtp_1_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must not contain the message's own bytes. `*size` becomes the encoded size,
 * also if that exceeds `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code zmtp_1_encode(const zmtp_1_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                        wire_error *error);

/** The size of the encoded message in bytes. */
static inline size_t zmtp_1_size(const zmtp_1_message *message) { return wire_size(&zmtp_1_protocol, message); }

/** The model's name for a kind of message; "unknown" if the kind does not exist. */
static inline const char *zmtp_1_kind_name(zmtp_1_kind kind) { return wire_kind_name(&zmtp_1_protocol, (int)kind); }

/** Decode a frame of FRAME; see zmtp_1_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_1_frame_decode(zmtp_1_frame *message, const uint8_t *data, size_t size,
                                            wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 1, "", 0) && wire_read_octets(&in, &message->content, 1, 254, true) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_1_protocol, &zmtp_1_schemas[0], message, data, size, error);
}

/** Encode a message; see zmtp_1_encode(). */
static inline wire_code zmtp_1_frame_encode(const zmtp_1_frame *message, uint8_t *buffer, size_t capacity, size_t *size,
                                            wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 1, "", 0) && wire_write_octets(&out, &message->content, 1, 254)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_1_schemas[0], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_1_frame_size(const zmtp_1_frame *message) {
    size_t size = 1;
    size = wire_plus(size, message->content.size);
    return size;
}

#ifdef __cplusplus
}
#endif

#endif
