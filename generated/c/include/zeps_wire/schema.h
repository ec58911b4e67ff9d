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
    WIRE_NUMBER,   /**< `size` octets; an integer of as many bits */
    WIRE_VARINT,   /**< LEB128, zigzag if signed; uint64_t or int64_t */
    WIRE_STRING,   /**< `size` octets of length, then text; wire_text */
    WIRE_CHUNK,    /**< `size` octets of length, then octets; wire_octets */
    WIRE_FIXED,    /**< `octets` octets; wire_octets */
    WIRE_MEASURED, /**< as many octets as a sibling says; wire_octets */
    WIRE_REST,     /**< all that is left; wire_octets */
    WIRE_LIST,     /**< `size` octets of count, or a sibling's; wire_numbers, wire_integers, wire_texts, wire_blobs */
    WIRE_HASH,     /**< four octets of count, then (string, long string) each; wire_pairs */
    WIRE_RESERVED, /**< `octets` octets that nobody looks at, zero when encoded; nothing */
    WIRE_TOPIC,    /**< text that a zero octet ends; wire_text */
    WIRE_CONSTANT  /**< `octets` octets that never vary; nothing */
} wire_type;

/** What text may hold. */
typedef enum wire_class { WIRE_ANY_OCTETS, WIRE_UTF8, WIRE_PRINTABLE, WIRE_VCHAR } wire_class;

/** What a field's value is one of; or, of flags, what it may have bits of. */
typedef struct wire_enumeration {
    bool flags;
    uint64_t mask;
    size_t count;
    const uint64_t *numbers; /**< NULL if the members are texts */
    const wire_text *texts;
} wire_enumeration;

/** A field. `offset` is that of the struct's member; it has none if it is constant, reserved or `measures` others. */
typedef struct wire_field {
    const char *name;
    wire_type type;
    uint8_t size;
    bool is_signed;
    bool is_limited;
    bool is_open_ended; /**< a list or hash without a count, whose items go on to the end of the frame */
    wire_class text;
    uint64_t max;
    size_t offset;
    size_t octets;
    const uint8_t *constant;
    const wire_enumeration *enumeration;
    const struct wire_field *item;
    const uint16_t *measures; /**< the siblings that it counts or measures, by their place among the fields */
    size_t measure_count;
} wire_field;

/** A message. The first `dispatch_size` octets of `head` tell it from others; `head_size` of them stand before the
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
    size_t struct_size;
} wire_schema;

/** How a decoder finds out which message a frame holds. */
typedef enum wire_dispatch { WIRE_BY_SIGNATURE, WIRE_BY_OCTET, WIRE_BY_CONSTANT, WIRE_BY_NAME } wire_dispatch;

/** A protocol. Its tagged union has `kind` at its beginning (an int) and the message's struct at `body_offset`. */
typedef struct wire_protocol {
    const char *name;
    wire_dispatch dispatch;
    uint8_t signature;
    const wire_schema *messages;
    size_t message_count;
    size_t message_size;
    size_t body_offset;
    wire_code (*decode)(void *message, const uint8_t *data, size_t size, wire_error *error);
    wire_code (*encode)(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error);
} wire_protocol;

/** The message that a frame begins like. NULL, with `error`, if there is none. */
const wire_schema *wire_find(const wire_protocol *protocol, const uint8_t *data, size_t size, wire_error *error);

/** Decode a message field by field; the first one that is wrong is the one reported. `message` is zero then. */
wire_code wire_decode_message(const wire_protocol *protocol, const wire_schema *schema, void *message,
                              const uint8_t *data, size_t size, wire_error *error);

/** Check and encode a message. On WIRE_NO_ROOM, `size` is what it takes. */
wire_code wire_encode_message(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                              size_t *size, wire_error *error);

/** Octets of the encoded message. */
size_t wire_size_message(const wire_schema *schema, const void *message);

/** Fill `error`, unless it is NULL, and return its code. */
wire_code wire_refuse(wire_error *error, wire_code code, const char *message, const char *field, size_t offset);

/** A field's value: a number in two's complement of 64 bits, or octets. */
typedef struct wire_value {
    uint64_t number;
    wire_octets octets;
} wire_value;

/** The value of a member that is neither list nor hash; `place` is the member. */
wire_value wire_get(const wire_field *field, const void *place);
/** The same the other way; a number is cut to the member's size. */
void wire_set(const wire_field *field, void *place, wire_value value);
/** The next item of a list field. */
bool wire_next(const wire_field *field, const void *place, wire_cursor *cursor, wire_value *item);
/** How many items a list or hash has. */
size_t wire_count(const wire_field *field, const void *place);

#ifdef __cplusplus
}
#endif

#endif
