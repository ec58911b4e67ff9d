/**
 * @file ZeroMQ Enterprise Publish-Subscribe.
 *
 * ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a broker, publishes
 * messages to it, and receives those that match its subscriptions, from any point of the stream's history on.
 */
#ifndef ZEPS_WIRE_ZEPS_H
#define ZEPS_WIRE_ZEPS_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A `latest` that asks for everything retained. */
#define ZEPS_LATEST_ALL 0
/** A `latest` that asks for new messages only. */
#define ZEPS_LATEST_NEW UINT64_C(18446744073709551615)

/** Codes of INVALID that end the session. A code that a client does not know counts as one of these. */
/** The frame cannot be decoded, or the message has several parts. */
#define ZEPS_ENDING_CODE_MALFORMED "malformed"
/** The command's number is not defined in this version. */
#define ZEPS_ENDING_CODE_UNKNOWN_COMMAND "unknown-command"
/** A command other than ATTACH came without a session. */
#define ZEPS_ENDING_CODE_NO_SESSION "no-session"
/** The connection chose its own routing id. */
#define ZEPS_ENDING_CODE_ROUTING_ID "routing-id"
/** Refuses ATTACH: another protocol. */
#define ZEPS_ENDING_CODE_UNSUPPORTED_PROTOCOL "unsupported-protocol"
/** Refuses ATTACH: a version that the broker does not speak. */
#define ZEPS_ENDING_CODE_UNSUPPORTED_VERSION "unsupported-version"
/** Refuses ATTACH: the stream name is empty. */
#define ZEPS_ENDING_CODE_STREAM_NAME "stream-name"
/** Refuses ATTACH: the broker cannot read the stream, or may not begin another one; trying again later may help. */
#define ZEPS_ENDING_CODE_STREAM_UNAVAILABLE "stream-unavailable"
/**
 * Refuses ATTACH: the broker has as many sessions as it may have, or no memory for another; trying again later
 * may help.
 */
#define ZEPS_ENDING_CODE_TOO_MANY_SESSIONS "too-many-sessions"
/** Refuses ATTACH: the broker is stopping; trying again later may help. */
#define ZEPS_ENDING_CODE_STOPPING "stopping"

/** Codes of INVALID that leave an open session as it is. */
/** A command that only the broker sends, or DETACH-OK without DETACH; it was ignored. */
#define ZEPS_OPEN_CODE_UNEXPECTED "unexpected"
/** Refuses SUBSCRIBE: the pattern does not have the syntax of the stream's matching style. */
#define ZEPS_OPEN_CODE_BAD_PATTERN "bad-pattern"
/**
 * Refuses SUBSCRIBE: the session has as many subscriptions as it may have, or the broker no resources for
 * another.
 */
#define ZEPS_OPEN_CODE_TOO_MANY_SUBSCRIPTIONS "too-many-subscriptions"
/** Refuses SUBSCRIBE: the sequences from first, which is `latest` + 1, to last are no longer retained. */
#define ZEPS_OPEN_CODE_NOT_RETAINED "not-retained"
/**
 * Refuses SUBSCRIBE: the sequences from first to last, which is `latest`, do not exist; the stream ends before
 * first.
 */
#define ZEPS_OPEN_CODE_BEYOND_END "beyond-end"
/** A notice: the sequences from first to last were to be delivered, and retention has removed them. */
#define ZEPS_OPEN_CODE_RETENTION "retention"
/** A notice: the sequences from first to last were to be delivered, and the journal is damaged there. */
#define ZEPS_OPEN_CODE_DAMAGE "damage"

/** The kinds of messages. */
typedef enum zeps_kind {
    ZEPS_NONE = 0,
    ZEPS_ATTACH = 1,
    ZEPS_ATTACH_OK = 2,
    ZEPS_SUBSCRIBE = 3,
    ZEPS_SUBSCRIBE_OK = 4,
    ZEPS_CREDIT = 5,
    ZEPS_PUBLISH = 6,
    ZEPS_DELIVER = 7,
    ZEPS_PING = 8,
    ZEPS_PING_OK = 9,
    ZEPS_DETACH = 10,
    ZEPS_DETACH_OK = 11,
    ZEPS_INVALID = 12
} zeps_kind;

