/* Encoding by schema: all is checked, then measured, then written once. */
#include "internal.h"
#include "zeps_wire/schema.h"

/* What a message is checked for. `overflow` is the first number or length beyond its octets: it counts only if
 * nothing else is wrong, so that every language names the same error. */
typedef struct checker {
    const wire_schema *schema;
    wire_code code;
    const char *field;
    const char *overflow;
} checker;

static bool refuse(checker *check, wire_code code, const wire_field *field) {
    check->code = code;
    check->field = field->name;
    return false;
}

static void overflow(checker *check, const wire_field *field) {
    if (check->overflow == NULL) {
        check->overflow = field->name;
    }
}

static bool is_beyond(const wire_field *field, uint64_t number) {
    if (!field->is_limited) {
        return false;
    }
    return field->is_signed ? (int64_t)number > (int64_t)field->max : number > field->max;
}

/* Whether `size` octets hold the number. */
static bool fits(uint64_t number, unsigned size, bool is_signed) {
    const unsigned bits = 8 * size;
    if (size >= 8) {
        return true;
    }
    if (is_signed) {
        const int64_t most = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
        return (int64_t)number <= most && (int64_t)number >= -most - 1;
    }
    return number >> bits == 0;
}

static bool check_size(checker *check, const wire_field *field, size_t size, size_t wanted) {
    if (size != wanted) {
        return refuse(check, size > wanted ? WIRE_TOO_LONG : WIRE_TRUNCATED, field);
    }
    return true;
}

static bool check_value(checker *check, const wire_field *field, const wire_value *value) {
    wire_code code;
    switch (field->type) {
    case WIRE_NUMBER:
        if (is_beyond(field, value->number)) {
            return refuse(check, WIRE_TOO_LONG, field);
        }
        if (!fits(value->number, field->size, field->is_signed)) {
            overflow(check, field);
        }
        break;
    case WIRE_VARINT:
        if (is_beyond(field, value->number)) {
            return refuse(check, WIRE_TOO_LONG, field);
        }
        break;
    case WIRE_FIXED:
        if (!check_size(check, field, value->octets.size, field->octets)) {
            return false;
        }
        break;
    default:
        break;
    }
    code = wire_admits(field, value);
    if (code != WIRE_OK) {
        return refuse(check, code, field);
    }
    if (field->type != WIRE_NUMBER && field->type != WIRE_VARINT && is_beyond(field, value->octets.size)) {
        return refuse(check, WIRE_TOO_LONG, field);
    }
    if ((field->type == WIRE_STRING || field->type == WIRE_CHUNK) && !fits(value->octets.size, field->size, false)) {
        overflow(check, field);
    }
    if (field->type == WIRE_TOPIC && value->octets.size != 0 &&
        memchr(value->octets.data, 0, value->octets.size) != NULL) {
        return refuse(check, WIRE_BAD_TEXT, field);
    }
    return true;
}

/* Items that are looked at one by one are refused one by one. */
static bool is_each(const wire_field *item) {
    if (item->type == WIRE_NUMBER) {
        return item->enumeration != NULL;
    }
    return item->type == WIRE_FIXED || item->is_limited || item->is_signed || item->enumeration != NULL ||
           (item->type == WIRE_STRING && item->text != WIRE_ANY_OCTETS);
}

static bool check_item(checker *check, const wire_field *list, const wire_field *item, const wire_value *value,
                       bool each) {
    if (!check_value(check, item, value) || (each && check->overflow == item->name)) {
        check->code = check->code == WIRE_OK ? WIRE_TOO_LONG : check->code;
        check->field = list->name;
        return false;
    }
    if (check->overflow == item->name) {
        check->overflow = list->name;
    }
    return true;
}

static wire_value value_of(wire_text text) {
    const wire_value value = {0, wire_octets_of(text.data, text.size)};
    return value;
}

static bool check_pairs(checker *check, const wire_field *field, const wire_pairs *pairs) {
    const wire_field *parts[2] = {&wire_key_of[field->text], &wire_content_of[field->text]};
    wire_cursor cursor = {0, 0};
    wire_pair pair;
    while (wire_pairs_next(pairs, &cursor, &pair)) {
        const wire_value values[2] = {value_of(pair.key), value_of(pair.value)};
        const bool each = field->text != WIRE_ANY_OCTETS;
        if (each && (wire_admits(parts[0], &values[0]) != WIRE_OK || wire_admits(parts[1], &values[1]) != WIRE_OK)) {
            return refuse(check, WIRE_BAD_TEXT, field);
        }
        if (!check_item(check, field, parts[0], &values[0], each) ||
            !check_item(check, field, parts[1], &values[1], each)) {
            return false;
        }
    }
    return cursor.index == pairs->count || refuse(check, WIRE_TRUNCATED, field);
}

