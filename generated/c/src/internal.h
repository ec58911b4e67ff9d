/* Declarations for the sources of this package. */
#ifndef ZEPS_WIRE_INTERNAL_H
#define ZEPS_WIRE_INTERNAL_H

#include "zeps_wire/schema.h"

/* A position in bytes; `start` is the offset of the current value. If `is_known`, the bytes were decoded before, and
 * only the size of values matters. */
typedef struct wire_position {
    const uint8_t *data;
    size_t size;
    size_t at;
    size_t start;
    wire_code code;
    bool is_known;
} wire_position;

/* Whether the field is a separate frame; these fields come after all others. */
static inline bool wire_is_apart(const wire_field *field) {
    return field->type == WIRE_FRAME || field->type == WIRE_FRAMES;
}

/* Read a value of the field. If a sibling has its count or length, that is in `value`. */
bool wire_read(wire_position *from, const wire_field *field, wire_value *value);

/* Whether a number, length or count is beyond its field's limit. */
bool wire_is_beyond(const wire_field *field, uint64_t number);

/* Whether the value is a member of the field's enumeration, if it has one. */
bool wire_is_member(const wire_field *field, const wire_value *value);

/* Item `index` of a decoded list of numbers of equal size. */
uint64_t wire_fixed_number(const wire_encoded *encoded, size_t index);

/* The count or length of the first sibling of a counting or measuring field. */
size_t wire_measure(const wire_schema *schema, const wire_field *field, const void *message);

/* Whether the relations that the field completes are true. */
bool wire_relations_hold(const wire_schema *schema, const wire_field *field, const void *message);

#endif
