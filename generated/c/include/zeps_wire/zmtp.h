/**
 * @file ZMTP 3, publish-subscribe.
 *
 * What two ZMTP peers say to each other on one connection: a greeting, which stands by itself, and then what
 * frames hold, the body of a command or of a message. A publisher takes a message for what it begins with:
 * SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands SUBSCRIBE and CANCEL of version 3.1.
 * An extension of ours, ZMTP-E, lets a subscriber ask by filters of other kinds than the beginning of a message.
 * A filter has a kind, one octet, whose meaning publishers and subscribers agree on elsewhere, and any octets. A
 * publisher that does not know the kind of a filter sends everything, which is always right: a filter only saves
 * traffic.
 */
#ifndef ZEPS_WIRE_ZMTP_H
#define ZEPS_WIRE_ZMTP_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of messages. */
typedef enum zmtp_kind {
    ZMTP_NONE = 0,
    ZMTP_GREETING = 1,
    ZMTP_READY = 2,
    ZMTP_ERROR = 3,
    ZMTP_PING = 4,
    ZMTP_PONG = 5,
    ZMTP_SUBSCRIBE = 6,
    ZMTP_CANCEL = 7,
    ZMTP_SUBSCRIPTION = 8,
    ZMTP_CANCELLATION = 9,
    ZMTP_SUBSCRIBE_X = 10,
    ZMTP_CANCEL_X = 11,
    ZMTP_SUBSCRIPTION_X = 12,
    ZMTP_CANCELLATION_X = 13
} zmtp_kind;

/** First octet of the signature */
#define ZMTP_GREETING_SIGNATURE 255
/** Last octet of the signature */
#define ZMTP_GREETING_SIGNATURE_END 127

/** Opens a connection, in either direction. */
typedef struct zmtp_greeting {
    /** Major version */
    uint8_t major_;
    /** Minor version */
    uint8_t minor_;
    /** Name of the security mechanism, padded with zeros */
    wire_octets mechanism;
    /** 1 for the server of a mechanism that has one */
    uint8_t as_server;
} zmtp_greeting;

/** The command's name */
#define ZMTP_READY_NAME "READY"

/** Command: the sender is ready, and this is what it is. */
typedef struct zmtp_ready {
    /** Metadata of the connection: Socket-Type, Identity and others */
    wire_pairs properties;
} zmtp_ready;

/** The command's name */
#define ZMTP_ERROR_NAME "ERROR"

/** Command: the sender refuses the peer. */
typedef struct zmtp_error {
    /** Says why, to people */
    wire_text reason;
} zmtp_error;

/** The command's name */
#define ZMTP_PING_NAME "PING"

/** Command: asks for a sign of life. */
typedef struct zmtp_ping {
    /** Tenths of a second after which silence means that the sender is gone; 0 for none */
    uint16_t ttl;
    /** Comes back in PONG */
    wire_octets context;
} zmtp_ping;

/** The command's name */
#define ZMTP_PONG_NAME "PONG"

/** Command: answers PING. */
typedef struct zmtp_pong {
    /** What came with PING */
    wire_octets context;
} zmtp_pong;

/** The command's name */
#define ZMTP_SUBSCRIBE_NAME "SUBSCRIBE"

/** Command of version 3.1: asks for the messages that begin with a topic. */
typedef struct zmtp_subscribe {
    /** Any octets, or none */
    wire_octets topic;
} zmtp_subscribe;

/** The command's name */
#define ZMTP_CANCEL_NAME "CANCEL"

/** Command of version 3.1: takes one subscription back. */
typedef struct zmtp_cancel {
    /** Any octets, or none */
    wire_octets topic;
} zmtp_cancel;

/** Tells a subscription from a cancellation */
#define ZMTP_SUBSCRIPTION_FORM 1

/** Message of version 3.0: asks for the messages that begin with a topic. */
typedef struct zmtp_subscription {
    /** Any octets, or none */
    wire_octets topic;
} zmtp_subscription;

/** Tells a cancellation from a subscription */
#define ZMTP_CANCELLATION_FORM 0

/** Message of version 3.0: takes one subscription back. */
typedef struct zmtp_cancellation {
    /** Any octets, or none */
    wire_octets topic;
} zmtp_cancellation;

