/* What the sources of this package share, and nobody else sees. */
#ifndef ZEPS_WIRE_INTERNAL_H
#define ZEPS_WIRE_INTERNAL_H

#include "zeps_wire/schema.h"

/* A position in octets; `start` is where the value that is being read begins. */
typedef struct wire_reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    size_t start;
    wire_code code;
} wire_reader;

/* A value's octets, as its field says, without a look at what text or an enumeration admits. */
bool wire_read(wire_reader *reader, const wire_field *field, wire_value *value);

/* What text or an enumeration admits. */
wire_code wire_admits(const wire_field *field, const wire_value *value);

/* The key and the value of a hash, as fields. */
extern const wire_field wire_key_of[];
extern const wire_field wire_content_of[];

#endif
