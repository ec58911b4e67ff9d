/* Decoding by schema, field by field: what is rare, and what is wrong. */
#include "internal.h"
#include "zeps_wire/schema.h"

enum { VARINT_OCTETS_MAX = 10 };

static bool refuse(wire_reader *reader, wire_code code) {
    reader->code = code;
    return false;
}

/* `count` octets, compared with what is left before anything else is done with them. */
static bool take(wire_reader *reader, uint64_t count, const uint8_t **octets) {
    if (count > reader->size - reader->at) {
        return refuse(reader, WIRE_TRUNCATED);
    }
    *octets = reader->data + reader->at;
    reader->at += (size_t)count;
    return true;
}

static bool take_number(wire_reader *reader, unsigned size, uint64_t *number) {
    const uint8_t *at = NULL;
    if (!take(reader, size, &at)) {
        return false;
    }
    switch (size) {
    case 1:
        *number = at[0];
        break;
    case 2:
        *number = wire_load2(at);
        break;
    case 4:
        *number = wire_load4(at);
        break;
    default:
        *number = wire_load8(at);
        break;
    }
    return true;
}

static uint64_t extended(uint64_t number, unsigned size) {
    switch (size) {
    case 1:
        return (uint64_t)(int64_t)(int8_t)(uint8_t)number;
    case 2:
        return (uint64_t)(int64_t)(int16_t)(uint16_t)number;
    case 4:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)number;
    default:
        return number;
    }
}

static bool take_varint(wire_reader *reader, uint64_t *number) {
    uint64_t value = 0;
    unsigned index;
    for (index = 0; index < VARINT_OCTETS_MAX; index++) {
        const uint8_t *at = NULL;
        if (!take(reader, 1, &at)) {
            return false;
        }
        if (index == VARINT_OCTETS_MAX - 1 && *at > 1) {
            return refuse(reader, WIRE_TOO_LONG);
        }
        value |= (uint64_t)(*at & 0x7F) << (7 * index);
        if (*at < 0x80) {
            *number = value;
            return true;
        }
    }
    return refuse(reader, WIRE_TOO_LONG);
}

static bool within(wire_reader *reader, const wire_field *field, uint64_t number) {
    if (!field->is_limited) {
        return true;
    }
    if (field->is_signed ? (int64_t)number > (int64_t)field->max : number > field->max) {
        return refuse(reader, WIRE_TOO_LONG);
    }
    return true;
}

static bool take_counted(wire_reader *reader, const wire_field *field, wire_octets *octets) {
    uint64_t length = 0;
    if (!take_number(reader, field->size, &length) || !within(reader, field, length) ||
        !take(reader, length, &octets->data)) {
        return false;
    }
    octets->size = (size_t)length;
    return true;
}

bool wire_read(wire_reader *reader, const wire_field *field, wire_value *value) {
    reader->start = reader->at;
    switch (field->type) {
    case WIRE_NUMBER:
        if (!take_number(reader, field->size, &value->number)) {
            return false;
        }
        value->number = field->is_signed ? extended(value->number, field->size) : value->number;
        return within(reader, field, value->number);
    case WIRE_VARINT:
        if (!take_varint(reader, &value->number)) {
            return false;
        }
        if (field->is_signed) {
            value->number = (value->number >> 1) ^ (~(value->number & 1) + 1);
        }
        return within(reader, field, value->number);
    case WIRE_STRING:
    case WIRE_CHUNK:
        return take_counted(reader, field, &value->octets);
    case WIRE_FIXED:
        value->octets.size = field->octets;
        return take(reader, field->octets, &value->octets.data);
    case WIRE_MEASURED: /* the sibling that measures it has set the size */
        return within(reader, field, value->octets.size) && take(reader, value->octets.size, &value->octets.data);
    case WIRE_REST:
        value->octets.size = reader->size - reader->at;
        return within(reader, field, value->octets.size) && take(reader, value->octets.size, &value->octets.data);
    default:
        return refuse(reader, WIRE_BAD_CONSTANT);
    }
}

