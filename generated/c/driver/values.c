/* Values of requests and answers, by the schema of the struct that holds them. */
#include "driver.h"

bool driver_is_shown(const wire_field *field) {
    return field->type != WIRE_CONSTANT && field->type != WIRE_RESERVED && field->measure_count == 0;
}

static char tag_of(const wire_field *field) {
    switch (field->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        return field->is_signed ? 'i' : 'u';
    case WIRE_STRING:
    case WIRE_TOPIC:
        return 's';
    case WIRE_LIST:
        return 'l';
    case WIRE_HASH:
        return 'h';
    default:
        return 'b';
    }
}

static bool take_tag(driver_cursor *cursor, char wanted) {
    const uint8_t *tag = NULL;
    if (!driver_take(cursor, 1, &tag)) {
        return false;
    }
    return *tag == (uint8_t)wanted || driver_fault(cursor, "a value of another type");
}

static bool take_plain(driver_cursor *cursor, const wire_field *field, wire_value *value) {
    const char tag = tag_of(field);
    if (!take_tag(cursor, tag)) {
        return false;
    }
    return tag == 'u' || tag == 'i' ? driver_number(cursor, 8, &value->number) : driver_blob(cursor, &value->octets);
}

/* The number that the member holds which comes nearest; whether that is another one. */
static bool cut(const wire_field *field, uint64_t *number) {
    uint64_t most = UINT64_MAX;
    if (field->type != WIRE_NUMBER || field->size == 8) {
        return false;
    }
    most = (UINT64_C(1) << (8U * field->size - (field->is_signed ? 1U : 0U))) - 1;
    if (field->is_signed) {
        const int64_t value = (int64_t)*number;
        if (value > (int64_t)most) {
            *number = most;
        } else if (value < -(int64_t)most - 1) {
            *number = (uint64_t)(-(int64_t)most - 1);
        }
        return (int64_t)*number != value;
    }
    if (*number > most) {
        *number = most;
        return true;
    }
    return false;
}

static wire_text text_of(wire_octets octets) {
    wire_text text;
    text.data = (const char *)octets.data;
    text.size = octets.size;
    return text;
}

static bool take_items(driver_cursor *cursor, const wire_field *item, size_t count, void *items) {
    size_t index;
    for (index = 0; index < count; index++) {
        wire_value value = {0, {NULL, 0}};
        if (!take_plain(cursor, item, &value)) {
            return false;
        }
        if (item->type == WIRE_NUMBER || item->type == WIRE_VARINT) {
            if (item->is_signed) {
                ((int64_t *)items)[index] = (int64_t)value.number;
            } else {
                ((uint64_t *)items)[index] = value.number;
            }
        } else if (item->type == WIRE_STRING) {
            ((wire_text *)items)[index] = text_of(value.octets);
        } else {
            ((wire_octets *)items)[index] = value.octets;
        }
    }
    return true;
}

static bool build_list(driver_cursor *cursor, const wire_field *field, void *place) {
    const wire_field *item = field->item;
    const wire_encoded none = {NULL, 0, NULL};
    uint64_t count = 0;
    void *items;
    if (!take_tag(cursor, 'l') || !driver_number(cursor, 4, &count)) {
        return false;
    }
    items = driver_allocate(cursor->arena, (size_t)count, sizeof(wire_octets));
    if (!take_items(cursor, item, (size_t)count, items)) {
        return false;
    }
    if (item->type == WIRE_NUMBER || item->type == WIRE_VARINT) {
        if (item->is_signed) {
            *(wire_integers *)place = (wire_integers){(size_t)count, (const int64_t *)items, none};
        } else {
            *(wire_numbers *)place = (wire_numbers){(size_t)count, (const uint64_t *)items, none};
        }
    } else if (item->type == WIRE_STRING) {
        *(wire_texts *)place = (wire_texts){(size_t)count, (const wire_text *)items, none};
    } else {
        *(wire_blobs *)place = (wire_blobs){(size_t)count, (const wire_octets *)items, none};
    }
    return true;
}

