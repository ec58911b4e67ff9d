/* The tables of journal, and the functions for all of its messages. */
#include "zeps_wire/journal.h"

static const wire_field fields_of_segment[] = {
    {.name = "magic", .type = WIRE_CONSTANT, .octets = 8, .constant = (const uint8_t *)"ZEPSJRNL"},
    {.name = "version", .type = WIRE_CONSTANT, .octets = 2, .constant = (const uint8_t *)"\000\001"},
    {.name = "first_sequence",
     .type = WIRE_NUMBER,
     .size = 8,
     .width = 8,
     .offset = offsetof(journal_segment, first_sequence)},
    {.name = "created", .type = WIRE_NUMBER, .size = 8, .width = 8, .offset = offsetof(journal_segment, created)},
    {.name = "stream",
     .type = WIRE_STRING,
     .size = 1,
     .text = WIRE_PRINTABLE,
     .offset = offsetof(journal_segment, stream)}};
static const wire_field fields_of_block[] = {
    {.name = "magic", .type = WIRE_CONSTANT, .octets = 4, .constant = (const uint8_t *)"ZBLK"},
    {.name = "checksum", .type = WIRE_NUMBER, .size = 4, .width = 4, .offset = offsetof(journal_block, checksum)},
    {.name = "index_checksum",
     .type = WIRE_NUMBER,
     .size = 4,
     .width = 4,
     .offset = offsetof(journal_block, index_checksum)},
    {.name = "first_sequence",
     .type = WIRE_NUMBER,
     .size = 8,
     .width = 8,
     .offset = offsetof(journal_block, first_sequence)},
    {.name = "first_time", .type = WIRE_NUMBER, .size = 8, .width = 8, .offset = offsetof(journal_block, first_time)},
    {.name = "last_time", .type = WIRE_NUMBER, .size = 8, .width = 8, .offset = offsetof(journal_block, last_time)},
    {.name = "count",
     .type = WIRE_NUMBER,
     .size = 4,
     .width = 4,
     .is_limited = true,
     .max = UINT64_C(65536),
     .measures = (const uint16_t[]){11, 12, 13},
     .measure_count = 3},
    {.name = "frames_size",
     .type = WIRE_NUMBER,
     .size = 4,
     .width = 4,
     .is_limited = true,
     .max = UINT64_C(268435456),
     .measures = (const uint16_t[]){17},
     .measure_count = 1},
    {.name = "page_count",
     .type = WIRE_NUMBER,
     .size = 4,
     .width = 4,
     .is_limited = true,
     .max = UINT64_C(65536),
     .measures = (const uint16_t[]){14},
     .measure_count = 1},
    {.name = "key_count",
     .type = WIRE_NUMBER,
     .size = 4,
     .width = 4,
     .is_limited = true,
     .max = UINT64_C(65536),
     .measures = (const uint16_t[]){15},
     .measure_count = 1},
    {.name = "keys_size",
     .type = WIRE_NUMBER,
     .size = 4,
     .width = 4,
     .is_limited = true,
     .max = UINT64_C(16711680),
     .measures = (const uint16_t[]){16},
     .measure_count = 1},
    {.name = "times",
     .type = WIRE_LIST,
     .size = 0,
     .item = &(const wire_field){.name = "item", .type = WIRE_NUMBER, .size = 8, .width = 8},
     .offset = offsetof(journal_block, times)},
    {.name = "ends",
     .type = WIRE_LIST,
     .size = 0,
     .item = &(const wire_field){.name = "item", .type = WIRE_NUMBER, .size = 4, .width = 8},
     .offset = offsetof(journal_block, ends)},
    {.name = "key_numbers",
     .type = WIRE_LIST,
     .size = 0,
     .item = &(const wire_field){.name = "item", .type = WIRE_NUMBER, .size = 2, .width = 8},
     .offset = offsetof(journal_block, key_numbers)},
    {.name = "page_checksums",
     .type = WIRE_LIST,
     .size = 0,
     .item = &(const wire_field){.name = "item", .type = WIRE_NUMBER, .size = 4, .width = 8},
     .offset = offsetof(journal_block, page_checksums)},
    {.name = "key_ends",
     .type = WIRE_LIST,
     .size = 0,
     .item = &(const wire_field){.name = "item", .type = WIRE_NUMBER, .size = 4, .width = 8},
     .offset = offsetof(journal_block, key_ends)},
    {.name = "keys", .type = WIRE_MEASURED, .size = 0, .offset = offsetof(journal_block, keys)},
    {.name = "frames", .type = WIRE_MEASURED, .size = 0, .offset = offsetof(journal_block, frames)}};

const wire_schema journal_schemas[] = {
    {.name = "SEGMENT",
     .id = 1,
     .kind = JOURNAL_SEGMENT,
     .head = (const uint8_t *)"ZEPSJRNL",
     .dispatch_size = 8,
     .head_size = 0,
     .fields = fields_of_segment,
     .field_count = 5,
     .tail = 5,
     .is_extensible = false,
     .struct_size = sizeof(journal_segment)},
    {.name = "BLOCK",
     .id = 2,
     .kind = JOURNAL_BLOCK,
     .head = (const uint8_t *)"ZBLK",
     .dispatch_size = 4,
     .head_size = 0,
     .fields = fields_of_block,
     .field_count = 18,
     .tail = 18,
     .is_extensible = false,
     .struct_size = sizeof(journal_block)},
};

static wire_code decode_any(void *message, const uint8_t *data, size_t size, wire_error *error) {
    return journal_decode(message, data, size, error);
}

static wire_code encode_any(const void *message, uint8_t *buffer, size_t capacity, size_t *size, wire_error *error) {
    return journal_encode(message, buffer, capacity, size, error);
}

const wire_protocol journal_protocol = {
    .name = "journal",
    .dispatch = WIRE_BY_CONSTANT,
    .signature = 160,
    .messages = journal_schemas,
    .message_count = 2,
    .message_size = sizeof(journal_message),
    .body_offset = offsetof(journal_message, as),
    .decode = decode_any,
    .encode = encode_any,
};

wire_code journal_decode(journal_message *message, const uint8_t *data, size_t size, wire_error *error) {
    wire_code code;
    switch (wire_find_kind(&journal_protocol, data, size)) {
    case JOURNAL_SEGMENT:
        message->kind = JOURNAL_SEGMENT;
        code = journal_segment_decode(&message->as.segment, data, size, error);
        break;
    case JOURNAL_BLOCK:
        message->kind = JOURNAL_BLOCK;
        code = journal_block_decode(&message->as.block, data, size, error);
        break;
    default:
        return wire_decode_unknown(&journal_protocol, message, data, size, error);
    }
    if (WIRE_RARELY(code != WIRE_OK)) {
        memset(message, 0, sizeof *message);
    }
    return code;
}

wire_code journal_encode(const journal_message *message, uint8_t *buffer, size_t capacity, size_t *size,
                         wire_error *error) {
    switch (message->kind) {
    case JOURNAL_SEGMENT:
        return journal_segment_encode(&message->as.segment, buffer, capacity, size, error);
    case JOURNAL_BLOCK:
        return journal_block_encode(&message->as.block, buffer, capacity, size, error);
    default:
        *size = 0;
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
}
