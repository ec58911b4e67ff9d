/* What the sources of this package share, and nobody else sees. */
#ifndef ZEPS_WIRE_INTERNAL_H
#define ZEPS_WIRE_INTERNAL_H

#include "zeps_wire/schema.h"

/* A position in bytes; `start` is where the value that is being read begins. What `is_known` was decoded before: only
 * its extent matters. */
typedef struct wire_position {
    const uint8_t *data;
    size_t size;
    size_t at;
    size_t start;
    wire_code code;
    bool is_known;
} wire_position;

/* Whether the field is one of the frames after the first; those stand behind all others. */
static inline bool wire_is_apart(const wire_field *field) {
    return field->type == WIRE_FRAME || field->type == WIRE_FRAMES;
}

/* A value, as its field says. The count or length that a sibling has is in `value`. */
bool wire_read(wire_position *from, const wire_field *field, wire_value *value);

/* Whether a number, length or count is beyond its field's limit. */
bool wire_is_beyond(const wire_field *field, uint64_t number);

/* Whether the value is a member of the field's enumeration, if it has one. */
bool wire_is_member(const wire_field *field, const wire_value *value);

/* Item number `index` of a decoded list of numbers that all have one size. */
uint64_t wire_fixed_number(const wire_encoded *encoded, size_t index);

/* What a field that counts or measures says of the first of its siblings. */
size_t wire_measure(const wire_schema *schema, const wire_field *field, const void *message);

/* Whether what has to hold once the field is known does. */
bool wire_relations_hold(const wire_schema *schema, const wire_field *field, const void *message);

#endif