/** Constant "ZEPS" */
#define ZEPS_ATTACH_PROTOCOL "ZEPS"
/** Protocol version 1 */
#define ZEPS_ATTACH_VERSION 1

/** Client opens stream */
typedef struct zeps_attach {
    /** Stream name */
    wire_text stream;
} zeps_attach;

/** Server grants the client access */
typedef struct zeps_attach_ok {
    /** The message has no fields. */
    unsigned char nothing;
} zeps_attach_ok;

/** Client subscribes to a set of topics */
typedef struct zeps_subscribe {
    /** Subscription pattern */
    wire_text pattern;
    /** Last known sequence */
    uint64_t latest;
} zeps_subscribe;

/** Server confirms the subscription */
typedef struct zeps_subscribe_ok {
    /** The message has no fields. */
    unsigned char nothing;
} zeps_subscribe_ok;

/** Client sends credit to the server */
typedef struct zeps_credit {
    /** Credit, in octets */
    uint64_t credit;
} zeps_credit;

/** Client publishes a new message to the open stream */
typedef struct zeps_publish {
    /** Message routing key */
    wire_text key;
    /** Message contents */
    wire_octets body;
} zeps_publish;

/** Server delivers a message to the client */
typedef struct zeps_deliver {
    /** Sequenced per stream */
    uint64_t sequence;
    /** Message routing key */
    wire_text key;
    /** Message contents */
    wire_octets body;
} zeps_deliver;

/** Client or server sends a heartbeat */
typedef struct zeps_ping {
    /** The message has no fields. */
    unsigned char nothing;
} zeps_ping;

/** Client or server answers a heartbeat */
typedef struct zeps_ping_ok {
    /** The message has no fields. */
    unsigned char nothing;
} zeps_ping_ok;

/** Client or server closes the peering */
typedef struct zeps_detach {
    /** The message has no fields. */
    unsigned char nothing;
} zeps_detach;

/** Client or server confirms the close */
typedef struct zeps_detach_ok {
    /** The message has no fields. */
    unsigned char nothing;
} zeps_detach_ok;

/** Server tells client it sent an invalid message */
typedef struct zeps_invalid {
    /** Printable explanation */
    wire_text reason;
} zeps_invalid;

/** Any of the messages. */
typedef struct zeps_message {
    zeps_kind kind;
    union {
        zeps_attach attach;
        zeps_attach_ok attach_ok;
        zeps_subscribe subscribe;
        zeps_subscribe_ok subscribe_ok;
        zeps_credit credit;
        zeps_publish publish;
        zeps_deliver deliver;
        zeps_ping ping;
        zeps_ping_ok ping_ok;
        zeps_detach detach;
        zeps_detach_ok detach_ok;
        zeps_invalid invalid;
        unsigned char none;
    } as;
} zeps_message;

/** The protocol's tables. */
extern const wire_protocol zeps_protocol;
/** Its messages, in the model's order. */
extern const wire_schema zeps_schemas[];

/** Decode a frame, which must be used completely, into views of it. After an error, `error` (which may be NULL) has
 * the place, and `message` is ZEPS_NONE. */