static bool check_list(checker *check, const wire_field *field, const void *place) {
    const size_t count = wire_count(field, place);
    wire_cursor cursor = {0, 0};
    wire_value value = {0, {NULL, 0}};
    if (is_beyond(field, count)) {
        return refuse(check, WIRE_TOO_LONG, field);
    }
    if (field->size != 0 && !fits(count, field->size, false)) {
        overflow(check, field);
    }
    if (field->type == WIRE_HASH) {
        return check_pairs(check, field, (const wire_pairs *)place);
    }
    while (wire_next(field, place, &cursor, &value)) {
        if (!check_item(check, field, field->item, &value, is_each(field->item))) {
            return false;
        }
    }
    return cursor.index == count || refuse(check, WIRE_TRUNCATED, field);
}

/* What a field that counts or measures says of one of its siblings. */
static size_t measure(const wire_schema *schema, uint16_t index, const uint8_t *message) {
    const wire_field *sibling = &schema->fields[index];
    const void *place = message + sibling->offset;
    return sibling->type == WIRE_MEASURED ? ((const wire_octets *)place)->size : wire_count(sibling, place);
}

static bool check_measures(checker *check, const wire_field *field, const uint8_t *message) {
    size_t index;
    for (index = 1; index < field->measure_count; index++) {
        const size_t first = measure(check->schema, field->measures[0], message);
        const size_t other = measure(check->schema, field->measures[index], message);
        if (!check_size(check, &check->schema->fields[field->measures[index]], other, first)) {
            return false;
        }
    }
    return true;
}

static bool check_field(checker *check, const wire_field *field, const uint8_t *message) {
    const void *place = message + field->offset;
    wire_value value;
    if (field->type == WIRE_CONSTANT || field->type == WIRE_RESERVED) {
        return true;
    }
    if (field->type == WIRE_LIST || field->type == WIRE_HASH) {
        return check_list(check, field, place);
    }
    if (field->measure_count != 0) {
        /* what it cannot count is the fault of what it counts */
        wire_field counter = *field;
        counter.name = check->schema->fields[field->measures[0]].name;
        value.number = measure(check->schema, field->measures[0], message);
        value.octets = wire_octets_of(NULL, 0);
        return check_value(check, &counter, &value);
    }
    value = wire_get(field, place);
    return check_value(check, field, &value);
}

static bool check_message(checker *check, const uint8_t *message) {
    const wire_schema *schema = check->schema;
    size_t index = 0;
    if (schema->field_count != 0 && schema->fields[0].type == WIRE_TOPIC) {
        if (!check_field(check, schema->fields, message)) {
            return false;
        }
        index = 1;
    }
    for (; index < schema->field_count; index++) {
        if (!check_measures(check, &schema->fields[index], message)) {
            return false;
        }
    }
    for (index = 0; index < schema->field_count; index++) {
        if (!check_field(check, &schema->fields[index], message)) {
            return false;
        }
    }
    if (check->overflow != NULL) {
        check->code = WIRE_TOO_LONG;
        check->field = check->overflow;
        return false;
    }
    return true;
}

static size_t varint_size(uint64_t number) {
    size_t size = 1;
    for (; number > 0x7F; number >>= 7) {
        size++;
    }
    return size;
}

static uint64_t zigzag(const wire_field *field, uint64_t number) {
    return field->is_signed ? (number << 1) ^ (~(number >> 63) + 1) : number;
}

static size_t value_size(const wire_field *field, const wire_value *value) {
    switch (field->type) {
    case WIRE_NUMBER:
        return field->size;
    case WIRE_VARINT:
        return varint_size(zigzag(field, value->number));
    case WIRE_TOPIC:
        return value->octets.size + 1;
    case WIRE_CONSTANT:
    case WIRE_RESERVED:
        return field->octets;
    default:
        return field->size + value->octets.size;
    }
}

