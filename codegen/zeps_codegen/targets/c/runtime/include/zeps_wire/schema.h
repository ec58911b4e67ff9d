/** @file
 * What a message looks like, as data. The codecs take their common path inline, and leave whatever is rare or wrong
 * to the functions here, which read these tables; programs that treat all messages alike read them too.
 */
#ifndef ZEPS_WIRE_SCHEMA_H
#define ZEPS_WIRE_SCHEMA_H

#include "zeps_wire/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a field lies on the wire, and what the message's struct has for it. */
typedef enum wire_type {
    WIRE_NUMBER,   /**< `size` bytes; an integer of `width` bytes */
    WIRE_VARINT,   /**< LEB128, zigzag if signed; uint64_t or int64_t */
    WIRE_STRING,   /**< `size` bytes of length, then text; wire_text */
    WIRE_CHUNK,    /**< `size` bytes of length, then bytes; wire_octets */
    WIRE_FIXED,    /**< `octets` bytes; wire_octets */
    WIRE_MEASURED, /**< as many bytes as a sibling says; wire_octets */
    WIRE_REST,     /**< all that is left; wire_octets */
    WIRE_LIST,     /**< `size` bytes of count, or a sibling's; a wire_list of the items' type */
    WIRE_HASH,     /**< four bytes of count, then (string, long string) each; wire_pairs */
    WIRE_RESERVED, /**< `octets` bytes that nobody looks at, zero when encoded; nothing */
    WIRE_TOPIC,    /**< text that a zero byte ends; wire_text */
    WIRE_CONSTANT, /**< `octets` bytes that never vary; nothing */
    WIRE_FRAME,    /**< a frame of its own, after the first; wire_octets */
    WIRE_FRAMES    /**< all frames that follow, at least one; wire_blobs */
} wire_type;

/** What a field's value is one of; or, of flags, what it may have bits of. */
typedef struct wire_enumeration {
    bool flags;
    uint64_t mask;
    size_t count;
    const uint64_t *numbers; /**< NULL if the members are texts */
    const wire_text *texts;
} wire_enumeration;

/** A field's value: a list, bytes (of text, too), or a number in two's complement of 64 bits. */
typedef union wire_value {
    wire_list list;
    wire_octets octets;
    uint64_t number;
} wire_value;

typedef enum wire_comparison { WIRE_EQ, WIRE_NE, WIRE_LT, WIRE_LE, WIRE_GT, WIRE_GE } wire_comparison;

/** What has to hold between two numbers of a message, which are given by their place among the fields; or between one
 * and a constant, if `right_place` is -1. */
typedef struct wire_relation {
    uint16_t left_place;
    wire_comparison comparison;
    int right_place;
    uint64_t right;
} wire_relation;

/** A field. `offset` is that of the struct's member; it has none if it is constant, reserved or `measures` others. */
typedef struct wire_field {
    const char *name;
    wire_type type;
    uint8_t size;
    uint8_t width; /**< bytes of a number's member */
    bool is_signed;
    bool is_limited;
    bool is_open_ended; /**< a list or hash without a count, whose items go on to the end of the frame */
    wire_class text;
    uint64_t max;
    size_t offset;
    size_t octets;
    const uint8_t *constant;
    const wire_enumeration *enumeration;
    const struct wire_field *item; /**< what items are; of a hash, key and value */
    const uint16_t *measures;      /**< the siblings that it counts or measures, by their place among the fields */
    size_t measure_count;
    const wire_relation *relations; /**< what has to hold once it is known */
    size_t relation_count;
    const wire_value *fallback; /**< its value in a frame that ends before it; NULL for nothing or no items */
} wire_field;

/** Key and value of a hash, for each class of text; and one of a message's frames. */
extern const wire_field wire_pair_parts[][2];
extern const wire_field wire_frame_item;

/** A message. The first `dispatch_size` bytes of `head` tell it from others; `head_size` of them stand before the
 * first field (none, if the fields themselves are what tells it). */
typedef struct wire_schema {
    const char *name;
    unsigned id;
    int kind;
    const uint8_t *head;
    size_t dispatch_size;
    size_t head_size;
    const wire_field *fields;
    size_t field_count;
    size_t tail;        /**< the first field before which a frame may end; `field_count` if there is none */
    bool is_extensible; /**< bytes may follow the last field, which nobody looks at */
    size_t struct_size;
} wire_schema;

