/* Decoding by schema, field by field: rare cases, and errors. */
#include "internal.h"
#include "zeps_wire/schema.h"

enum { VARINT_OCTETS_MAX = 10 };

static bool refuse(wire_position *from, wire_code code) {
    from->code = code;
    return false;
}

/* Take `count` bytes, after a comparison with the remaining bytes. */
static bool take(wire_position *from, uint64_t count, const uint8_t **octets) {
    if (count > from->size - from->at) {
        return refuse(from, WIRE_TRUNCATED);
    }
    *octets = from->data + from->at;
    from->at += (size_t)count;
    return true;
}

static bool take_number(wire_position *from, unsigned size, uint64_t *number) {
    const uint8_t *at = NULL;
    if (!take(from, size, &at)) {
        return false;
    }
    *number = wire_load(at, size);
    return true;
}

static bool take_varint(wire_position *from, uint64_t *number) {
    uint64_t value = 0;
    for (unsigned index = 0; index < VARINT_OCTETS_MAX; index++) {
        const uint8_t *at = NULL;
        if (!take(from, 1, &at)) {
            return false;
        }
        if (index == VARINT_OCTETS_MAX - 1 && *at > 1) {
            return refuse(from, WIRE_TOO_LONG);
        }
        value |= (uint64_t)(*at & 0x7F) << (7 * index);
        if (*at < 0x80) {
            *number = value;
            return true;
        }
    }
    return refuse(from, WIRE_TOO_LONG);
}

static uint64_t extended(uint64_t number, unsigned size) {
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return (number ^ sign) - sign;
}

bool wire_is_beyond(const wire_field *field, uint64_t number) {
    if (!field->is_limited) {
        return false;
    }
    return field->is_signed ? (int64_t)number > (int64_t)field->max : number > field->max;
}

static bool within(wire_position *from, const wire_field *field, uint64_t number) {
    return !wire_is_beyond(field, number) || refuse(from, WIRE_TOO_LONG);
}

bool wire_is_member(const wire_field *field, const wire_value *value) {
    const wire_enumeration *all = field->enumeration;
    if (all == NULL) {
        return true;
    }
    if (all->flags) {
        return (value->number & ~all->mask) == 0;
    }
    for (size_t index = 0; index < all->count; index++) {
        if (field->type != WIRE_STRING ? all->numbers[index] == value->number
                                       : wire_text_equal(all->texts[index], wire_text_view(value->octets))) {
            return true;
        }
    }
    return false;
}

/* Check text against its class, and a value against its enumeration. */
static bool admitted(wire_position *from, const wire_field *field, const wire_value *value) {
    if (!from->is_known && !wire_is_text(value->octets.data, value->octets.size, field->text)) {
        return refuse(from, WIRE_BAD_TEXT);
    }
    return from->is_known || wire_is_member(field, value) || refuse(from, WIRE_BAD_CONSTANT);
}

static bool read_octets(wire_position *from, const wire_field *field, wire_value *value, uint64_t length) {
    if (!within(from, field, length) || !take(from, length, &value->octets.data)) {
        return false;
    }
    value->octets.size = (size_t)length;
    return admitted(from, field, value);
}

/* Constant bytes: a frame that ends within them is truncated if all its bytes match. */
static bool read_constant(wire_position *from, const uint8_t *wanted, size_t size) {
    const size_t left = from->size - from->at;
    const size_t seen = left < size ? left : size;
    if (seen != 0 && memcmp(from->data + from->at, wanted, seen) != 0) {
        return refuse(from, WIRE_BAD_CONSTANT);
    }
    from->at += seen;
    return seen == size || refuse(from, WIRE_TRUNCATED);
}

static bool read_topic(wire_position *from, const wire_field *field, wire_value *value) {
    const size_t left = from->size - from->at;
    const uint8_t *begin = from->data + from->at;
    const uint8_t *end = left == 0 ? NULL : (const uint8_t *)memchr(begin, 0, left);
    if (end == NULL) {
        return refuse(from, WIRE_TRUNCATED);
    }
    if (!read_octets(from, field, value, (uint64_t)(end - begin))) {
        return false;
    }
    from->at++;
    return true;
}

/* The minimum size of an item. */
static size_t least(const wire_field *field) {
    size_t sum = 0;
    for (size_t index = 0; index < wire_parts(field); index++) {
        const wire_field *part = &field->item[index];
        sum += part->type == WIRE_VARINT ? 1 : part->type == WIRE_FIXED ? part->octets : part->size;
    }
    return sum == 0 ? 1 : sum;
}

/* Whether items are numbers without checks, which can be skipped together. */
static bool is_plain(const wire_field *item) {
    return item->type == WIRE_NUMBER && !item->is_limited && item->enumeration == NULL;
}

