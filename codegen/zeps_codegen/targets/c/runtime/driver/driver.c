/* Answers requests. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): the name is reserved for this */
#include "driver.h"

#include <time.h>

static const wire_schema *find_schema(const wire_protocol *protocol, wire_text name) {
    for (size_t index = 0; index < protocol->message_count; index++) {
        if (wire_text_equal(wire_text_of(protocol->messages[index].name), name)) {
            return &protocol->messages[index];
        }
    }
    return NULL;
}

bool driver_is_multipart(const wire_schema *schema) {
    const wire_field *last = schema->field_count == 0 ? NULL : &schema->fields[schema->field_count - 1];
    return last != NULL && (last->type == WIRE_FRAME || last->type == WIRE_FRAMES);
}

bool driver_frames(driver_cursor *cursor, wire_blobs *frames) {
    wire_octets *items;
    uint64_t count = 0;
    if (!driver_number(cursor, 4, &count)) {
        return false;
    }
    if (count > (cursor->size - cursor->at) / 4) {
        return driver_fault(cursor, "a count exceeds the request");
    }
    frames->count = (size_t)count;
    frames->items = items = (wire_octets *)driver_allocate(cursor->arena, frames->count, sizeof *items);
    for (size_t index = 0; index < frames->count; index++) {
        if (!driver_blob(cursor, &items[index])) {
            return false;
        }
    }
    return true;
}

bool driver_encode(driver_arena *arena, const wire_protocol *protocol, const void *message, wire_blobs *frames,
                   wire_error *error) {
    const wire_schema *schema = wire_schema_of(protocol, message);
    const size_t total = wire_size(protocol, message);
    uint8_t *octets = (uint8_t *)driver_allocate(arena, total, 1);
    size_t size = 0;
    size_t count = 1;
    wire_octets *found;
    wire_code code;
    if (schema == NULL || !driver_is_multipart(schema)) {
        code = protocol->encode(message, octets, total, &size, error);
        found = (wire_octets *)driver_allocate(arena, 1, sizeof *found);
        found[0] = wire_octets_of(octets, size);
    } else {
        count = 0;
        (void)wire_encode_frames(protocol, message, octets, 0, NULL, &count, NULL);
        found = (wire_octets *)driver_allocate(arena, count, sizeof *found);
        code = wire_encode_frames(protocol, message, octets, total, found, &count, error);
    }
    *frames = (wire_blobs){code == WIRE_OK ? count : 0, found, {NULL, 0, NULL}};
    return code == WIRE_OK;
}

void driver_put_frames(driver_buffer *answer, const wire_blobs *frames) {
    for (size_t index = 0; index < frames->count; index++) {
        driver_put_blob(answer, frames->items[index]);
    }
}

static void put_error(driver_buffer *answer, const wire_error *error) {
    driver_put_octet(answer, '-');
    driver_put_name(answer, wire_code_name(error->code));
    driver_put_name(answer, error->message);
    driver_put_name(answer, error->field);
}

static bool at_end(driver_cursor *cursor) {
    return cursor->at == cursor->size || driver_fault(cursor, "bytes follow the request");
}

static const wire_protocol *take_protocol(driver_cursor *cursor) {
    wire_text name;
    if (!driver_name(cursor, &name)) {
        return NULL;
    }
    for (size_t index = 0; index < driver_protocol_count; index++) {
        if (wire_text_equal(wire_text_of(driver_protocols[index]->name), name)) {
            return driver_protocols[index];
        }
    }
    driver_fault(cursor, "unknown protocol");
    return NULL;
}

static bool inform(driver_cursor *cursor, driver_buffer *answer) {
    if (!at_end(cursor)) {
        return false;
    }
    driver_put_octet(answer, 'I');
    driver_put_name(answer, "c");
    driver_put_number(answer, 4, driver_protocol_count + driver_machine_count);
    for (size_t index = 0; index < driver_protocol_count; index++) {
        driver_put_name(answer, driver_protocols[index]->name);
    }
    for (size_t index = 0; index < driver_machine_count; index++) {
        driver_put_name(answer, driver_machines[index].table->name);
    }
    return true;
}

static bool decode(driver_cursor *cursor, driver_buffer *answer, bool is_multipart) {
    const wire_protocol *protocol = take_protocol(cursor);
    const wire_schema *schema;
    wire_octets frame = {NULL, 0};
    wire_blobs frames = {1, &frame, {NULL, 0, NULL}};
    wire_error error;
    uint8_t *message;
    if (protocol == NULL || !(is_multipart ? driver_frames(cursor, &frames) : driver_blob(cursor, &frame)) ||
        !at_end(cursor)) {
        return false;
    }
    message = (uint8_t *)driver_allocate(cursor->arena, protocol->message_size, 1);
    if ((is_multipart ? wire_decode_frames(protocol, message, frames.items, frames.count, &error)
                      : protocol->decode(message, frame.data, frame.size, &error)) != WIRE_OK) {
        put_error(answer, &error);
        return true;
    }
    schema = wire_schema_of(protocol, message);
    driver_put_octet(answer, '+');
    driver_put_name(answer, schema->name);
    driver_put_values(answer, schema, message + protocol->body_offset);
    if (!driver_encode(cursor->arena, protocol, message, &frames, &error)) {
        return driver_fault(cursor, "the decoded message cannot be encoded");
    }
    if (is_multipart) {
        driver_put_number(answer, 4, frames.count);
    }
    driver_put_frames(answer, &frames);
    return true;
}