/** The command's name */
#define ZMTP_SUBSCRIBE_X_NAME "SUBSCRIBE-X"

/** Command of our extension, for version 3.1: asks for the messages that a filter of some kind lets pass. */
typedef struct zmtp_subscribe_x {
    /** What the filter means; 255 is not a kind */
    uint8_t kind;
    /** Any octets, or none */
    wire_octets filter;
} zmtp_subscribe_x;

/** The command's name */
#define ZMTP_CANCEL_X_NAME "CANCEL-X"

/** Command of our extension, for version 3.1: takes one filter back. */
typedef struct zmtp_cancel_x {
    /** What the filter means; 255 is not a kind */
    uint8_t kind;
    /** Any octets, or none */
    wire_octets filter;
} zmtp_cancel_x;

/** Tells it from the other forms */
#define ZMTP_SUBSCRIPTION_X_FORM 2

/** Message of our extension, for version 3.0: asks for the messages that a filter of some kind lets pass. */
typedef struct zmtp_subscription_x {
    /** What the filter means; 255 is not a kind */
    uint8_t kind;
    /** Any octets, or none */
    wire_octets filter;
} zmtp_subscription_x;

/** Tells it from the other forms */
#define ZMTP_CANCELLATION_X_FORM 3

/** Message of our extension, for version 3.0: takes one filter back. */
typedef struct zmtp_cancellation_x {
    /** What the filter means; 255 is not a kind */
    uint8_t kind;
    /** Any octets, or none */
    wire_octets filter;
} zmtp_cancellation_x;

/** Any of the messages. */
typedef struct zmtp_message {
    zmtp_kind kind;
    union {
        zmtp_greeting greeting;
        zmtp_ready ready;
        zmtp_error error;
        zmtp_ping ping;
        zmtp_pong pong;
        zmtp_subscribe subscribe;
        zmtp_cancel cancel;
        zmtp_subscription subscription;
        zmtp_cancellation cancellation;
        zmtp_subscribe_x subscribe_x;
        zmtp_cancel_x cancel_x;
        zmtp_subscription_x subscription_x;
        zmtp_cancellation_x cancellation_x;
        unsigned char none;
    } as;
} zmtp_message;

/** The protocol's tables. */
extern const wire_protocol zmtp_protocol;
/** Its messages, in the model's order. */
extern const wire_schema zmtp_schemas[];

/** Decode a frame, which must be used completely, into views of it. After an error, `error` (which may be NULL) has
 * the place, and `message` is ZMTP_NONE. */