static bool read_items(wire_position *from, const wire_field *field, uint64_t *count) {
    const size_t begin = from->at;
    const uint8_t *octets = NULL;
    uint64_t done = 0;
    if (!field->is_open_ended && is_plain(field->item)) {
        return take(from, *count * field->item->size, &octets);
    }
    for (; field->is_open_ended ? from->at < from->size : done < *count; done++) {
        if (field->is_open_ended && !within(from, field, done + 1)) {
            from->start = begin;
            return false;
        }
        for (size_t index = 0; index < wire_parts(field); index++) {
            wire_value value = {{0, NULL, {NULL, 0, NULL}}};
            if (!wire_read(from, &field->item[index], &value)) {
                return false;
            }
        }
    }
    *count = done;
    return true;
}

/* If a sibling has the count, it is in `value`. */
static bool read_list(wire_position *from, const wire_field *field, wire_value *value) {
    uint64_t count = value->list.count;
    size_t begin;
    if (field->size != 0 && !take_number(from, field->size, &count)) {
        return false;
    }
    if (!field->is_open_ended && !within(from, field, count)) {
        return false;
    }
    if (!field->is_open_ended && count > (from->size - from->at) / least(field)) {
        return refuse(from, WIRE_TRUNCATED);
    }
    begin = from->at;
    if (!read_items(from, field, &count)) {
        return false;
    }
    value->list.count = (size_t)count;
    value->list.encoded.data = from->data + begin;
    value->list.encoded.size = from->at - begin;
    value->list.encoded.item = field->item;
    return true;
}

bool wire_read(wire_position *from, const wire_field *field, wire_value *value) {
    uint64_t length = 0;
    from->start = from->at;
    switch (field->type) {
    case WIRE_NUMBER:
    case WIRE_VARINT:
        if (!(field->type == WIRE_NUMBER ? take_number(from, field->size, &value->number)
                                         : take_varint(from, &value->number))) {
            return false;
        }
        if (field->is_signed) {
            value->number = field->type == WIRE_NUMBER ? extended(value->number, field->size)
                                                       : (value->number >> 1) ^ (~(value->number & 1) + 1);
        }
        return within(from, field, value->number) && admitted(from, field, value);
    case WIRE_STRING:
    case WIRE_CHUNK:
        return take_number(from, field->size, &length) && read_octets(from, field, value, length);
    case WIRE_FIXED:
        return read_octets(from, field, value, field->octets);
    case WIRE_MEASURED: /* its sibling has set the size */
        return read_octets(from, field, value, value->octets.size);
    case WIRE_REST:
        return read_octets(from, field, value, from->size - from->at);
    case WIRE_LIST:
    case WIRE_HASH:
        return read_list(from, field, value);
    case WIRE_RESERVED:
        return take(from, field->octets, &value->octets.data);
    case WIRE_TOPIC:
        return read_topic(from, field, value);
    case WIRE_CONSTANT:
        return read_constant(from, field->constant, field->octets);
    default:
        return refuse(from, WIRE_TRUNCATED);
    }
}

/* Set the counts and lengths of the siblings of a number. */
static void tell(const wire_schema *schema, const wire_field *field, uint8_t *message, uint64_t number) {
    const size_t count = number > SIZE_MAX ? SIZE_MAX : (size_t)number;
    for (size_t index = 0; index < field->measure_count; index++) {
        const wire_field *sibling = &schema->fields[field->measures[index]];
        wire_value value = {{0, NULL, {NULL, 0, NULL}}};
        if (sibling->type == WIRE_MEASURED) {
            value.octets.size = count;
        } else {
            value.list.count = count;
        }
        wire_set(sibling, message + sibling->offset, value);
    }
}

static bool read_field(wire_position *from, const wire_schema *schema, const wire_field *field, uint8_t *message) {
    void *place = message + field->offset;
    wire_value value = {{0, NULL, {NULL, 0, NULL}}};
    if (field->size == 0 && field->type >= WIRE_MEASURED && field->type <= WIRE_HASH) {
        value = wire_get(field, place); /* set by a sibling */
    }
    if (!wire_read(from, field, &value)) {
        return false;
    }
    if (field->measure_count != 0) {
        tell(schema, field, message, value.number);
    } else {
        wire_set(field, place, value);
    }
    return wire_relations_hold(schema, field, message) || refuse(from, WIRE_BAD_RELATION);
}

/* Set the field to its value in a frame that ends before it. */
static void fall_back(const wire_field *field, uint8_t *message) {
    const wire_value nothing = {{0, NULL, {NULL, 0, NULL}}};
    if (field->measure_count == 0) {
        wire_set(field, message + field->offset, field->fallback == NULL ? nothing : *field->fallback);
    }
}

/* One of `count` frames after the first, or all of them. */
static bool read_frames(wire_position *from, const wire_field *field, uint8_t *message, const wire_octets *frames,
                        size_t count, size_t *next) {
    wire_value value = {{0, NULL, {NULL, 0, NULL}}};
    const size_t first = *next;
    from->start = from->size;
    if (first >= count) {
        return refuse(from, WIRE_TRUNCATED);
    }
    *next = field->type == WIRE_FRAME ? first + 1 : count;
    if (field->type == WIRE_FRAME) {
        value.octets = frames[first];
    } else {
        value.list.count = count - first;
        value.list.items = frames + first;
    }
    wire_set(field, message + field->offset, value);
    for (count = first; count < *next; count++) {
        if (!within(from, field, frames[count].size)) {
            return false;
        }
    }
    return true;
}

