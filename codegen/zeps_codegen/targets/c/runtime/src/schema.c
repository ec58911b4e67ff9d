/* Members of messages by their schema: lists, and values of any type. */
#include "zeps_wire/schema.h"
#include "internal.h"

/* The parts of a hash, for each class of text. */
#define PART(part_name, part_size, part_text)                                                                          \
    {.name = (part_name), .type = WIRE_STRING, .size = (part_size), .text = (part_text)}
const wire_field wire_key_of[] = {PART("key", 1, WIRE_ANY_OCTETS), PART("key", 1, WIRE_UTF8),
                                  PART("key", 1, WIRE_PRINTABLE), PART("key", 1, WIRE_VCHAR)};
const wire_field wire_content_of[] = {PART("value", 4, WIRE_ANY_OCTETS), PART("value", 4, WIRE_UTF8),
                                      PART("value", 4, WIRE_PRINTABLE), PART("value", 4, WIRE_VCHAR)};

const char *wire_code_name(wire_code code) {
    static const char *const names[] = {"ok",           "truncated", "trailing", "bad-signature", "unknown-message",
                                        "bad-constant", "bad-text",  "too-long", "no-room"};
    return (size_t)code < sizeof names / sizeof *names ? names[code] : "unknown";
}

wire_code wire_refuse(wire_error *error, wire_code code, const char *message, const char *field, size_t offset) {
    if (error != NULL) {
        error->code = code;
        error->message = message;
        error->field = field;
        error->offset = offset;
    }
    return code;
}

static wire_text as_text(wire_octets octets) {
    wire_text text;
    text.data = (const char *)octets.data;
    text.size = octets.size;
    return text;
}

/* The next item of a decoded list: it was checked then, so that only its extent matters now. */
static bool read_next(const wire_encoded *encoded, const wire_field *item, wire_cursor *cursor, wire_value *value) {
    wire_reader reader = {encoded->data, encoded->size, cursor->offset, 0, WIRE_OK};
    if (encoded->data == NULL || item == NULL || !wire_read(&reader, item, value)) {
        return false;
    }
    cursor->offset = reader.at;
    return true;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): names and types take none */