wire_code zeps_decode(zeps_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must not contain the message's own bytes. `*size` becomes the encoded size,
 * also if that exceeds `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code zeps_encode(const zeps_message *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error);

/** The size of the encoded message in bytes. */
static inline size_t zeps_size(const zeps_message *message) { return wire_size(&zeps_protocol, message); }

/** The model's name for a kind of message; "unknown" if the kind does not exist. */
static inline const char *zeps_kind_name(zeps_kind kind) { return wire_kind_name(&zeps_protocol, (int)kind); }

/** Decode a frame of ATTACH; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_attach_decode(zeps_attach *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 11, "\252\245\001\004ZEPS\000\001", 10) &&
        wire_read_text(&in, &message->stream, 1, 255, true, WIRE_PRINTABLE) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[0], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_attach_encode(const zeps_attach *message, uint8_t *buffer, size_t capacity, size_t *size,
                                           wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 11, "\252\245\001\004ZEPS\000\001", 10) &&
        wire_write_text(&out, &message->stream, 1, 255, WIRE_PRINTABLE)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[0], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_attach_size(const zeps_attach *message) {
    size_t size = 11;
    size = wire_plus(size, message->stream.size);
    return size;
}

/** Decode a frame of ATTACH-OK; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_attach_ok_decode(zeps_attach_ok *message, const uint8_t *data, size_t size,
                                              wire_error *error) {
    wire_reader in;
    message->nothing = 0;
    if (wire_read_begin(&in, data, size, 3, "\252\245\002", 3) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[1], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_attach_ok_encode(const zeps_attach_ok *message, uint8_t *buffer, size_t capacity,
                                              size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 3, "\252\245\002", 3)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[1], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_attach_ok_size(const zeps_attach_ok *message) {
    size_t size = 3;
    (void)message;
    return size;
}

/** Decode a frame of SUBSCRIBE; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_subscribe_decode(zeps_subscribe *message, const uint8_t *data, size_t size,
                                              wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 12, "\252\245\003", 3) &&
        wire_read_text(&in, &message->pattern, 1, 255, true, WIRE_PRINTABLE) &&
        wire_read_u64(&in, &message->latest, UINT64_C(18446744073709551615)) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[2], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_subscribe_encode(const zeps_subscribe *message, uint8_t *buffer, size_t capacity,
                                              size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 12, "\252\245\003", 3) &&
        wire_write_text(&out, &message->pattern, 1, 255, WIRE_PRINTABLE) &&
        wire_write_u64(&out, &message->latest, UINT64_C(18446744073709551615))) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[2], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_subscribe_size(const zeps_subscribe *message) {
    size_t size = 12;
    size = wire_plus(size, message->pattern.size);
    return size;
}

/** Decode a frame of SUBSCRIBE-OK; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_subscribe_ok_decode(zeps_subscribe_ok *message, const uint8_t *data, size_t size,
                                                 wire_error *error) {
    wire_reader in;
    message->nothing = 0;
    if (wire_read_begin(&in, data, size, 3, "\252\245\004", 3) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[3], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_subscribe_ok_encode(const zeps_subscribe_ok *message, uint8_t *buffer, size_t capacity,
                                                 size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 3, "\252\245\004", 3)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[3], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_subscribe_ok_size(const zeps_subscribe_ok *message) {
    size_t size = 3;
    (void)message;
    return size;
}

/** Decode a frame of CREDIT; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_credit_decode(zeps_credit *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 11, "\252\245\005", 3) &&
        wire_read_u64(&in, &message->credit, UINT64_C(18446744073709551615)) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[4], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_credit_encode(const zeps_credit *message, uint8_t *buffer, size_t capacity, size_t *size,
                                           wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 11, "\252\245\005", 3) &&
        wire_write_u64(&out, &message->credit, UINT64_C(18446744073709551615))) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[4], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_credit_size(const zeps_credit *message) {
    size_t size = 11;
    (void)message;
    return size;
}

/** Decode a frame of PUBLISH; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_publish_decode(zeps_publish *message, const uint8_t *data, size_t size,
                                            wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 8, "\252\245\006", 3) &&
        wire_read_text(&in, &message->key, 1, 255, false, WIRE_PRINTABLE) &&
        wire_read_octets(&in, &message->body, 4, UINT64_C(16777216), true) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[5], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_publish_encode(const zeps_publish *message, uint8_t *buffer, size_t capacity, size_t *size,
                                            wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 8, "\252\245\006", 3) &&
        wire_write_text(&out, &message->key, 1, 255, WIRE_PRINTABLE) &&
        wire_write_octets(&out, &message->body, 4, UINT64_C(16777216))) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[5], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_publish_size(const zeps_publish *message) {
    size_t size = 8;
    size = wire_plus(size, message->key.size);
    size = wire_plus(size, message->body.size);
    return size;
}

/** Decode a frame of DELIVER; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_deliver_decode(zeps_deliver *message, const uint8_t *data, size_t size,
                                            wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 16, "\252\245\007", 3) &&
        wire_read_u64(&in, &message->sequence, UINT64_C(18446744073709551615)) &&
        wire_read_text(&in, &message->key, 1, 255, false, WIRE_PRINTABLE) &&
        wire_read_octets(&in, &message->body, 4, UINT64_C(16777216), true) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[6], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_deliver_encode(const zeps_deliver *message, uint8_t *buffer, size_t capacity, size_t *size,
                                            wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 16, "\252\245\007", 3) &&
        wire_write_u64(&out, &message->sequence, UINT64_C(18446744073709551615)) &&
        wire_write_text(&out, &message->key, 1, 255, WIRE_PRINTABLE) &&
        wire_write_octets(&out, &message->body, 4, UINT64_C(16777216))) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[6], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_deliver_size(const zeps_deliver *message) {
    size_t size = 16;
    size = wire_plus(size, message->key.size);
    size = wire_plus(size, message->body.size);
    return size;
}

/** Decode a frame of PING; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_ping_decode(zeps_ping *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    message->nothing = 0;
    if (wire_read_begin(&in, data, size, 3, "\252\245\010", 3) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[7], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_ping_encode(const zeps_ping *message, uint8_t *buffer, size_t capacity, size_t *size,
                                         wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 3, "\252\245\010", 3)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[7], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_ping_size(const zeps_ping *message) {
    size_t size = 3;
    (void)message;
    return size;
}

/** Decode a frame of PING-OK; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_ping_ok_decode(zeps_ping_ok *message, const uint8_t *data, size_t size,
                                            wire_error *error) {
    wire_reader in;
    message->nothing = 0;
    if (wire_read_begin(&in, data, size, 3, "\252\245\011", 3) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[8], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_ping_ok_encode(const zeps_ping_ok *message, uint8_t *buffer, size_t capacity, size_t *size,
                                            wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 3, "\252\245\011", 3)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[8], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_ping_ok_size(const zeps_ping_ok *message) {
    size_t size = 3;
    (void)message;
    return size;
}

/** Decode a frame of DETACH; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_detach_decode(zeps_detach *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_reader in;
    message->nothing = 0;
    if (wire_read_begin(&in, data, size, 3, "\252\245\012", 3) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[9], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_detach_encode(const zeps_detach *message, uint8_t *buffer, size_t capacity, size_t *size,
                                           wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 3, "\252\245\012", 3)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[9], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_detach_size(const zeps_detach *message) {
    size_t size = 3;
    (void)message;
    return size;
}

/** Decode a frame of DETACH-OK; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_detach_ok_decode(zeps_detach_ok *message, const uint8_t *data, size_t size,
                                              wire_error *error) {
    wire_reader in;
    message->nothing = 0;
    if (wire_read_begin(&in, data, size, 3, "\252\245\013", 3) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[10], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_detach_ok_encode(const zeps_detach_ok *message, uint8_t *buffer, size_t capacity,
                                              size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 3, "\252\245\013", 3)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[10], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_detach_ok_size(const zeps_detach_ok *message) {
    size_t size = 3;
    (void)message;
    return size;
}

/** Decode a frame of INVALID; see zeps_decode(). After an error, `message` is all zero. */
static inline wire_code zeps_invalid_decode(zeps_invalid *message, const uint8_t *data, size_t size,
                                            wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 4, "\252\245\014", 3) &&
        wire_read_text(&in, &message->reason, 1, 255, true, WIRE_PRINTABLE) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&zeps_protocol, &zeps_schemas[11], message, data, size, error);
}

/** Encode a message; see zeps_encode(). */
static inline wire_code zeps_invalid_encode(const zeps_invalid *message, uint8_t *buffer, size_t capacity, size_t *size,
                                            wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 4, "\252\245\014", 3) &&
        wire_write_text(&out, &message->reason, 1, 255, WIRE_PRINTABLE)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&zeps_schemas[11], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t zeps_invalid_size(const zeps_invalid *message) {
    size_t size = 4;
    size = wire_plus(size, message->reason.size);
    return size;
}

#ifdef __cplusplus
}
#endif

#endif
