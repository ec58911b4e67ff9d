/* Values of requests and answers, by the schema of the struct that holds them. */
#include "driver.h"

static bool is_shown(const wire_field *field) {
    return field->type != WIRE_CONSTANT && field->type != WIRE_RESERVED && field->measure_count == 0;
}

static uint64_t count_shown(const wire_field *fields, size_t count) {
    uint64_t shown = 0;
    for (; count != 0; count--) {
        shown += is_shown(&fields[count - 1]) ? 1 : 0;
    }
    return shown;
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
    case WIRE_FRAMES:
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

/* Limit the number to the range of the member; returns whether that changed it. */
static bool cut(const wire_field *field, uint64_t *number) {
    const uint64_t given = *number;
    uint64_t most;
    if (field->width == 0 || field->width == 8) {
        return false;
    }
    most = (UINT64_C(1) << (8U * field->width - (field->is_signed ? 1U : 0U))) - 1;
    if (field->is_signed) {
        const int64_t value = (int64_t)given;
        *number = value > (int64_t)most ? most : value < -(int64_t)most - 1 ? ~most : given;
    } else if (given > most) {
        *number = most;
    }
    return *number != given;
}

/* NOLINTNEXTLINE(misc-no-recursion): lists nest as deep as the schema does */
static bool take_list(driver_cursor *cursor, const wire_field *field, wire_list *list) {
    const size_t stride = wire_stride(field);
    const wire_field *beyond = NULL;
    uint64_t count = 0;
    uint8_t *items;
    if (!driver_number(cursor, 4, &count)) {
        return false;
    }
    list->count = (size_t)count;
    list->items = items = (uint8_t *)driver_allocate(cursor->arena, list->count, stride);
    for (size_t index = 0; index < list->count; index++) {
        for (size_t part = 0; part < wire_parts(field); part++) {
            const wire_field *one = &field->item[part];
            if (!driver_value(cursor, one, items + index * stride + one->offset, &beyond)) {
                return false;
            }
        }
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
bool driver_value(driver_cursor *cursor, const wire_field *field, void *place, const wire_field **beyond) {
    wire_value value = {{0, NULL, {NULL, 0, NULL}}};
    const char tag = tag_of(field);
    if (!take_tag(cursor, tag)) {
        return false;
    }
    if (!(tag == 'l' || tag == 'h'   ? take_list(cursor, field, &value.list)
          : tag == 'u' || tag == 'i' ? driver_number(cursor, 8, &value.number)
                                     : driver_blob(cursor, &value.octets))) {
        return false;
    }
    if (cut(field, &value.number) && *beyond == NULL) {
        *beyond = field;
    }
    wire_set(field, place, value);
    return true;
}

bool driver_build(driver_cursor *cursor, const wire_field *fields, size_t count, void *into,
                  const wire_field **beyond) {
    uint64_t given = 0;
    *beyond = NULL;
    if (!driver_number(cursor, 4, &given)) {
        return false;
    }
    if (given != count_shown(fields, count)) {
        return driver_fault(cursor, "wrong number of values");
    }
    for (size_t index = 0; index < count; index++) {
        const wire_field *field = &fields[index];
        if (is_shown(field) && !driver_value(cursor, field, (uint8_t *)into + field->offset, beyond)) {
            return false;
        }
    }
    return true;
}

void *driver_message(driver_cursor *cursor, const wire_protocol *protocol, const wire_schema *schema,
                     const wire_field **beyond) {
    uint8_t *message = (uint8_t *)driver_allocate(cursor->arena, protocol->message_size, 1);
    memcpy(message, &schema->kind, sizeof schema->kind);
    return driver_build(cursor, schema->fields, schema->field_count, message + protocol->body_offset, beyond) ? message
                                                                                                              : NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_value(driver_buffer *answer, const wire_field *field, const wire_value *value) {
    const char tag = tag_of(field);
    wire_cursor cursor = {0, 0};
    wire_value parts[2];
    memset(parts, 0, sizeof parts);
    driver_put_octet(answer, (unsigned)tag);
    if (tag == 'u' || tag == 'i') {
        driver_put_number(answer, 8, value->number);
    } else if (tag != 'l' && tag != 'h') {
        driver_put_blob(answer, value->octets);
    } else {
        driver_put_number(answer, 4, value->list.count);
        while (wire_next(field, &value->list, &cursor, parts)) {
            for (size_t index = 0; index < wire_parts(field); index++) {
                put_value(answer, &field->item[index], &parts[index]);
            }
        }
    }
}

void driver_put_values(driver_buffer *answer, const wire_schema *schema, const void *message) {
    driver_put_number(answer, 4, count_shown(schema->fields, schema->field_count));
    for (size_t index = 0; index < schema->field_count; index++) {
        const wire_field *field = &schema->fields[index];
        if (is_shown(field)) {
            const wire_value value = wire_get(field, (const uint8_t *)message + field->offset);
            put_value(answer, field, &value);
        }
    }
}