/* The next item of a list: `from_value` makes one of what a decoded list gives. */
#define NEXT(function, list_type, item_type, from_value)                                                               \
    bool function(const list_type *list, wire_cursor *cursor, item_type *item) {                                       \
        wire_value value = {0, {NULL, 0}};                                                                             \
        if (cursor->index >= list->count) {                                                                            \
            return false;                                                                                              \
        }                                                                                                              \
        if (list->items != NULL) {                                                                                     \
            *item = list->items[cursor->index++];                                                                      \
            return true;                                                                                               \
        }                                                                                                              \
        if (!read_next(&list->encoded, list->encoded.item, cursor, &value)) {                                          \
            return false;                                                                                              \
        }                                                                                                              \
        cursor->index++;                                                                                               \
        *item = (from_value);                                                                                          \
        return true;                                                                                                   \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

NEXT(wire_numbers_next, wire_numbers, uint64_t, value.number)
NEXT(wire_integers_next, wire_integers, int64_t, (int64_t)value.number)
NEXT(wire_texts_next, wire_texts, wire_text, as_text(value.octets))
NEXT(wire_blobs_next, wire_blobs, wire_octets, value.octets)

bool wire_pairs_next(const wire_pairs *list, wire_cursor *cursor, wire_pair *item) {
    wire_value key = {0, {NULL, 0}};
    wire_value value = {0, {NULL, 0}};
    if (cursor->index >= list->count) {
        return false;
    }
    if (list->items != NULL) {
        *item = list->items[cursor->index++];
        return true;
    }
    if (!read_next(&list->encoded, wire_key_of, cursor, &key) ||
        !read_next(&list->encoded, wire_content_of, cursor, &value)) {
        return false;
    }
    cursor->index++;
    item->key = as_text(key.octets);
    item->value = as_text(value.octets);
    return true;
}

/* Where the walk to item `index` begins: beside it, if all items have one size. */
static wire_cursor beside(const wire_encoded *encoded, bool given, size_t index) {
    wire_cursor cursor = {0, 0};
    if (given || (encoded->item != NULL && encoded->item->type == WIRE_NUMBER)) {
        cursor.index = index;
        cursor.offset = given ? 0 : index * encoded->item->size;
    }
    return cursor;
}

uint64_t wire_numbers_at(const wire_numbers *list, size_t index) {
    uint64_t item = 0;
    if (index < list->count) {
        wire_cursor cursor = beside(&list->encoded, list->items != NULL, index);
        while (cursor.index <= index && wire_numbers_next(list, &cursor, &item)) {
        }
    }
    return item;
}

int64_t wire_integers_at(const wire_integers *list, size_t index) {
    int64_t item = 0;
    if (index < list->count) {
        wire_cursor cursor = beside(&list->encoded, list->items != NULL, index);
        while (cursor.index <= index && wire_integers_next(list, &cursor, &item)) {
        }
    }
    return item;
}

/* A number member of `size` octets. */
static uint64_t get_number(const wire_field *field, const void *place) {
    switch (field->type == WIRE_VARINT ? 8U : field->size) {
    case 1:
        return field->is_signed ? (uint64_t)(int64_t)*(const int8_t *)place : *(const uint8_t *)place;
    case 2:
        return field->is_signed ? (uint64_t)(int64_t)*(const int16_t *)place : *(const uint16_t *)place;
    case 4:
        return field->is_signed ? (uint64_t)(int64_t)*(const int32_t *)place : *(const uint32_t *)place;
    default:
        return field->is_signed ? (uint64_t)*(const int64_t *)place : *(const uint64_t *)place;
    }
}

static void set_number(const wire_field *field, void *place, uint64_t number) {
    switch (field->type == WIRE_VARINT ? 8U : field->size) {
    case 1:
        *(uint8_t *)place = (uint8_t)number;
        break;
    case 2:
        *(uint16_t *)place = (uint16_t)number;
        break;
    case 4:
        *(uint32_t *)place = (uint32_t)number;
        break;
    default:
        *(uint64_t *)place = number;
        break;
    }
}

wire_value wire_get(const wire_field *field, const void *place) {
    wire_value value = {0, {NULL, 0}};
    switch (field->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        value.number = get_number(field, place);
        break;
    case WIRE_STRING:
    case WIRE_TOPIC:
        value.octets = wire_octets_of(((const wire_text *)place)->data, ((const wire_text *)place)->size);
        break;
    case WIRE_CHUNK:
    case WIRE_FIXED:
    case WIRE_MEASURED:
    case WIRE_REST:
        value.octets = *(const wire_octets *)place;
        break;
    default:
        break;
    }
    return value;
}

void wire_set(const wire_field *field, void *place, wire_value value) {
    switch (field->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        set_number(field, place, value.number);
        break;
    case WIRE_STRING:
    case WIRE_TOPIC:
        *(wire_text *)place = as_text(value.octets);
        break;
    case WIRE_CHUNK:
    case WIRE_FIXED:
    case WIRE_MEASURED:
    case WIRE_REST:
        *(wire_octets *)place = value.octets;
        break;
    default:
        break;
    }
}

bool wire_next(const wire_field *field, const void *place, wire_cursor *cursor, wire_value *item) {
    wire_text text = {NULL, 0};
    int64_t integer = 0;
    bool found;
    switch (field->item->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        if (!field->item->is_signed) {
            return wire_numbers_next((const wire_numbers *)place, cursor, &item->number);
        }
        found = wire_integers_next((const wire_integers *)place, cursor, &integer);
        item->number = (uint64_t)integer;
        return found;
    case WIRE_STRING:
        found = wire_texts_next((const wire_texts *)place, cursor, &text);
        item->octets = wire_octets_of(text.data, text.size);
        return found;
    default:
        return wire_blobs_next((const wire_blobs *)place, cursor, &item->octets);
    }
}

size_t wire_count(const wire_field *field, const void *place) {
    if (field->type == WIRE_HASH) {
        return ((const wire_pairs *)place)->count;
    }
    switch (field->item->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        return field->item->is_signed ? ((const wire_integers *)place)->count : ((const wire_numbers *)place)->count;
    case WIRE_STRING:
        return ((const wire_texts *)place)->count;
    default:
        return ((const wire_blobs *)place)->count;
    }
}
