/* Encoding by schema: each field is checked, and then written if the buffer has space. */
#include "internal.h"
#include "zeps_wire/schema.h"

/* The output of an encoder. `size` is the total; nothing is written beyond the capacity. Unless `is_checked`, only
 * the size matters. */
typedef struct output {
    uint8_t *at;
    size_t space;
    size_t size;
    bool is_checked;
    wire_code code;
} output;

static bool refuse(output *to, wire_code code) {
    to->code = code;
    return false;
}

static void put(output *to, const void *octets, size_t size) {
    if (size > to->space) {
        to->space = 0;
    } else if (size != 0) {
        memcpy(to->at, octets, size);
        to->at += size;
        to->space -= size;
    }
    to->size = wire_plus(to->size, size);
}

static void put_number(output *to, unsigned size, uint64_t number) {
    if (size == 0) {
        return;
    }
    if (size <= to->space) {
        wire_store(to->at, size, number);
        to->at += size;
        to->space -= size;
    } else {
        to->space = 0;
    }
    to->size = wire_plus(to->size, size);
}

static void put_varint(output *to, uint64_t number) {
    for (; number > 0x7F; number >>= 7) {
        put_number(to, 1, number | 0x80);
    }
    put_number(to, 1, number);
}

static void put_zeros(output *to, size_t size) {
    for (; size != 0; size--) {
        put_number(to, 1, 0);
    }
}

/* Whether `size` bytes (if not 0) can hold the number. */
static bool fits(uint64_t number, unsigned size, bool is_signed) {
    const unsigned bits = 8 * size;
    if (size == 0 || size >= 8) {
        return true;
    }
    return is_signed ? (number + (UINT64_C(1) << (bits - 1))) >> bits == 0 : number >> bits == 0;
}

static bool check_size(output *to, size_t size, size_t wanted) {
    return !to->is_checked || size == wanted || refuse(to, size > wanted ? WIRE_TOO_LONG : WIRE_TRUNCATED);
}

/* Check a number, a length or a count against its limit and its size in bytes. */
static bool check_limit(output *to, const wire_field *field, uint64_t number) {
    const bool is_signed = field->is_signed && field->type == WIRE_NUMBER;
    return !to->is_checked || (!wire_is_beyond(field, number) && fits(number, field->size, is_signed)) ||
           refuse(to, WIRE_TOO_LONG);
}

static bool check_member(output *to, const wire_field *field, const wire_value *value) {
    return !to->is_checked || wire_is_member(field, value) || refuse(to, WIRE_BAD_CONSTANT);
}

static bool check_text(output *to, const wire_field *field, wire_octets octets) {
    return !to->is_checked || wire_is_text(octets.data, octets.size, field->text) || refuse(to, WIRE_BAD_TEXT);
}

static bool put_value(output *to, const wire_field *field, const wire_value *value);

static bool put_numbers(output *to, const wire_field *item, const wire_list *list) {
    const uint64_t *items = (const uint64_t *)list->items;
    wire_value value = {{0, NULL, {NULL, 0, NULL}}};
    for (size_t index = 0; index < list->count; index++) {
        value.number = items != NULL ? items[index] : wire_fixed_number(&list->encoded, index);
        if (!put_value(to, item, &value)) {
            return false;
        }
    }
    return true;
}

static bool put_list(output *to, const wire_field *field, const wire_list *list) {
    wire_cursor cursor = {0, 0};
    wire_value parts[2];
    memset(parts, 0, sizeof parts);
    if (!check_limit(to, field, list->count)) {
        return false;
    }
    put_number(to, field->size, list->count);
    if (field->type == WIRE_LIST && field->item->type == WIRE_NUMBER &&
        (list->items != NULL || list->encoded.item != NULL)) {
        return put_numbers(to, field->item, list);
    }
    while (wire_next(field, list, &cursor, parts)) {
        for (size_t index = 0; index < wire_parts(field); index++) {
            if (!put_value(to, &field->item[index], &parts[index])) {
                return false;
            }
        }
    }
    return check_size(to, cursor.index, list->count);
}

