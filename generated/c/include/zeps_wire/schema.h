/** @file
 * Messages as data. The codecs handle common messages inline, and leave rare cases and errors to the functions here,
 * which interpret these tables; programs that handle all messages alike use them too.
 */
#ifndef ZEPS_WIRE_SCHEMA_H
#define ZEPS_WIRE_SCHEMA_H

#include "zeps_wire/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The encoding of a field, and the member for it in the message's struct. */
typedef enum wire_type {
    WIRE_NUMBER,   /**< `size` bytes; an integer of `width` bytes */
    WIRE_VARINT,   /**< LEB128, zigzag if signed; uint64_t or int64_t */
    WIRE_STRING,   /**< a length of `size` bytes, then text; wire_text */
    WIRE_CHUNK,    /**< a length of `size` bytes, then bytes; wire_octets */
    WIRE_FIXED,    /**< `octets` bytes; wire_octets */
    WIRE_MEASURED, /**< bytes whose number is in a sibling; wire_octets */
    WIRE_REST,     /**< the remaining bytes; wire_octets */
    WIRE_LIST,     /**< a count of `size` bytes, or in a sibling; a wire_list of the items' type */
    WIRE_HASH,     /**< a count of four bytes, then pairs (string, long string); wire_pairs */
    WIRE_RESERVED, /**< `octets` reserved bytes, zero when encoded; no member */
    WIRE_TOPIC,    /**< text and a zero byte; wire_text */
    WIRE_CONSTANT, /**< `octets` constant bytes; no member */
    WIRE_FRAME,    /**< a separate frame, after the first; wire_octets */
    WIRE_FRAMES    /**< all remaining frames, at least one; wire_blobs */
} wire_type;

/** The permitted values of a field; of flags, the permitted bits. */
typedef struct wire_enumeration {
    bool flags;
    uint64_t mask;
    size_t count;
    const uint64_t *numbers; /**< NULL if the members are texts */
    const wire_text *texts;
} wire_enumeration;

/** A field's value: a list, bytes (also for text), or a number in two's complement of 64 bits. */
typedef union wire_value {
    wire_list list;
    wire_octets octets;
    uint64_t number;
} wire_value;

typedef enum wire_comparison { WIRE_EQ, WIRE_NE, WIRE_LT, WIRE_LE, WIRE_GT, WIRE_GE } wire_comparison;

/** A relation between two numbers of a message, given by their indices among the fields; or between a number and a
 * constant, if `right_place` is -1. */
typedef struct wire_relation {
    uint16_t left_place;
    wire_comparison comparison;
    int right_place;
    uint64_t right;
} wire_relation;

/** A field. `offset` is that of the struct's member; constant, reserved and measuring fields have no member. */
typedef struct wire_field {
    const char *name;
    wire_type type;
    uint8_t size;
    uint8_t width; /**< size of a number's member in bytes */
    bool is_signed;
    bool is_limited;
    bool is_open_ended; /**< a list or hash without a count, which ends with the frame */
    wire_class text;
    uint64_t max;
    size_t offset;
    size_t octets;
    const uint8_t *constant;
    const wire_enumeration *enumeration;
    const struct wire_field *item; /**< the items; of a hash, key and value */
    const uint16_t *measures;      /**< indices of the siblings that it counts or measures */
    size_t measure_count;
    const wire_relation *relations; /**< relations to check after this field */
    size_t relation_count;
    const wire_value *fallback; /**< its value in a frame that ends before it; NULL for none or an empty list */
} wire_field;

/** Key and value of a hash, for each class of text; and one of a message's frames. */
extern const wire_field wire_pair_parts[][2];
extern const wire_field wire_frame_item;

/** A message. The first `dispatch_size` bytes of `head` identify it; `head_size` of them precede the first field (0 if
 * the fields themselves identify it). */
typedef struct wire_schema {
    const char *name;
    unsigned id;
    int kind;
    const uint8_t *head;
    size_t dispatch_size;
    size_t head_size;
    const wire_field *fields;
    size_t field_count;
    size_t tail;        /**< the first field before which a frame may end; else `field_count` */
    bool is_extensible; /**< bytes may follow the last field; they are ignored */
    size_t struct_size;
} wire_schema;