static bool encode(driver_cursor *cursor, driver_buffer *answer, bool is_multipart) {
    const wire_protocol *protocol = take_protocol(cursor);
    const wire_schema *schema;
    wire_text name;
    wire_blobs frames;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    const void *message;
    size_t values = 0;
    const wire_field *beyond = NULL;
    if (protocol == NULL || !driver_name(cursor, &name) || !driver_skip_values(cursor, &values) || !at_end(cursor)) {
        return false;
    }
    schema = find_schema(protocol, name);
    if (schema == NULL) {
        return driver_fault(cursor, "unknown message");
    }
    if (!is_multipart && driver_is_multipart(schema)) {
        return driver_fault(cursor, "the message has several frames");
    }
    cursor->at = values;
    message = driver_message(cursor, protocol, schema, &beyond);
    if (message == NULL) {
        return false;
    }
    if (beyond != NULL) {
        wire_refuse(&error, beyond->enumeration == NULL || beyond->is_limited ? WIRE_TOO_LONG : WIRE_BAD_CONSTANT,
                    schema->name, beyond->name, 0);
        put_error(answer, &error);
    } else if (!driver_encode(cursor->arena, protocol, message, &frames, &error)) {
        put_error(answer, &error);
    } else {
        driver_put_octet(answer, '+');
        if (is_multipart) {
            driver_put_number(answer, 4, frames.count);
        }
        driver_put_frames(answer, &frames);
    }
    return true;
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Decode repeatedly. A decoder needs no memory except the caller's message, whose size this reports. */
static bool measure(driver_cursor *cursor, driver_buffer *answer) {
    const wire_protocol *protocol = take_protocol(cursor);
    uint64_t count = 0;
    wire_blobs frames;
    wire_code code = WIRE_TRUNCATED;
    if (protocol == NULL || !driver_number(cursor, 1, &count) || !driver_frames(cursor, &frames) || !at_end(cursor)) {
        return false;
    }
    void *message = driver_allocate(cursor->arena, protocol->message_size, 1);
    const uint64_t start = nanoseconds();
    for (uint64_t left = count; left != 0; left--) {
        code = frames.count == 1 ? protocol->decode(message, frames.items->data, frames.items->size, NULL)
                                 : wire_decode_frames(protocol, message, frames.items, frames.count, NULL);
    }
    const uint64_t elapsed = nanoseconds() - start;
    driver_put_octet(answer, code == WIRE_OK ? '+' : '-');
    driver_put_number(answer, 8, elapsed);
    driver_put_number(answer, 8, count * protocol->message_size);
    return true;
}

static bool step(driver_cursor *cursor, driver_buffer *answer) {
    wire_text name;
    if (!driver_name(cursor, &name)) {
        return false;
    }
    for (size_t index = 0; index < driver_machine_count; index++) {
        if (wire_text_equal(wire_text_of(driver_machines[index].table->name), name)) {
            driver_put_octet(answer, '+');
            return driver_run(cursor, &driver_machines[index], answer) && at_end(cursor);
        }
    }
    return driver_fault(cursor, "unknown machine");
}

static bool answer_to(driver_cursor *cursor, driver_buffer *answer) {
    const uint8_t *kind = NULL;
    if (!driver_take(cursor, 1, &kind)) {
        return false;
    }
    switch (*kind) {
    case 'I':
        return inform(cursor, answer);
    case 'D':
    case 'd':
        return decode(cursor, answer, *kind == 'd');
    case 'E':
    case 'e':
        return encode(cursor, answer, *kind == 'e');
    case 'b':
        return measure(cursor, answer);
    case 'M':
        return step(cursor, answer);
    default:
        return driver_fault(cursor, "unknown kind of request");
    }
}

void driver_handle(const uint8_t *request, size_t size, driver_buffer *answer) {
    driver_arena arena = {NULL};
    driver_cursor cursor = {request, size, 0, NULL, &arena};
    const size_t begin = answer->size;
    if (!answer_to(&cursor, answer)) {
        answer->size = begin;
        driver_put_octet(answer, '?');
        driver_put_name(answer, cursor.problem);
    }
    driver_release(&arena);
}