static bool put_value(output *to, const wire_field *field, const wire_value *value) {
    const uint64_t number = value->number;
    const wire_octets octets = value->octets;
    switch (field->type) {
    case WIRE_NUMBER:
        if (to->is_checked && wire_is_beyond(field, number)) {
            return refuse(to, WIRE_TOO_LONG);
        }
        if (!check_member(to, field, value) || !check_limit(to, field, number)) {
            return false;
        }
        put_number(to, field->size, number);
        return true;
    case WIRE_VARINT:
        if (!check_limit(to, field, number) || !check_member(to, field, value)) {
            return false;
        }
        put_varint(to, field->is_signed ? (number << 1) ^ (~(number >> 63) + 1) : number);
        return true;
    case WIRE_LIST:
    case WIRE_HASH:
        return put_list(to, field, &value->list);
    case WIRE_FIXED:
        put(to, octets.data, octets.size);
        return check_size(to, octets.size, field->octets);
    case WIRE_CONSTANT:
        put(to, field->constant, field->octets);
        return true;
    case WIRE_RESERVED:
        put_zeros(to, field->octets);
        return true;
    case WIRE_TOPIC:
        if (to->is_checked && octets.size != 0 && memchr(octets.data, 0, octets.size) != NULL) {
            return refuse(to, WIRE_BAD_TEXT);
        }
        put(to, octets.data, octets.size);
        put_zeros(to, 1);
        return check_text(to, field, octets);
    default:
        if (!check_member(to, field, value) || !check_text(to, field, octets) || !check_limit(to, field, octets.size)) {
            return false;
        }
        put_number(to, field->size, octets.size);
        put(to, octets.data, octets.size);
        return true;
    }
}

/* Check that all siblings of a number have the same length. Returns NULL, or the field that differs. */
static const wire_field *disagreeing(output *to, const wire_schema *schema, const uint8_t *message) {
    for (size_t place = 0; place < schema->field_count; place++) {
        const wire_field *field = &schema->fields[place];
        for (size_t index = 1; index < field->measure_count; index++) {
            const wire_field other = {.measures = &field->measures[index]};
            const size_t size = wire_measure(schema, &other, message);
            if (!check_size(to, size, wire_measure(schema, field, message))) {
                return &schema->fields[field->measures[index]];
            }
        }
    }
    return NULL;
}

/* Write the first frame. Returns NULL, or the invalid field; for a number that overflows, the field that it counts. */
static const wire_field *put_first(output *to, const wire_schema *schema, const uint8_t *message) {
    put(to, schema->head, schema->head_size);
    for (size_t index = 0; index < schema->field_count && !wire_is_apart(&schema->fields[index]); index++) {
        const wire_field *field = &schema->fields[index];
        const bool measures = field->measure_count != 0;
        wire_value value = wire_get(field, message + field->offset);
        if (measures) {
            value.number = wire_measure(schema, field, message);
        }
        if (!put_value(to, field, &value)) {
            return measures ? &schema->fields[field->measures[0]] : field;
        }
        if (to->is_checked && !wire_relations_hold(schema, field, message)) {
            (void)refuse(to, WIRE_BAD_RELATION);
            return field;
        }
    }
    return NULL;
}

/* Add the frames after the first, up to the capacity, and their number; `to` counts their bytes. Returns NULL, or the
 * invalid field. */