static size_t list_size(const wire_field *field, const void *place) {
    size_t size = field->size;
    wire_cursor cursor = {0, 0};
    wire_value value = {0, {NULL, 0}};
    wire_pair pair;
    if (field->type == WIRE_HASH) {
        while (wire_pairs_next((const wire_pairs *)place, &cursor, &pair)) {
            size += 5 + pair.key.size + pair.value.size;
        }
        return size;
    }
    if (field->item->type == WIRE_NUMBER) {
        return size + field->item->size * wire_count(field, place);
    }
    while (wire_next(field, place, &cursor, &value)) {
        size += value_size(field->item, &value);
    }
    return size;
}

static wire_value shown(const wire_schema *schema, const wire_field *field, const uint8_t *message) {
    wire_value value = {0, {NULL, 0}};
    if (field->measure_count != 0) {
        value.number = measure(schema, field->measures[0], message);
        return value;
    }
    return wire_get(field, message + field->offset);
}

size_t wire_size_message(const wire_schema *schema, const void *message) {
    const uint8_t *base = (const uint8_t *)message;
    size_t size = schema->head_size;
    size_t index;
    for (index = 0; index < schema->field_count; index++) {
        const wire_field *field = &schema->fields[index];
        if (field->type == WIRE_LIST || field->type == WIRE_HASH) {
            size += list_size(field, base + field->offset);
        } else {
            const wire_value value = shown(schema, field, base);
            size += value_size(field, &value);
        }
    }
    return size;
}

static uint8_t *write_number(uint8_t *at, unsigned size, uint64_t number) {
    switch (size) {
    case 0:
        break;
    case 1:
        wire_store1(at, (uint8_t)number);
        break;
    case 2:
        wire_store2(at, (uint16_t)number);
        break;
    case 4:
        wire_store4(at, (uint32_t)number);
        break;
    default:
        wire_store8(at, number);
        break;
    }
    return at + size;
}

static uint8_t *write_value(uint8_t *at, const wire_field *field, const wire_value *value) {
    uint64_t number;
    switch (field->type) {
    case WIRE_NUMBER:
        return write_number(at, field->size, value->number);
    case WIRE_VARINT:
        for (number = zigzag(field, value->number); number > 0x7F; number >>= 7) {
            *at++ = (uint8_t)(number | 0x80);
        }
        *at++ = (uint8_t)number;
        return at;
    case WIRE_CONSTANT:
        wire_copy(at, field->constant, field->octets);
        return at + field->octets;
    case WIRE_RESERVED:
        memset(at, 0, field->octets);
        return at + field->octets;
    case WIRE_STRING:
    case WIRE_CHUNK:
        at = write_number(at, field->size, value->octets.size);
        break;
    default:
        break;
    }
    wire_copy(at, value->octets.data, value->octets.size);
    at += value->octets.size;
    if (field->type == WIRE_TOPIC) {
        *at++ = 0;
    }
    return at;
}

static uint8_t *write_list(uint8_t *at, const wire_field *field, const void *place) {
    wire_cursor cursor = {0, 0};
    wire_value value = {0, {NULL, 0}};
    wire_pair pair;
    at = write_number(at, field->size, wire_count(field, place));
    if (field->type == WIRE_HASH) {
        while (wire_pairs_next((const wire_pairs *)place, &cursor, &pair)) {
            value = value_of(pair.key);
            at = write_value(at, &wire_key_of[field->text], &value);
            value = value_of(pair.value);
            at = write_value(at, &wire_content_of[field->text], &value);
        }
        return at;
    }
    while (wire_next(field, place, &cursor, &value)) {
        at = write_value(at, field->item, &value);
    }
    return at;
}

wire_code wire_encode_message(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                              size_t *size, wire_error *error) {
    const uint8_t *base = (const uint8_t *)message;
    checker check = {schema, WIRE_OK, NULL, NULL};
    uint8_t *at = buffer;
    size_t index;
    *size = 0;
    if (!check_message(&check, base)) {
        return wire_refuse(error, check.code, schema->name, check.field, 0);
    }
    *size = wire_size_message(schema, message);
    if (*size > capacity) {
        return wire_refuse(error, WIRE_NO_ROOM, schema->name, NULL, 0);
    }
    wire_copy(at, schema->head, schema->head_size);
    at += schema->head_size;
    for (index = 0; index < schema->field_count; index++) {
        const wire_field *field = &schema->fields[index];
        if (field->type == WIRE_LIST || field->type == WIRE_HASH) {
            at = write_list(at, field, base + field->offset);
        } else {
            const wire_value value = shown(schema, field, base);
            at = write_value(at, field, &value);
        }
    }
    return WIRE_OK;
}