static bool is_member(const wire_enumeration *all, bool is_text, const wire_value *value) {
    size_t index;
    if (is_text) {
        for (index = 0; all->texts != NULL && index < all->count; index++) {
            if (wire_octets_equal(wire_octets_of(all->texts[index].data, all->texts[index].size), value->octets)) {
                return true;
            }
        }
        return false;
    }
    if (all->flags) {
        return (value->number & ~all->mask) == 0;
    }
    for (index = 0; all->numbers != NULL && index < all->count; index++) {
        if (all->numbers[index] == value->number) {
            return true;
        }
    }
    return false;
}

static bool admits_text(wire_class text, wire_octets octets) {
    switch (text) {
    case WIRE_UTF8:
        return wire_is_utf8(octets.data, octets.size);
    case WIRE_PRINTABLE:
        return wire_is_printable(octets.data, octets.size);
    case WIRE_VCHAR:
        return wire_is_vchar(octets.data, octets.size);
    default:
        return true;
    }
}

wire_code wire_admits(const wire_field *field, const wire_value *value) {
    const bool is_text = field->type == WIRE_STRING || field->type == WIRE_TOPIC;
    if (is_text && !admits_text(field->text, value->octets)) {
        return WIRE_BAD_TEXT;
    }
    if (field->enumeration != NULL && !is_member(field->enumeration, is_text, value)) {
        return WIRE_BAD_CONSTANT;
    }
    return WIRE_OK;
}

static bool read_admitted(wire_reader *reader, const wire_field *field, wire_value *value) {
    if (!wire_read(reader, field, value)) {
        return false;
    }
    reader->code = wire_admits(field, value);
    return reader->code == WIRE_OK;
}

/* Octets that never vary: a frame that ends within them is truncated if it is right so far. */
static bool read_constant(wire_reader *reader, const uint8_t *wanted, size_t size) {
    const size_t left = reader->size - reader->at;
    const size_t seen = left < size ? left : size;
    if (seen != 0 && memcmp(reader->data + reader->at, wanted, seen) != 0) {
        return refuse(reader, WIRE_BAD_CONSTANT);
    }
    reader->at += seen;
    return seen == size || refuse(reader, WIRE_TRUNCATED);
}

static bool read_topic(wire_reader *reader, const wire_field *field, wire_value *value) {
    const size_t left = reader->size - reader->at;
    const uint8_t *end = left == 0 ? NULL : memchr(reader->data + reader->at, 0, left);
    if (end == NULL) {
        return refuse(reader, WIRE_TRUNCATED);
    }
    value->octets = wire_octets_of(reader->data + reader->at, (size_t)(end - reader->data) - reader->at);
    reader->at += value->octets.size + 1;
    reader->code = wire_admits(field, value);
    return reader->code == WIRE_OK;
}

/* The fewest octets of an item. */
static size_t least(const wire_field *item) {
    switch (item->type) {
    case WIRE_VARINT:
        return 1;
    case WIRE_FIXED:
        return item->octets == 0 ? 1 : item->octets;
    default:
        return item->size;
    }
}

static bool take_count(wire_reader *reader, const wire_field *field, size_t each, uint64_t *count) {
    if (field->size != 0 && !take_number(reader, field->size, count)) {
        return false;
    }
    if (!within(reader, field, *count)) {
        return false;
    }
    return *count <= (reader->size - reader->at) / each || refuse(reader, WIRE_TRUNCATED);
}

static void set_list(const wire_field *field, void *place, size_t count, wire_encoded encoded) {
    if (field->type == WIRE_HASH) {
        *(wire_pairs *)place = (wire_pairs){count, NULL, encoded};
        return;
    }
    switch (field->item->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        if (field->item->is_signed) {
            *(wire_integers *)place = (wire_integers){count, NULL, encoded};
        } else {
            *(wire_numbers *)place = (wire_numbers){count, NULL, encoded};
        }
        break;
    case WIRE_STRING:
        *(wire_texts *)place = (wire_texts){count, NULL, encoded};
        break;
    default:
        *(wire_blobs *)place = (wire_blobs){count, NULL, encoded};
        break;
    }
}