/** How a decoder finds out which message a frame holds. */
typedef enum wire_dispatch { WIRE_BY_SIGNATURE, WIRE_BY_OCTET, WIRE_BY_CONSTANT, WIRE_BY_NAME } wire_dispatch;

/** A protocol. Its tagged union has `kind` at its beginning (an int) and the message's struct at `body_offset`. */
typedef struct wire_protocol {
    const char *name;
    wire_dispatch dispatch;
    uint8_t signature;
    const wire_schema *messages; /**< the kind of message number n is n + 1 */
    size_t message_count;
    size_t message_size;
    size_t body_offset;
    wire_code (*decode)(void *message, const uint8_t *data, size_t size, wire_error *error);
    wire_code (*encode)(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error);
} wire_protocol;

/** The message that a frame begins like. NULL, with `error`, if there is none. */
const wire_schema *wire_find(const wire_protocol *protocol, const uint8_t *data, size_t size, wire_error *error);

/** The kind of that message, or 0 if there is none. */
int wire_find_kind(const wire_protocol *protocol, const uint8_t *data, size_t size);

/** The schema of a tagged union; NULL if it is none of the protocol's messages. */
const wire_schema *wire_schema_of(const wire_protocol *protocol, const void *message);

/** The model's name for a kind of message; "unknown" if there is no such kind. */
const char *wire_kind_name(const wire_protocol *protocol, int kind);

/** Decode a message field by field; the first one that is wrong is the one reported. `message` is zero then. */
wire_code wire_decode_message(const wire_protocol *protocol, const wire_schema *schema, void *message,
                              const uint8_t *data, size_t size, wire_error *error);

/** The same of a message of `count` frames. */
wire_code wire_decode_parts(const wire_protocol *protocol, const wire_schema *schema, void *message,
                            const wire_octets *frames, size_t count, wire_error *error);

/** Decode the frames of any message into a tagged union, which is zero if they are wrong. */
wire_code wire_decode_frames(const wire_protocol *protocol, void *message, const wire_octets *frames, size_t count,
                             wire_error *error);

/** Empty a tagged union, and say why the frame begins like no message. */
wire_code wire_decode_unknown(const wire_protocol *protocol, void *message, const uint8_t *data, size_t size,
                              wire_error *error);

/** Check and encode a message. On WIRE_NO_ROOM, `size` is what it takes. A message of several frames is WIRE_TOO_LONG
 * for one. */
wire_code wire_encode_message(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                              size_t *size, wire_error *error);

/** Check and encode a message of any number of frames: the first into `buffer`; the others are views of the message's
 * own bytes. `*count` is how many there is room for in `frames`, and becomes how many there are, also if that is more
 * (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code wire_encode_parts(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                            wire_octets *frames, size_t *count, wire_error *error);

/** The same of a tagged union. */
wire_code wire_encode_frames(const wire_protocol *protocol, const void *message, uint8_t *buffer, size_t capacity,
                             wire_octets *frames, size_t *count, wire_error *error);

/** Bytes of the encoded message, all frames together; SIZE_MAX if there are more. */
size_t wire_size_message(const wire_schema *schema, const void *message);

/** The same of a tagged union; 0 if it is no message. */
size_t wire_size(const wire_protocol *protocol, const void *message);

/** Fill `error`, unless it is NULL, and return its code. */
wire_code wire_refuse(wire_error *error, wire_code code, const char *message, const char *field, size_t offset);

/** The value of a member; `place` is the member. */
wire_value wire_get(const wire_field *field, const void *place);
/** The same the other way; a number is cut to the member's size. */
void wire_set(const wire_field *field, void *place, wire_value value);
/** The next item of a list field; of a hash, `item` is two values, which become the key and the value. */
bool wire_next(const wire_field *field, const void *place, wire_cursor *cursor, wire_value *item);
/** How many items a list or hash has. */
size_t wire_count(const wire_field *field, const void *place);
/** How many parts an item of a list field has: two if it is a pair. */
static inline size_t wire_parts(const wire_field *field) { return field->type == WIRE_HASH ? 2 : 1; }
/** Bytes of a list field's item in memory. */
size_t wire_stride(const wire_field *field);

#ifdef __cplusplus
}
#endif

#endif