static bool begins_with(const uint8_t *data, size_t size, const uint8_t *wanted, size_t count) {
    return size >= count && (count == 0 || memcmp(data, wanted, count) == 0);
}

static const wire_schema *find_constant(const wire_protocol *protocol, const uint8_t *data, size_t size,
                                        wire_code *code) {
    const wire_schema *found = NULL;
    *code = WIRE_UNKNOWN_MESSAGE;
    for (size_t index = 0; index < protocol->message_count; index++) {
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
    if (size == 0 || size - 1 < data[0]) {
        *code = WIRE_TRUNCATED;
        return NULL;
    }
    for (size_t index = 0; index < protocol->message_count; index++) {
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
    if (size <= at) {
        *code = WIRE_TRUNCATED;
        return NULL;
    }
    for (size_t index = 0; index < protocol->message_count; index++) {
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

int wire_find_kind(const wire_protocol *protocol, const uint8_t *data, size_t size) {
    const wire_schema *found = wire_find(protocol, data, size, NULL);
    return found == NULL ? 0 : found->kind;
}

wire_code wire_decode_unknown(const wire_protocol *protocol, void *message, const uint8_t *data, size_t size,
                              wire_error *error) {
    wire_error found = {WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0};
    (void)wire_find(protocol, data, size, &found);
    memset(message, 0, protocol->message_size);
    return wire_refuse(error, found.code, NULL, NULL, found.offset);
}

/* Read all fields of a message whose beginning is valid: those of the first frame, then the other frames. */
static wire_code read_message(const wire_schema *schema, uint8_t *message, const wire_octets *frames, size_t count,
                              wire_error *error) {
    const uint8_t *data = frames->data == NULL ? (const uint8_t *)"" : frames->data;
    wire_position from = {data, frames->size, schema->head_size, 0, WIRE_OK, false};
    const wire_field *field;
    size_t index;
    size_t next = 1;
    for (index = 0; index < schema->field_count && !wire_is_apart(&schema->fields[index]); index++) {
        field = &schema->fields[index];
        if (index >= schema->tail && from.at == from.size) {
            fall_back(field, message);
        } else if (!read_field(&from, schema, field, message)) {
            return wire_refuse(error, from.code, schema->name, field->name, from.start);
        }
    }
    if (from.at != from.size && !schema->is_extensible) {
        return wire_refuse(error, WIRE_TRAILING, schema->name, NULL, from.at);
    }
    for (; index < schema->field_count; index++) {
        field = &schema->fields[index];
        if (!read_frames(&from, field, message, frames, count, &next)) {
            return wire_refuse(error, from.code, schema->name, field->name, from.start);
        }
    }
    return next == count ? WIRE_OK : wire_refuse(error, WIRE_TRAILING, schema->name, NULL, from.size);
}

wire_code wire_decode_parts(const wire_protocol *protocol, const wire_schema *schema, void *message,
                            const wire_octets *frames, size_t count, wire_error *error) {
    wire_error found = {WIRE_UNKNOWN_MESSAGE, NULL, NULL, 0};
    wire_code code;
    memset(message, 0, schema->struct_size);
    if (count == 0) {
        return wire_refuse(error, WIRE_TRUNCATED, NULL, NULL, 0);
    }
    if (!begins_with(frames->data, frames->size, schema->head, schema->dispatch_size)) {
        (void)wire_find(protocol, frames->data, frames->size, &found);
        return wire_refuse(error, found.code, NULL, NULL, found.offset);
    }
    code = read_message(schema, (uint8_t *)message, frames, count, error);
    if (code != WIRE_OK) {
        memset(message, 0, schema->struct_size);
    }
    return code;
}

wire_code wire_decode_message(const wire_protocol *protocol, const wire_schema *schema, void *message,
                              const uint8_t *data, size_t size, wire_error *error) {
    const wire_octets frame = wire_octets_of(data, size);
    return wire_decode_parts(protocol, schema, message, &frame, 1, error);
}

wire_code wire_decode_frames(const wire_protocol *protocol, void *message, const wire_octets *frames, size_t count,
                             wire_error *error) {
    const wire_octets first = count == 0 ? wire_octets_of(NULL, 0) : frames[0];
    const wire_schema *schema = count == 0 ? NULL : wire_find(protocol, first.data, first.size, NULL);
    wire_code code;
    if (schema == NULL) {
        code = wire_decode_unknown(protocol, message, first.data, first.size, error);
        return count == 0 ? wire_refuse(error, WIRE_TRUNCATED, NULL, NULL, 0) : code;
    }
    code = wire_decode_parts(protocol, schema, (uint8_t *)message + protocol->body_offset, frames, count, error);
    if (code != WIRE_OK) {
        memset(message, 0, protocol->message_size);
    } else {
        memcpy(message, &schema->kind, sizeof schema->kind);
    }
    return code;
}