static bool read_item(wire_reader *reader, const wire_field *field) {
    wire_value value = {0, {NULL, 0}};
    if (field->type == WIRE_HASH) {
        return read_admitted(reader, &wire_key_of[field->text], &value) &&
               read_admitted(reader, &wire_content_of[field->text], &value);
    }
    return read_admitted(reader, field->item, &value);
}

static bool read_items(wire_reader *reader, const wire_field *field, uint64_t count) {
    for (; count != 0; count--) {
        if (!read_item(reader, field)) {
            return false;
        }
    }
    return true;
}

/* Items up to the end of the frame; one beyond the limit is not looked at. */
static bool read_to_the_end(wire_reader *reader, const wire_field *field, uint64_t *count) {
    const size_t begin = reader->at;
    for (*count = 0; reader->at < reader->size; ++*count) {
        if (field->is_limited && *count == field->max) {
            reader->start = begin;
            return refuse(reader, WIRE_TOO_LONG);
        }
        if (!read_item(reader, field)) {
            return false;
        }
    }
    return true;
}

static bool read_list(wire_reader *reader, const wire_field *field, void *place) {
    uint64_t count = field->size == 0 ? wire_count(field, place) : 0;
    size_t begin = reader->at;
    reader->start = begin;
    if (field->is_open_ended) {
        if (!read_to_the_end(reader, field, &count)) {
            return false;
        }
    } else {
        if (!take_count(reader, field, field->type == WIRE_HASH ? 5 : least(field->item), &count)) {
            return false;
        }
        begin = reader->at;
        if (!read_items(reader, field, count)) {
            return false;
        }
    }
    set_list(field, place, (size_t)count,
             (wire_encoded){reader->data + begin, reader->at - begin, field->type == WIRE_HASH ? NULL : field->item});
    return true;
}

/* A number that counts or measures siblings tells them. */
static void tell(const wire_schema *schema, const wire_field *field, uint8_t *message, uint64_t number) {
    const size_t count = number > SIZE_MAX ? SIZE_MAX : (size_t)number;
    size_t index;
    for (index = 0; index < field->measure_count; index++) {
        const wire_field *sibling = &schema->fields[field->measures[index]];
        if (sibling->type == WIRE_MEASURED) {
            *(wire_octets *)(void *)(message + sibling->offset) = wire_octets_of(NULL, count);
        } else {
            set_list(sibling, message + sibling->offset, count, (wire_encoded){NULL, 0, NULL});
        }
    }
}

static bool read_field(wire_reader *reader, const wire_schema *schema, const wire_field *field, uint8_t *message) {
    wire_value value = {0, {NULL, 0}};
    void *place = message + field->offset;
    reader->start = reader->at;
    switch (field->type) {
    case WIRE_CONSTANT:
        return read_constant(reader, field->constant, field->octets);
    case WIRE_RESERVED:
        return take(reader, field->octets, &value.octets.data);
    case WIRE_LIST:
    case WIRE_HASH:
        return read_list(reader, field, place);
    case WIRE_TOPIC:
        if (!read_topic(reader, field, &value)) {
            return false;
        }
        break;
    default:
        if (field->type == WIRE_MEASURED) {
            value = wire_get(field, place);
        }
        if (!read_admitted(reader, field, &value)) {
            return false;
        }
    }
    if (field->measure_count != 0) {
        tell(schema, field, message, value.number);
    } else {
        wire_set(field, place, value);
    }
    return true;
}

static bool begins_with(const uint8_t *data, size_t size, const uint8_t *wanted, size_t count) {
    return size >= count && (count == 0 || memcmp(data, wanted, count) == 0);
}