wire_code zmtp_decode(zmtp_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must not contain the message's own bytes. `*size` becomes the encoded size,
 * also if that exceeds `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code zmtp_encode(const zmtp_message *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error);

/** The size of the encoded message in bytes. */
static inline size_t zmtp_size(const zmtp_message *message) { return wire_size(&zmtp_protocol, message); }

/** The model's name for a kind of message; "unknown" if the kind does not exist. */
static inline const char *zmtp_kind_name(zmtp_kind kind) { return wire_kind_name(&zmtp_protocol, (int)kind); }

/** Decode a frame of GREETING; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_greeting_decode(zmtp_greeting *message, const uint8_t *data, size_t size,
                                             wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 64, "\377", 1) && wire_read_reserved(&in, 8) &&
        wire_read_constant(&in, "\177", 1) && wire_read_u8(&in, &message->major_, 255) &&
        wire_read_u8(&in, &message->minor_, 255) && wire_read_fixed(&in, &message->mechanism, 20) &&
        wire_read_u8(&in, &message->as_server, 255) && wire_read_reserved(&in, 31) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[0], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_greeting_encode(const zmtp_greeting *message, uint8_t *buffer, size_t capacity,
                                             size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 64, "\377", 1) && wire_write_reserved(&out, 8) &&
        wire_write_constant(&out, "\177", 1) && wire_write_u8(&out, &message->major_, 255) &&
        wire_write_u8(&out, &message->minor_, 255) && wire_write_fixed(&out, &message->mechanism, 20) &&
        wire_write_u8(&out, &message->as_server, 255) && wire_write_reserved(&out, 31)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[0], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_greeting_size(const zmtp_greeting *message) {
    size_t size = 64;
    (void)message;
    return size;
}

/** Decode a frame of READY; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_ready_decode(zmtp_ready *message, const uint8_t *data, size_t size, wire_error *error) {
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[1], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_ready_encode(const zmtp_ready *message, uint8_t *buffer, size_t capacity, size_t *size,
                                          wire_error *error) {
    return wire_encode_message(&zmtp_schemas[1], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_ready_size(const zmtp_ready *message) { return wire_size_message(&zmtp_schemas[1], message); }

/** Decode a frame of ERROR; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_error_decode(zmtp_error *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 7, "\005ERROR", 6) &&
        wire_read_text(&in, &message->reason, 1, 255, true, WIRE_ANY_OCTETS) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[2], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_error_encode(const zmtp_error *message, uint8_t *buffer, size_t capacity, size_t *size,
                                          wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 7, "\005ERROR", 6) &&
        wire_write_text(&out, &message->reason, 1, 255, WIRE_ANY_OCTETS)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[2], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_error_size(const zmtp_error *message) {
    size_t size = 7;
    size = wire_plus(size, message->reason.size);
    return size;
}

/** Decode a frame of PING; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_ping_decode(zmtp_ping *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 7, "\004PING", 5) && wire_read_u16(&in, &message->ttl, UINT64_C(65535)) &&
        wire_read_rest(&in, &message->context, 16) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[3], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_ping_encode(const zmtp_ping *message, uint8_t *buffer, size_t capacity, size_t *size,
                                         wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 7, "\004PING", 5) &&
        wire_write_u16(&out, &message->ttl, UINT64_C(65535)) && wire_write_rest(&out, &message->context, 16)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[3], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_ping_size(const zmtp_ping *message) {
    size_t size = 7;
    size = wire_plus(size, message->context.size);
    return size;
}

/** Decode a frame of PONG; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_pong_decode(zmtp_pong *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 5, "\004PONG", 5) && wire_read_rest(&in, &message->context, 16) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[4], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_pong_encode(const zmtp_pong *message, uint8_t *buffer, size_t capacity, size_t *size,
                                         wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 5, "\004PONG", 5) && wire_write_rest(&out, &message->context, 16)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[4], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_pong_size(const zmtp_pong *message) {
    size_t size = 5;
    size = wire_plus(size, message->context.size);
    return size;
}

/** Decode a frame of SUBSCRIBE; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_subscribe_decode(zmtp_subscribe *message, const uint8_t *data, size_t size,
                                              wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 10, "\011SUBSCRIBE", 10) && wire_read_rest(&in, &message->topic, UINT64_MAX) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[5], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_subscribe_encode(const zmtp_subscribe *message, uint8_t *buffer, size_t capacity,
                                              size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 10, "\011SUBSCRIBE", 10) &&
        wire_write_rest(&out, &message->topic, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[5], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_subscribe_size(const zmtp_subscribe *message) {
    size_t size = 10;
    size = wire_plus(size, message->topic.size);
    return size;
}

/** Decode a frame of CANCEL; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_cancel_decode(zmtp_cancel *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 7, "\006CANCEL", 7) && wire_read_rest(&in, &message->topic, UINT64_MAX) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[6], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_cancel_encode(const zmtp_cancel *message, uint8_t *buffer, size_t capacity, size_t *size,
                                           wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 7, "\006CANCEL", 7) &&
        wire_write_rest(&out, &message->topic, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[6], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_cancel_size(const zmtp_cancel *message) {
    size_t size = 7;
    size = wire_plus(size, message->topic.size);
    return size;
}

/** Decode a frame of SUBSCRIPTION; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_subscription_decode(zmtp_subscription *message, const uint8_t *data, size_t size,
                                                 wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 1, "\001", 1) && wire_read_rest(&in, &message->topic, UINT64_MAX) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[7], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_subscription_encode(const zmtp_subscription *message, uint8_t *buffer, size_t capacity,
                                                 size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 1, "\001", 1) && wire_write_rest(&out, &message->topic, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[7], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_subscription_size(const zmtp_subscription *message) {
    size_t size = 1;
    size = wire_plus(size, message->topic.size);
    return size;
}

/** Decode a frame of CANCELLATION; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_cancellation_decode(zmtp_cancellation *message, const uint8_t *data, size_t size,
                                                 wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 1, "\000", 1) && wire_read_rest(&in, &message->topic, UINT64_MAX) &&
        in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[8], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_cancellation_encode(const zmtp_cancellation *message, uint8_t *buffer, size_t capacity,
                                                 size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 1, "\000", 1) && wire_write_rest(&out, &message->topic, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[8], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_cancellation_size(const zmtp_cancellation *message) {
    size_t size = 1;
    size = wire_plus(size, message->topic.size);
    return size;
}

/** Decode a frame of SUBSCRIBE-X; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_subscribe_x_decode(zmtp_subscribe_x *message, const uint8_t *data, size_t size,
                                                wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 13, "\013SUBSCRIBE-X", 12) && wire_read_u8(&in, &message->kind, 255) &&
        wire_read_rest(&in, &message->filter, UINT64_MAX) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[9], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_subscribe_x_encode(const zmtp_subscribe_x *message, uint8_t *buffer, size_t capacity,
                                                size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 13, "\013SUBSCRIBE-X", 12) &&
        wire_write_u8(&out, &message->kind, 255) && wire_write_rest(&out, &message->filter, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[9], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_subscribe_x_size(const zmtp_subscribe_x *message) {
    size_t size = 13;
    size = wire_plus(size, message->filter.size);
    return size;
}

/** Decode a frame of CANCEL-X; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_cancel_x_decode(zmtp_cancel_x *message, const uint8_t *data, size_t size,
                                             wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 10, "\010CANCEL-X", 9) && wire_read_u8(&in, &message->kind, 255) &&
        wire_read_rest(&in, &message->filter, UINT64_MAX) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[10], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_cancel_x_encode(const zmtp_cancel_x *message, uint8_t *buffer, size_t capacity,
                                             size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 10, "\010CANCEL-X", 9) && wire_write_u8(&out, &message->kind, 255) &&
        wire_write_rest(&out, &message->filter, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[10], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_cancel_x_size(const zmtp_cancel_x *message) {
    size_t size = 10;
    size = wire_plus(size, message->filter.size);
    return size;
}

/** Decode a frame of SUBSCRIPTION-X; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_subscription_x_decode(zmtp_subscription_x *message, const uint8_t *data, size_t size,
                                                   wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 2, "\002", 1) && wire_read_u8(&in, &message->kind, 255) &&
        wire_read_rest(&in, &message->filter, UINT64_MAX) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[11], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_subscription_x_encode(const zmtp_subscription_x *message, uint8_t *buffer, size_t capacity,
                                                   size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 2, "\002", 1) && wire_write_u8(&out, &message->kind, 255) &&
        wire_write_rest(&out, &message->filter, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[11], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_subscription_x_size(const zmtp_subscription_x *message) {
    size_t size = 2;
    size = wire_plus(size, message->filter.size);
    return size;
}

/** Decode a frame of CANCELLATION-X; see zmtp_decode(). After an error, `message` is all zero. */
static inline wire_code zmtp_cancellation_x_decode(zmtp_cancellation_x *message, const uint8_t *data, size_t size,
                                                   wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 2, "\003", 1) && wire_read_u8(&in, &message->kind, 255) &&
        wire_read_rest(&in, &message->filter, UINT64_MAX) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zmtp_protocol, &zmtp_schemas[12], message, data, size, error);
}

/** Encode a message; see zmtp_encode(). */
static inline wire_code zmtp_cancellation_x_encode(const zmtp_cancellation_x *message, uint8_t *buffer, size_t capacity,
                                                   size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 2, "\003", 1) && wire_write_u8(&out, &message->kind, 255) &&
        wire_write_rest(&out, &message->filter, UINT64_MAX)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zmtp_schemas[12], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zmtp_cancellation_x_size(const zmtp_cancellation_x *message) {
    size_t size = 2;
    size = wire_plus(size, message->filter.size);
    return size;
}

#ifdef __cplusplus
}
#endif

#endif
