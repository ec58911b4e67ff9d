/**
 * @file ZMTP 2.0.
 *
 * What opens a connection of version 2.0.
 */
#ifndef ZEPS_WIRE_ZMTP_2_H
#define ZEPS_WIRE_ZMTP_2_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Values of socket type. */
typedef enum zmtp_2_socket_type {
    ZMTP_2_SOCKET_TYPE_PAIR = 0,
    /** XPUB too */
    ZMTP_2_SOCKET_TYPE_PUB = 1,
    /** XSUB too */
    ZMTP_2_SOCKET_TYPE_SUB = 2,
    ZMTP_2_SOCKET_TYPE_REQ = 3,
    ZMTP_2_SOCKET_TYPE_REP = 4,
    ZMTP_2_SOCKET_TYPE_DEALER = 5,
    ZMTP_2_SOCKET_TYPE_ROUTER = 6,
    ZMTP_2_SOCKET_TYPE_PULL = 7,
    ZMTP_2_SOCKET_TYPE_PUSH = 8
} zmtp_2_socket_type;

/** The kinds of messages. */
typedef enum zmtp_2_kind { ZMTP_2_NONE = 0, ZMTP_2_GREETING = 1 } zmtp_2_kind;

/** First octet of the signature */
#define ZMTP_2_GREETING_SIGNATURE 255
/** Last octet of the signature */
#define ZMTP_2_GREETING_SIGNATURE_END 127
/** Version 2.0 */
#define ZMTP_2_GREETING_REVISION 1
/** Flags of the identity's frame */
#define ZMTP_2_GREETING_FINAL_SHORT 0

/** The signature, the version, the socket's type, and a frame with an identity that subscribers leave empty. */
typedef struct zmtp_2_greeting {
    /**
     * What the sender is
     *
     * One of socket type.
     */
    uint8_t socket_type;
    /** Nothing, for publishers and subscribers */
    wire_octets identity;
} zmtp_2_greeting;

/** Any of the messages. */
typedef struct zmtp_2_message {
    zmtp_2_kind kind;
    union {
        zmtp_2_greeting greeting;
        unsigned char none;
    } as;
} zmtp_2_message;

/** The protocol's tables. */
extern const wire_protocol zmtp_2_protocol;
/** Its messages, in the model's order. */
extern const wire_schema zmtp_2_schemas[];

/** Decode a frame, which must be used completely, into views of it. After an error, `error` (which may be NULL) has
 * the place, and `message` is ZMTP_2_NONE. */
wire_code zmtp_2_decode(zmtp_2_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must not contain the message's own bytes. `*size` becomes the encoded size,
 * also if that exceeds `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code zmtp_2_encode(const zmtp_2_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                        wire_error *error);

/** The size of the encoded message in bytes. */
static inline size_t zmtp_2_size(const zmtp_2_message *message) { return wire_size(&zmtp_2_protocol, message); }

/** The model's name for a kind of message; "unknown" if the kind does not exist. */
static inline const char *zmtp_2_kind_name(zmtp_2_kind kind) { return wire_kind_name(&zmtp_2_protocol, (int)kind); }

/** Decode a frame of GREETING; see zmtp_2_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_2_greeting_decode(zmtp_2_greeting *message, const uint8_t *data, size_t size,
                                               wire_error *error) {
    return wire_decode_message(&zmtp_2_protocol, &zmtp_2_schemas[0], message, data, size, error);
}

/** Encode a message; see zmtp_2_encode(). */
static inline wire_code zmtp_2_greeting_encode(const zmtp_2_greeting *message, uint8_t *buffer, size_t capacity,
                                               size_t *size, wire_error *error) {
    return wire_encode_message(&zmtp_2_schemas[0], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_2_greeting_size(const zmtp_2_greeting *message) {
    return wire_size_message(&zmtp_2_schemas[0], message);
}

#ifdef __cplusplus
}
#endif

#endif