static bool build_hash(driver_cursor *cursor, void *place) {
    uint64_t count = 0;
    size_t index;
    wire_pair *pairs;
    if (!take_tag(cursor, 'h') || !driver_number(cursor, 4, &count)) {
        return false;
    }
    pairs = (wire_pair *)driver_allocate(cursor->arena, (size_t)count, sizeof *pairs);
    for (index = 0; index < count; index++) {
        wire_octets parts[2];
        if (!take_tag(cursor, 's') || !driver_blob(cursor, &parts[0]) || !take_tag(cursor, 's') ||
            !driver_blob(cursor, &parts[1])) {
            return false;
        }
        pairs[index].key = text_of(parts[0]);
        pairs[index].value = text_of(parts[1]);
    }
    *(wire_pairs *)place = (wire_pairs){(size_t)count, pairs, {NULL, 0, NULL}};
    return true;
}

bool driver_build(driver_cursor *cursor, const wire_field *fields, size_t count, void *into,
                  const wire_field **beyond) {
    uint64_t given = 0;
    size_t shown = 0;
    size_t index;
    *beyond = NULL;
    for (index = 0; index < count; index++) {
        shown += driver_is_shown(&fields[index]) ? 1 : 0;
    }
    if (!driver_number(cursor, 4, &given)) {
        return false;
    }
    if (given != shown) {
        return driver_fault(cursor, "another number of values");
    }
    for (index = 0; index < count; index++) {
        const wire_field *field = &fields[index];
        void *place = (uint8_t *)into + field->offset;
        wire_value value = {0, {NULL, 0}};
        if (!driver_is_shown(field)) {
            continue;
        }
        if (field->type == WIRE_LIST || field->type == WIRE_HASH) {
            if (!(field->type == WIRE_LIST ? build_list(cursor, field, place) : build_hash(cursor, place))) {
                return false;
            }
            continue;
        }
        if (!take_plain(cursor, field, &value)) {
            return false;
        }
        if (cut(field, &value.number) && *beyond == NULL) {
            *beyond = field;
        }
        wire_set(field, place, value);
    }
    return true;
}

static void put_plain(driver_buffer *answer, const wire_field *field, const wire_value *value) {
    const char tag = tag_of(field);
    driver_put_octet(answer, (unsigned)tag);
    if (tag == 'u' || tag == 'i') {
        driver_put_number(answer, 8, value->number);
    } else {
        driver_put_blob(answer, value->octets);
    }
}

static void put_text(driver_buffer *answer, wire_text text) {
    driver_put_octet(answer, 's');
    driver_put_blob(answer, wire_octets_of(text.data, text.size));
}

static void put_list(driver_buffer *answer, const wire_field *field, const void *place) {
    wire_cursor cursor = {0, 0};
    wire_value value = {0, {NULL, 0}};
    wire_pair pair;
    driver_put_octet(answer, (unsigned)tag_of(field));
    driver_put_number(answer, 4, wire_count(field, place));
    if (field->type == WIRE_HASH) {
        while (wire_pairs_next((const wire_pairs *)place, &cursor, &pair)) {
            put_text(answer, pair.key);
            put_text(answer, pair.value);
        }
        return;
    }
    while (wire_next(field, place, &cursor, &value)) {
        put_plain(answer, field->item, &value);
    }
}

void driver_put_values(driver_buffer *answer, const wire_schema *schema, const void *message) {
    size_t index;
    size_t shown = 0;
    for (index = 0; index < schema->field_count; index++) {
        shown += driver_is_shown(&schema->fields[index]) ? 1 : 0;
    }
    driver_put_number(answer, 4, shown);
    for (index = 0; index < schema->field_count; index++) {
        const wire_field *field = &schema->fields[index];
        const void *place = (const uint8_t *)message + field->offset;
        if (!driver_is_shown(field)) {
            continue;
        }
        if (field->type == WIRE_LIST || field->type == WIRE_HASH) {
            put_list(answer, field, place);
        } else {
            const wire_value value = wire_get(field, place);
            put_plain(answer, field, &value);
        }
    }
}
