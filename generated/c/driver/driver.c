/* The answer to each request. */
#include "driver.h"

const wire_protocol *driver_protocol(wire_text name) {
    size_t index;
    for (index = 0; index < driver_protocol_count; index++) {
        if (wire_text_equal(wire_text_of(driver_protocols[index]->name), name)) {
            return driver_protocols[index];
        }
    }
    return NULL;
}

const wire_schema *driver_schema(const wire_protocol *protocol, wire_text name) {
    size_t index;
    for (index = 0; index < protocol->message_count; index++) {
        if (wire_text_equal(wire_text_of(protocol->messages[index].name), name)) {
            return &protocol->messages[index];
        }
    }
    return NULL;
}

bool driver_encode(driver_arena *arena, const wire_protocol *protocol, const void *message, wire_octets *frame,
                   wire_error *error) {
    size_t size = 0;
    uint8_t nothing = 0;
    uint8_t *octets = &nothing;
    wire_code code = protocol->encode(message, octets, 0, &size, error);
    if (code == WIRE_NO_ROOM) {
        const size_t capacity = size;
        octets = (uint8_t *)driver_allocate(arena, capacity, 1);
        code = protocol->encode(message, octets, capacity, &size, error);
    }
    *frame = wire_octets_of(octets, code == WIRE_OK ? size : 0);
    return code == WIRE_OK;
}

static void put_error(driver_buffer *answer, const wire_error *error) {
    driver_put_octet(answer, '-');
    driver_put_name(answer, wire_code_name(error->code));
    driver_put_name(answer, error->message);
    driver_put_name(answer, error->field);
}

static bool at_end(driver_cursor *cursor) {
    return cursor->at == cursor->size || driver_fault(cursor, "octets follow the request");
}

static const wire_protocol *take_protocol(driver_cursor *cursor) {
    wire_text name;
    const wire_protocol *protocol;
    if (!driver_name(cursor, &name)) {
        return NULL;
    }
    protocol = driver_protocol(name);
    if (protocol == NULL) {
        driver_fault(cursor, "no protocol is called that");
    }
    return protocol;
}

static bool inform(driver_cursor *cursor, driver_buffer *answer) {
    size_t index;
    if (!at_end(cursor)) {
        return false;
    }
    driver_put_octet(answer, 'I');
    driver_put_name(answer, "c");
    driver_put_number(answer, 4, driver_protocol_count + driver_machine_count);
    for (index = 0; index < driver_protocol_count; index++) {
        driver_put_name(answer, driver_protocols[index]->name);
    }
    for (index = 0; index < driver_machine_count; index++) {
        driver_put_name(answer, driver_machines[index].table->name);
    }
    return true;
}

static bool decode(driver_cursor *cursor, driver_buffer *answer) {
    const wire_protocol *protocol = take_protocol(cursor);
    const wire_schema *schema;
    wire_octets frame;
    wire_error error;
    uint8_t *message;
    uint8_t *body;
    if (protocol == NULL || !driver_blob(cursor, &frame) || !at_end(cursor)) {
        return false;
    }
    message = (uint8_t *)driver_allocate(cursor->arena, protocol->message_size, 1);
    if (protocol->decode(message, frame.data, frame.size, &error) != WIRE_OK) {
        put_error(answer, &error);
        return true;
    }
    schema = wire_schema_of(protocol, message);
    body = message + protocol->body_offset;
    driver_put_octet(answer, '+');
    driver_put_name(answer, schema->name);
    driver_put_values(answer, schema, body);
    if (!driver_encode(cursor->arena, protocol, message, &frame, &error)) {
        return driver_fault(cursor, "what was decoded does not encode");
    }
    driver_put_blob(answer, frame);
    return true;
}

static bool encode(driver_cursor *cursor, driver_buffer *answer) {
    const wire_protocol *protocol = take_protocol(cursor);
    const wire_schema *schema;
    wire_text name;
    wire_octets frame;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    uint8_t *message;
    size_t values;
    const wire_field *beyond = NULL;
    if (protocol == NULL || !driver_name(cursor, &name)) {
        return false;
    }
    values = cursor->at;
    if (!driver_skip_values(cursor) || !at_end(cursor)) {
        return false;
    }
    schema = driver_schema(protocol, name);
    if (schema == NULL) {
        return driver_fault(cursor, "no message is called that");
    }
    message = (uint8_t *)driver_allocate(cursor->arena, protocol->message_size, 1);
    memcpy(message, &schema->kind, sizeof schema->kind);
    cursor->at = values;
    if (!driver_build(cursor, schema->fields, schema->field_count, message + protocol->body_offset, &beyond)) {
        return false;
    }
    if (!driver_encode(cursor->arena, protocol, message, &frame, &error)) {
        put_error(answer, &error);
    } else if (beyond != NULL) {
        wire_refuse(&error, WIRE_TOO_LONG, schema->name, beyond->name, 0);
        put_error(answer, &error);
    } else {
        driver_put_octet(answer, '+');
        driver_put_blob(answer, frame);
    }
    return true;
}

static bool step(driver_cursor *cursor, driver_buffer *answer) {
    wire_text name;
    size_t index;
    if (!driver_name(cursor, &name)) {
        return false;
    }
    for (index = 0; index < driver_machine_count; index++) {
        if (wire_text_equal(wire_text_of(driver_machines[index].table->name), name)) {
            driver_put_octet(answer, '+');
            return driver_run(cursor, &driver_machines[index], answer) && at_end(cursor);
        }
    }
    return driver_fault(cursor, "no machine is called that");
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
        return decode(cursor, answer);
    case 'E':
        return encode(cursor, answer);
    case 'M':
        return step(cursor, answer);
    default:
        return driver_fault(cursor, "no request begins like this");
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
