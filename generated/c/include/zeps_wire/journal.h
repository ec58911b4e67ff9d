/**
 * @file ZEPS journal.
 *
 * A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then BLOCKs back to back.
 * A block holds the messages that were written together, as the DELIVER frames that subscribers receive, so that
 * replay is slicing. Before the frames stands an index with checksums of its own: who wants some keys only reads
 * the index, and of the frames no more than the pages on which those messages lie. All numbers are unsigned and
 * in network byte order.
 */
#ifndef ZEPS_WIRE_JOURNAL_H
#define ZEPS_WIRE_JOURNAL_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which message it is. */
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

/** The protocol as data. */
extern const wire_protocol journal_protocol;
/** Its messages, in the model's order. */
extern const wire_schema journal_schemas[];

/** Decode a frame, to its last octet, into views of it. If it is wrong, `error` (which may be NULL) says where, and
 * `message` is JOURNAL_NONE. */
wire_code journal_decode(journal_message *message, const uint8_t *data, size_t size, wire_error *error);

/** Encode a message into `buffer`, which must hold nothing that the message shows. `*size` becomes the octets it takes,
 * also if that is more than `capacity` (WIRE_NO_ROOM), and 0 if it cannot be encoded. */
wire_code journal_encode(const journal_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                         wire_error *error);

/** Octets of the encoded message. */
size_t journal_size(const journal_message *message);

/** Decode a frame that is to be SEGMENT; as journal_decode(). If it is wrong, `message` is all zero. */
static inline wire_code journal_segment_decode(journal_segment *message, const uint8_t *data, size_t size,
                                               wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 27 || memcmp(data, "ZEPSJRNL\000\001", 10) != 0)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[0], message, data, size, error);
    }
    at = data;
    spare = size - 27;
    message->first_sequence = wire_load8(at + 10);
    message->created = wire_load8(at + 18);
    const uint64_t size_5 = at[26];
    if (WIRE_RARELY(size_5 != spare || !wire_is_printable(at + 27, (size_t)size_5))) {
        return wire_decode_message(&journal_protocol, &journal_schemas[0], message, data, size, error);
    }
    message->stream.data = (const char *)(at + 27);
    message->stream.size = (size_t)size_5;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t journal_segment_size(const journal_segment *message) {
    (void)message;
    return 27 + message->stream.size;
}

/** Encode a message; as journal_encode(). */
static inline wire_code journal_segment_encode(const journal_segment *message, uint8_t *buffer, size_t capacity,
                                               size_t *size, wire_error *error) {
    const size_t total = journal_segment_size(message);
    uint8_t *at = buffer;
    if (WIRE_RARELY(message->stream.size > 255 ||
                    !wire_is_printable((const uint8_t *)message->stream.data, message->stream.size) ||
                    total > capacity)) {
        return wire_encode_message(&journal_schemas[0], message, buffer, capacity, size, error);
    }
    wire_store8(at, UINT64_C(0x5A4550534A524E4C));
    wire_store2(at + 8, 0x0001);
    wire_store8(at + 10, (uint64_t)message->first_sequence);
    wire_store8(at + 18, (uint64_t)message->created);
    wire_store1(at + 26, (uint8_t)message->stream.size);
    wire_copy_text(at + 27, message->stream.data, message->stream.size);
    *size = total;
    return WIRE_OK;
}