/** How a decoder identifies the message in a frame. */
typedef enum wire_dispatch { WIRE_BY_SIGNATURE, WIRE_BY_OCTET, WIRE_BY_CONSTANT, WIRE_BY_NAME } wire_dispatch;

/** A protocol. Its tagged union begins with `kind` (an int) and has the message's struct at `body_offset`. */
typedef struct wire_protocol {
    const char *name;
    wire_dispatch dispatch;
    uint8_t signature;
    const wire_schema *messages; /**< the kind of message n is n + 1 */
    size_t message_count;
    size_t message_size;
    size_t body_offset;
    wire_code (*decode)(void *message, const uint8_t *data, size_t size, wire_error *error);
    wire_code (*encode)(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error);
} wire_protocol;

/** The message that the beginning of a frame identifies. Returns NULL, with `error`, for an unknown message. */
const wire_schema *wire_find(const wire_protocol *protocol, const uint8_t *data, size_t size, wire_error *error);

/** The kind of that message, or 0 for an unknown message. */
int wire_find_kind(const wire_protocol *protocol, const uint8_t *data, size_t size);

/** The schema of a tagged union; NULL if it does not contain a message of the protocol. */
const wire_schema *wire_schema_of(const wire_protocol *protocol, const void *message);

/** The model's name for a kind of message; "unknown" if the kind does not exist. */
const char *wire_kind_name(const wire_protocol *protocol, int kind);

/** Decode a message field by field, and report the first error. After an error `message` is zero. */
wire_code wire_decode_message(const wire_protocol *protocol, const wire_schema *schema, void *message,
                              const uint8_t *data, size_t size, wire_error *error);

/** The same for a message of `count` frames. */
wire_code wire_decode_parts(const wire_protocol *protocol, const wire_schema *schema, void *message,
                            const wire_octets *frames, size_t count, wire_error *error);

/** Decode the frames of any message into a tagged union, which is zero after an error. */
wire_code wire_decode_frames(const wire_protocol *protocol, void *message, const wire_octets *frames, size_t count,
                             wire_error *error);

/** Clear a tagged union, and report the error of a frame with an unknown message. */
wire_code wire_decode_unknown(const wire_protocol *protocol, void *message, const uint8_t *data, size_t size,
                              wire_error *error);

/** Check and encode a message. On WIRE_NO_ROOM, `size` is the required size. For a message of several frames the error
 * is WIRE_TOO_LONG. */
wire_code wire_encode_message(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                              size_t *size, wire_error *error);

/** Check and encode a message of any number of frames: the first into `buffer`; the others are views of the message's
 * own bytes. `*count` is the capacity of `frames`, and becomes the number of frames, also if that is greater
 * (WIRE_NO_ROOM), and 0 if the message cannot be encoded. */
wire_code wire_encode_parts(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                            wire_octets *frames, size_t *count, wire_error *error);

/** The same for a tagged union. */
wire_code wire_encode_frames(const wire_protocol *protocol, const void *message, uint8_t *buffer, size_t capacity,
                             wire_octets *frames, size_t *count, wire_error *error);

/** The size of the encoded message in bytes, all frames together; SIZE_MAX if it is greater. */
size_t wire_size_message(const wire_schema *schema, const void *message);

/** The same for a tagged union; 0 if it does not contain a message. */
size_t wire_size(const wire_protocol *protocol, const void *message);

/** Fill `error`, unless it is NULL, and return its code. */
wire_code wire_refuse(wire_error *error, wire_code code, const char *message, const char *field, size_t offset);

/** The value of a member; `place` is the member. */
wire_value wire_get(const wire_field *field, const void *place);
/** Set a member; a number is truncated to the member's size. */
void wire_set(const wire_field *field, void *place, wire_value value);
/** The next item of a list field; of a hash, `item` is an array of two values, the key and the value. */
bool wire_next(const wire_field *field, const void *place, wire_cursor *cursor, wire_value *item);
/** The number of items of a list or hash. */
size_t wire_count(const wire_field *field, const void *place);
/** The number of parts of a list field's item: two for a pair. */
static inline size_t wire_parts(const wire_field *field) { return field->type == WIRE_HASH ? 2 : 1; }
/** The size of a list field's item in memory. */
size_t wire_stride(const wire_field *field);

#ifdef __cplusplus
}
#endif

#endif
