/**
 * @file ZEPS journal.
 *
 * A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then BLOCKs back to back.
 * A block holds the messages that were written together, as the DELIVER frames that subscribers receive, so that
 * replay is slicing. An index with checksums of its own precedes the frames: a reader of some keys only reads
 * the index, and of the frames no more than the pages that hold those messages. All numbers are unsigned and in
 * network byte order.
 */
#ifndef ZEPS_WIRE_JOURNAL_H
#define ZEPS_WIRE_JOURNAL_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of messages. */
typedef enum journal_kind { JOURNAL_NONE = 0, JOURNAL_SEGMENT = 1, JOURNAL_BLOCK = 2 } journal_kind;

/** Names the file type */
#define JOURNAL_SEGMENT_MAGIC "ZEPSJRNL"
/** Version of this format */
#define JOURNAL_SEGMENT_VERSION 1

/** The head of a segment file. */
typedef struct journal_segment {
    /** Sequence of the segment's first message */
    uint64_t first_sequence;
    /** Time of creation, in microseconds since 1970-01-01T00:00:00Z */
    uint64_t created;
    /** The stream's name */
    wire_text stream;
} journal_segment;

/** Names the block */
#define JOURNAL_BLOCK_MAGIC "ZBLK"

/** Messages that were written together. */
typedef struct journal_block {
    /** CRC-32C of everything in the block that follows this field */
    uint32_t checksum;
    /** CRC-32C of everything between this field and the frames */
    uint32_t index_checksum;
    /** Sequence of the first message; the others follow without gaps */
    uint64_t first_sequence;
    /** Earliest of the times, in microseconds since 1970-01-01T00:00:00Z */
    uint64_t first_time;
    /** Latest of the times */
    uint64_t last_time;
    /** When each message was stored */
    wire_numbers times;
    /** Where each frame ends, counted from the start of the first */
    wire_numbers ends;
    /** Which of the distinct keys each message has, from 0 */
    wire_numbers key_numbers;
    /** CRC-32C of each page: 4,096 octets of the frames, counted from the start of the first */
    wire_numbers page_checksums;
    /** Where each distinct key ends, counted from the start of the first */
    wire_numbers key_ends;
    /** The distinct keys, back to back, in the order in which they first occur */
    wire_octets keys;
    /** The DELIVER frames, back to back */
    wire_octets frames;
} journal_block;

/** Any of the messages. */
typedef struct journal_message {
    journal_kind kind;
    union {
        journal_segment segment;
        journal_block block;
        unsigned char none;
    } as;
} journal_message;

/** The protocol's tables. */
extern const wire_protocol journal_protocol;
/** Its messages, in the model's order. */
extern const wire_schema journal_schemas[];

/** Decode a frame, which must be used completely, into views of it. After an error, `error` (which may be NULL) has
 * the place, and `message` is JOURNAL_NONE. */
wire_code journal_decode(journal_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must not contain the message's own bytes. `*size` becomes the encoded size,
 * also if that exceeds `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code journal_encode(const journal_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                         wire_error *error);

/** The size of the encoded message in bytes. */
static inline size_t journal_size(const journal_message *message) { return wire_size(&journal_protocol, message); }

/** The model's name for a kind of message; "unknown" if the kind does not exist. */
static inline const char *journal_kind_name(journal_kind kind) { return wire_kind_name(&journal_protocol, (int)kind); }

/** Decode a frame of SEGMENT; see journal_decode(). After an error, `message` is all zero. */
static inline wire_code journal_segment_decode(journal_segment *message, const uint8_t *data, size_t size,
                                               wire_error *error) {
    wire_reader in;
    if (wire_read_begin(&in, data, size, 27, "ZEPSJRNL\000\001", 10) &&
        wire_read_u64(&in, &message->first_sequence, UINT64_C(18446744073709551615)) &&
        wire_read_u64(&in, &message->created, UINT64_C(18446744073709551615)) &&
        wire_read_text(&in, &message->stream, 1, 255, true, WIRE_PRINTABLE) && in.spare == 0) {
        return WIRE_OK;
    }
    return wire_decode_message(&journal_protocol, &journal_schemas[0], message, data, size, error);
}

/** Encode a message; see journal_encode(). */
static inline wire_code journal_segment_encode(const journal_segment *message, uint8_t *buffer, size_t capacity,
                                               size_t *size, wire_error *error) {
    wire_writer out;
    if (wire_write_begin(&out, buffer, capacity, 27, "ZEPSJRNL\000\001", 10) &&
        wire_write_u64(&out, &message->first_sequence, UINT64_C(18446744073709551615)) &&
        wire_write_u64(&out, &message->created, UINT64_C(18446744073709551615)) &&
        wire_write_text(&out, &message->stream, 1, 255, WIRE_PRINTABLE)) {
        *size = capacity - out.space;
        return WIRE_OK;
    }
    return wire_encode_message(&journal_schemas[0], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t journal_segment_size(const journal_segment *message) {
    size_t size = 27;
    size = wire_plus(size, message->stream.size);
    return size;
}

/** Decode a frame of BLOCK; see journal_decode(). After an error, `message` is all zero. */
static inline wire_code journal_block_decode(journal_block *message, const uint8_t *data, size_t size,
                                             wire_error *error) {
    return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
}

/** Encode a message; see journal_encode(). */
static inline wire_code journal_block_encode(const journal_block *message, uint8_t *buffer, size_t capacity,
                                             size_t *size, wire_error *error) {
    return wire_encode_message(&journal_schemas[1], message, buffer, capacity, size, error);
}

/** The size of the encoded message in bytes. */
static inline size_t journal_block_size(const journal_block *message) {
    return wire_size_message(&journal_schemas[1], message);
}

#ifdef __cplusplus
}
#endif

#endif