/** Decode a frame that is to be BLOCK; as journal_decode(). If it is wrong, `message` is all zero. */
static inline wire_code journal_block_decode(journal_block *message, const uint8_t *data, size_t size,
                                             wire_error *error) {
    const uint8_t *at;
    size_t spare;
    if (WIRE_RARELY(size < 56 || wire_load4(data) != 0x5A424C4B)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    at = data;
    spare = size - 56;
    message->checksum = wire_load4(at + 4);
    message->index_checksum = wire_load4(at + 8);
    message->first_sequence = wire_load8(at + 12);
    message->first_time = wire_load8(at + 20);
    message->last_time = wire_load8(at + 28);
    const uint64_t count_1 = wire_load4(at + 36);
    if (WIRE_RARELY(count_1 > UINT64_C(65536))) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    const uint64_t count_2 = wire_load4(at + 40);
    if (WIRE_RARELY(count_2 > UINT64_C(268435456))) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    const uint64_t count_3 = wire_load4(at + 44);
    if (WIRE_RARELY(count_3 > UINT64_C(65536))) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    const uint64_t count_4 = wire_load4(at + 48);
    if (WIRE_RARELY(count_4 > UINT64_C(65536))) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    const uint64_t count_5 = wire_load4(at + 52);
    if (WIRE_RARELY(count_5 > UINT64_C(16711680))) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    if (WIRE_RARELY(count_1 > spare / 8)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    message->times.count = (size_t)count_1;
    message->times.items = NULL;
    message->times.encoded.data = at + 56;
    message->times.encoded.size = (size_t)count_1 * 8;
    message->times.encoded.item = journal_schemas[1].fields[11].item;
    spare -= (size_t)count_1 * 8;
    at += 56 + (size_t)count_1 * 8;
    if (WIRE_RARELY(count_1 > spare / 4)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    message->ends.count = (size_t)count_1;
    message->ends.items = NULL;
    message->ends.encoded.data = at;
    message->ends.encoded.size = (size_t)count_1 * 4;
    message->ends.encoded.item = journal_schemas[1].fields[12].item;
    spare -= (size_t)count_1 * 4;
    at += (size_t)count_1 * 4;
    if (WIRE_RARELY(count_1 > spare / 2)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    message->key_numbers.count = (size_t)count_1;
    message->key_numbers.items = NULL;
    message->key_numbers.encoded.data = at;
    message->key_numbers.encoded.size = (size_t)count_1 * 2;
    message->key_numbers.encoded.item = journal_schemas[1].fields[13].item;
    spare -= (size_t)count_1 * 2;
    at += (size_t)count_1 * 2;
    if (WIRE_RARELY(count_3 > spare / 4)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    message->page_checksums.count = (size_t)count_3;
    message->page_checksums.items = NULL;
    message->page_checksums.encoded.data = at;
    message->page_checksums.encoded.size = (size_t)count_3 * 4;
    message->page_checksums.encoded.item = journal_schemas[1].fields[14].item;
    spare -= (size_t)count_3 * 4;
    at += (size_t)count_3 * 4;
    if (WIRE_RARELY(count_4 > spare / 4)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    message->key_ends.count = (size_t)count_4;
    message->key_ends.items = NULL;
    message->key_ends.encoded.data = at;
    message->key_ends.encoded.size = (size_t)count_4 * 4;
    message->key_ends.encoded.item = journal_schemas[1].fields[15].item;
    spare -= (size_t)count_4 * 4;
    at += (size_t)count_4 * 4;
    if (WIRE_RARELY(count_5 > spare)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    message->keys.data = at;
    message->keys.size = (size_t)count_5;
    spare -= (size_t)count_5;
    at += (size_t)count_5;
    if (WIRE_RARELY(count_2 != spare)) {
        return wire_decode_message(&journal_protocol, &journal_schemas[1], message, data, size, error);
    }
    message->frames.data = at;
    message->frames.size = (size_t)count_2;
    return WIRE_OK;
}

/** Octets of the encoded message. */
static inline size_t journal_block_size(const journal_block *message) {
    (void)message;
    return 56 + message->times.count * 8 + message->ends.count * 4 + message->key_numbers.count * 2 +
           message->page_checksums.count * 4 + message->key_ends.count * 4 + message->keys.size + message->frames.size;
}

/** Encode a message; as journal_encode(). */
static inline wire_code journal_block_encode(const journal_block *message, uint8_t *buffer, size_t capacity,
                                             size_t *size, wire_error *error) {
    return wire_encode_message(&journal_schemas[1], message, buffer, capacity, size, error);
}

#ifdef __cplusplus
}
#endif

#endif
