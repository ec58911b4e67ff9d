/* Members of messages by their schema: lists, and values of any type. */
#include "zeps_wire/schema.h"
#include "internal.h"

/* The lists of all types have the same layout in memory, so that a wire_list can be copied from and to each of them. */
typedef char lists_lie_alike[sizeof(wire_list) == sizeof(wire_numbers) && sizeof(wire_list) == sizeof(wire_pairs) &&
                                     offsetof(wire_list, encoded) == offsetof(wire_texts, encoded)
                                 ? 1
                                 : -1];

#define PARTS(allowed)                                                                                                 \
    {                                                                                                                  \
        {.name = "key", .type = WIRE_STRING, .size = 1, .text = (allowed)}, {                                          \
            .name = "value", .type = WIRE_STRING, .size = 4, .text = (allowed), .offset = offsetof(wire_pair, value)   \
        }                                                                                                              \
    }
const wire_field wire_pair_parts[][2] = {PARTS(WIRE_ANY_OCTETS), PARTS(WIRE_UTF8), PARTS(WIRE_PRINTABLE),
                                         PARTS(WIRE_VCHAR)};
const wire_field wire_frame_item = {.name = "item", .type = WIRE_FRAME};

const char *wire_code_name(wire_code code) {
    static const char *const names[] = {"ok",           "truncated", "trailing", "bad-signature", "unknown-message",
                                        "bad-constant", "bad-text",  "too-long", "no-room",       "bad-relation",
                                        "not-set"};
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

const wire_schema *wire_schema_of(const wire_protocol *protocol, const void *message) {
    int kind = 0;
    memcpy(&kind, message, sizeof kind);
    return kind < 1 || (size_t)kind > protocol->message_count ? NULL : &protocol->messages[kind - 1];
}

const char *wire_kind_name(const wire_protocol *protocol, int kind) {
    const wire_schema *schema = wire_schema_of(protocol, &kind);
    return schema == NULL ? "unknown" : schema->name;
}

/* --- members */

static uint64_t get_number(const wire_field *field, const void *place) {
    switch (field->width) {
    case 1:
        return field->is_signed ? (uint64_t)(int64_t)*(const int8_t *)place : *(const uint8_t *)place;
    case 2:
        return field->is_signed ? (uint64_t)(int64_t)*(const int16_t *)place : *(const uint16_t *)place;
    case 4:
        return field->is_signed ? (uint64_t)(int64_t)*(const int32_t *)place : *(const uint32_t *)place;
    default:
        return *(const uint64_t *)place;
    }
}

static void set_number(const wire_field *field, void *place, uint64_t number) {
    switch (field->width) {
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
    wire_value value = {{0, NULL, {NULL, 0, NULL}}};
    switch (field->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        value.number = get_number(field, place);
        break;
    case WIRE_STRING:
    case WIRE_TOPIC:
        value.octets = wire_octets_of(((const wire_text *)place)->data, ((const wire_text *)place)->size);
        break;
    case WIRE_LIST:
    case WIRE_HASH:
    case WIRE_FRAMES:
        memcpy(&value.list, place, sizeof value.list);
        break;
    case WIRE_CONSTANT:
    case WIRE_RESERVED:
        break;
    default:
        value.octets = *(const wire_octets *)place;
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
        *(wire_text *)place = wire_text_view(value.octets);
        break;
    case WIRE_LIST:
    case WIRE_HASH:
    case WIRE_FRAMES:
        memcpy(place, &value.list, sizeof value.list);
        break;
    case WIRE_CONSTANT:
    case WIRE_RESERVED:
        break;
    default:
        *(wire_octets *)place = value.octets;
        break;
    }
}

/* --- numbers that depend on other fields */

size_t wire_measure(const wire_schema *schema, const wire_field *field, const void *message) {
    const wire_field *sibling = &schema->fields[field->measures[0]];
    const wire_value value = wire_get(sibling, (const uint8_t *)message + sibling->offset);
    return sibling->type == WIRE_MEASURED ? value.octets.size : value.list.count;
}

static uint64_t number_at(const wire_schema *schema, int place, const void *message) {
    const wire_field *field = &schema->fields[place];
    return field->measure_count != 0 ? wire_measure(schema, field, message)
                                     : wire_get(field, (const uint8_t *)message + field->offset).number;
}

bool wire_relations_hold(const wire_schema *schema, const wire_field *field, const void *message) {
    for (size_t index = 0; index < field->relation_count; index++) {
        const wire_relation *one = &field->relations[index];
        const uint64_t left = number_at(schema, one->left_place, message);
        const uint64_t right = one->right_place < 0 ? one->right : number_at(schema, one->right_place, message);
        const bool held[] = {left == right, left != right, left<right, left <= right, left> right, left >= right};
        if (!held[one->comparison]) {
            return false;
        }
    }
    return true;
}

/* --- lists */

size_t wire_stride(const wire_field *field) {
    if (field->type == WIRE_HASH) {
        return sizeof(wire_pair);
    }
    switch (field->item->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        return sizeof(uint64_t);
    case WIRE_LIST:
    case WIRE_HASH:
        return sizeof(wire_list);
    default:
        return sizeof(wire_octets);
    }
}

size_t wire_count(const wire_field *field, const void *place) { return wire_get(field, place).list.count; }

/* The parts of the next item of a decoded list. */
static bool read_parts(const wire_encoded *encoded, size_t count, wire_cursor *cursor, wire_value *parts) {
    wire_position from = {encoded->data, encoded->size, cursor->offset, 0, WIRE_OK, true};
    for (size_t index = 0; index < count; index++) {
        if (encoded->data == NULL || encoded->item == NULL || !wire_read(&from, &encoded->item[index], &parts[index])) {
            return false;
        }
    }
    cursor->offset = from.at;
    cursor->index++;
    return true;
}

bool wire_next(const wire_field *field, const void *place, wire_cursor *cursor, wire_value *item) {
    const wire_list list = wire_get(field, place).list;
    const uint8_t *from = (const uint8_t *)list.items;
    if (cursor->index >= list.count) {
        return false;
    }
    if (from == NULL) {
        return read_parts(&list.encoded, wire_parts(field), cursor, item);
    }
    for (size_t index = 0; index < wire_parts(field); index++) {
        const wire_field *part = &field->item[index];
        item[index] = wire_get(part, from + cursor->index * wire_stride(field) + part->offset);
    }
    cursor->index++;
    return true;
}

uint64_t wire_fixed_number(const wire_encoded *encoded, size_t index) {
    const unsigned size = encoded->item->size;
    const uint64_t number = wire_load(encoded->data + index * size, size);
    const uint64_t sign = encoded->item->is_signed ? UINT64_C(1) << (8 * size - 1) : 0;
    return (number ^ sign) - sign;
}

static bool is_fixed(const wire_encoded *encoded) {
    return encoded->item != NULL && encoded->item->type == WIRE_NUMBER;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): names and types take none */
/* The next item of a list of `count` parts each: `from_parts` converts the parts of a decoded list. */
#define NEXT(function, list_type, item_type, count_of_parts, from_parts)                                               \
    bool function(const list_type *list, wire_cursor *cursor, item_type *item) {                                       \
        wire_value parts[2];                                                                                           \
        if (cursor->index >= list->count) {                                                                            \
            return false;                                                                                              \
        }                                                                                                              \
        if (list->items != NULL) {                                                                                     \
            *item = list->items[cursor->index++];                                                                      \
            return true;                                                                                               \
        }                                                                                                              \
        memset(parts, 0, sizeof parts);                                                                                \
        if (!read_parts(&list->encoded, count_of_parts, cursor, parts)) {                                              \
            return false;                                                                                              \
        }                                                                                                              \
        *item = (from_parts);                                                                                          \
        return true;                                                                                                   \
    }

/* The same for numbers, and the item of an index: constant time if all have one size, otherwise linear time. */
#define NUMBERS(next, at, list_type, item_type)                                                                        \
    static NEXT(next##_varint, list_type, item_type, 1, (item_type)parts[0].number) bool next(                         \
        const list_type *list, wire_cursor *cursor, item_type *item) {                                                 \
        if (list->items != NULL || !is_fixed(&list->encoded)) {                                                        \
            return next##_varint(list, cursor, item);                                                                  \
        }                                                                                                              \
        if (cursor->index >= list->count) {                                                                            \
            return false;                                                                                              \
        }                                                                                                              \
        *item = (item_type)wire_fixed_number(&list->encoded, cursor->index++);                                         \
        return true;                                                                                                   \
    }                                                                                                                  \
    item_type at(const list_type *list, size_t index) {                                                                \
        wire_cursor cursor = {0, 0};                                                                                   \
        item_type item = 0;                                                                                            \
        if (index >= list->count) {                                                                                    \
            return 0;                                                                                                  \
        }                                                                                                              \
        if (list->items != NULL || is_fixed(&list->encoded)) {                                                         \
            cursor.index = index;                                                                                      \
        }                                                                                                              \
        while (cursor.index <= index && next(list, &cursor, &item)) {                                                  \
        }                                                                                                              \
        return item;                                                                                                   \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

NUMBERS(wire_numbers_next, wire_numbers_at, wire_numbers, uint64_t)
NUMBERS(wire_integers_next, wire_integers_at, wire_integers, int64_t)
NEXT(wire_texts_next, wire_texts, wire_text, 1, wire_text_view(parts[0].octets))
NEXT(wire_blobs_next, wire_blobs, wire_octets, 1, parts[0].octets)
NEXT(wire_lists_next, wire_lists, wire_list, 1, parts[0].list)
NEXT(wire_pairs_next, wire_pairs, wire_pair, 2,
     ((wire_pair){wire_text_view(parts[0].octets), wire_text_view(parts[1].octets)}))