static const wire_schema *find_constant(const wire_protocol *protocol, const uint8_t *data, size_t size,
                                        wire_code *code) {
    const wire_schema *found = NULL;
    size_t index;
    *code = WIRE_UNKNOWN_MESSAGE;
    for (index = 0; index < protocol->message_count; index++) {
        const wire_schema *one = &protocol->messages[index];
        if (begins_with(data, size, one->head, one->dispatch_size)) {
            if (found == NULL || one->dispatch_size > found->dispatch_size) {
                found = one;
            }
        } else if (size < one->dispatch_size && begins_with(one->head, size, data, size)) {
            *code = WIRE_TRUNCATED;
        }
    }
    return found;
}

static const wire_schema *find_name(const wire_protocol *protocol, const uint8_t *data, size_t size, wire_code *code) {
    size_t index;
    if (size == 0 || size - 1 < data[0]) {
        *code = WIRE_TRUNCATED;
        return NULL;
    }
    for (index = 0; index < protocol->message_count; index++) {
        const wire_schema *one = &protocol->messages[index];
        if (one->dispatch_size == data[0] + 1U && begins_with(data, size, one->head, one->dispatch_size)) {
            return one;
        }
    }
    *code = WIRE_UNKNOWN_MESSAGE;
    return NULL;
}

static const wire_schema *find_id(const wire_protocol *protocol, const uint8_t *data, size_t size, size_t at,
                                  wire_code *code) {
    size_t index;
    if (size <= at) {
        *code = WIRE_TRUNCATED;
        return NULL;
    }
    for (index = 0; index < protocol->message_count; index++) {
        if (protocol->messages[index].id == data[at]) {
            return &protocol->messages[index];
        }
    }
    *code = WIRE_UNKNOWN_MESSAGE;
    return NULL;
}

const wire_schema *wire_find(const wire_protocol *protocol, const uint8_t *data, size_t size, wire_error *error) {
    const uint8_t signature[2] = {0xAA, protocol->signature};
    const wire_schema *found = NULL;
    wire_code code = WIRE_OK;
    size_t offset = 0;
    switch (protocol->dispatch) {
    case WIRE_BY_SIGNATURE:
        if (size != 0 && memcmp(data, signature, size < 2 ? size : 2) != 0) {
            code = WIRE_BAD_SIGNATURE;
            break;
        }
        offset = size < 2 ? 0 : 2;
        found = find_id(protocol, data, size, 2, &code);
        break;
    case WIRE_BY_OCTET:
        found = find_id(protocol, data, size, 0, &code);
        break;
    case WIRE_BY_NAME:
        found = find_name(protocol, data, size, &code);
        break;
    case WIRE_BY_CONSTANT:
        found = find_constant(protocol, data, size, &code);
        break;
    }
    if (found == NULL) {
        wire_refuse(error, code, NULL, NULL, offset);
    }
    return found;
}

wire_code wire_decode_message(const wire_protocol *protocol, const wire_schema *schema, void *message,
                              const uint8_t *data, size_t size, wire_error *error) {
    wire_reader reader = {data, size, 0, 0, WIRE_OK};
    wire_error unused;
    size_t index;
    memset(message, 0, schema->struct_size);
    if (!begins_with(data, size, schema->head, schema->dispatch_size)) {
        error = error == NULL ? &unused : error;
        if (wire_find(protocol, data, size, error) == NULL) {
            return error->code;
        }
        return wire_refuse(error, WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0);
    }
    reader.at = schema->head_size;
    for (index = 0; index < schema->field_count; index++) {
        if (!read_field(&reader, schema, &schema->fields[index], (uint8_t *)message)) {
            memset(message, 0, schema->struct_size);
            return wire_refuse(error, reader.code, schema->name, schema->fields[index].name, reader.start);
        }
    }
    if (reader.at != size) {
        memset(message, 0, schema->struct_size);
        return wire_refuse(error, WIRE_TRAILING, schema->name, NULL, reader.at);
    }
    return WIRE_OK;
}