static const wire_field *put_frames(output *to, const wire_schema *schema, const uint8_t *message, wire_octets *frames,
                                    size_t space, size_t *count) {
    for (size_t index = 0; index < schema->field_count; index++) {
        const wire_field *field = &schema->fields[index];
        const bool is_one = field->type == WIRE_FRAME;
        const wire_value value = wire_get(field, message + field->offset);
        const wire_blobs blobs = is_one ? (wire_blobs){1, &value.octets, {NULL, 0, NULL}} : wire_blobs_of(value.list);
        wire_octets frame;
        wire_cursor cursor = {0, 0};
        if (!wire_is_apart(field)) {
            continue;
        }
        for (; wire_blobs_next(&blobs, &cursor, &frame); ++*count) {
            if (!check_limit(to, field, frame.size)) {
                return field;
            }
            to->size = wire_plus(to->size, frame.size);
            if (*count < space) {
                frames[*count] = frame;
            }
        }
        if (!check_size(to, cursor.index, cursor.index == 0 ? 1 : blobs.count)) {
            return field;
        }
    }
    return NULL;
}

size_t wire_size_message(const wire_schema *schema, const void *message) {
    output to = {NULL, 0, 0, false, WIRE_OK};
    size_t count = 1;
    (void)put_first(&to, schema, (const uint8_t *)message);
    (void)put_frames(&to, schema, (const uint8_t *)message, NULL, 0, &count);
    return to.size;
}

size_t wire_size(const wire_protocol *protocol, const void *message) {
    const wire_schema *schema = wire_schema_of(protocol, message);
    return schema == NULL ? 0 : wire_size_message(schema, (const uint8_t *)message + protocol->body_offset);
}

/* Encode the first frame. Its size is 0 if it cannot be encoded. */
static wire_code encode_first(const wire_schema *schema, const uint8_t *message, uint8_t *buffer, size_t capacity,
                              size_t *size, wire_error *error) {
    output to = {buffer, capacity, 0, true, WIRE_OK};
    const wire_field *wrong = disagreeing(&to, schema, message);
    wrong = wrong == NULL ? put_first(&to, schema, message) : wrong;
    *size = wrong == NULL ? to.size : 0;
    if (wrong != NULL) {
        return wire_refuse(error, to.code, schema->name, wrong->name, 0);
    }
    return to.size > capacity ? wire_refuse(error, WIRE_NO_ROOM, schema->name, NULL, 0) : WIRE_OK;
}

wire_code wire_encode_message(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                              size_t *size, wire_error *error) {
    const wire_field *last = schema->field_count == 0 ? NULL : &schema->fields[schema->field_count - 1];
    if (last != NULL && wire_is_apart(last)) {
        *size = 0;
        return wire_refuse(error, WIRE_TOO_LONG, schema->name, last->name, 0);
    }
    return encode_first(schema, (const uint8_t *)message, buffer, capacity, size, error);
}

wire_code wire_encode_parts(const wire_schema *schema, const void *message, uint8_t *buffer, size_t capacity,
                            wire_octets *frames, size_t *count, wire_error *error) {
    const size_t space = *count;
    output to = {NULL, 0, 0, true, WIRE_OK};
    size_t size = 0;
    const wire_code code = encode_first(schema, (const uint8_t *)message, buffer, capacity, &size, error);
    const wire_field *wrong;
    *count = 1;
    if (code != WIRE_OK && code != WIRE_NO_ROOM) {
        *count = 0;
        return code;
    }
    wrong = put_frames(&to, schema, (const uint8_t *)message, frames, space, count);
    if (wrong != NULL) {
        *count = 0;
        return wire_refuse(error, to.code, schema->name, wrong->name, 0);
    }
    if (code != WIRE_OK || *count > space) {
        return wire_refuse(error, WIRE_NO_ROOM, schema->name, NULL, 0);
    }
    frames[0] = wire_octets_of(buffer, size);
    return WIRE_OK;
}

wire_code wire_encode_frames(const wire_protocol *protocol, const void *message, uint8_t *buffer, size_t capacity,
                             wire_octets *frames, size_t *count, wire_error *error) {
    const wire_schema *schema = wire_schema_of(protocol, message);
    if (schema == NULL) {
        *count = 0;
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
    return wire_encode_parts(schema, (const uint8_t *)message + protocol->body_offset, buffer, capacity, frames, count,
                             error);
}
