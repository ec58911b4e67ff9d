/* A machine taken through the steps of a request, with a host that writes down what it is asked for. */
#include "driver.h"

typedef struct recorder {
    const driver_machine *kind;
    wire_machine *machine;
    driver_arena *arena;
    driver_buffer log;
    size_t count;
    int *armed;
    const void *spoiled; /* a message with a number that its field does not hold */
    bool refused;
} recorder;

static void note(recorder *host, const char *name, wire_octets frame) {
    driver_put_name(&host->log, name);
    driver_put_blob(&host->log, frame);
    host->count++;
}

void driver_send(void *context, const void *message) {
    recorder *host = (recorder *)context;
    wire_octets frame = {NULL, 0};
    if (message == NULL || message == host->spoiled ||
        !driver_encode(host->arena, host->kind->protocol, message, &frame, NULL)) {
        host->refused = true;
        frame.size = 0;
    }
    note(host, "send", frame);
}

void driver_unsendable(void *context, const wire_error *error) {
    (void)error;
    driver_send(context, NULL);
}

void driver_act(void *context, size_t action) {
    recorder *host = (recorder *)context;
    const int event = host->armed[action];
    note(host, host->kind->table->actions[action], wire_octets_of(NULL, 0));
    if (event != WIRE_NO_EVENT) {
        host->armed[action] = WIRE_NO_EVENT;
        wire_machine_fail(host->machine, event);
    }
}

static int event_called(const wire_table *table, wire_text name) {
    size_t index;
    for (index = 0; index < table->event_count; index++) {
        if (wire_text_equal(wire_text_of(table->events[index].name), name)) {
            return (int)index;
        }
    }
    return WIRE_NO_EVENT;
}

/* A method or an event of the host's: a message's event may have the same name. */
static int call_called(const wire_table *table, wire_text name) {
    size_t index;
    for (index = 0; index < table->event_count; index++) {
        const wire_event *event = &table->events[index];
        if (event->kind != WIRE_EVENT_MESSAGE && wire_text_equal(wire_text_of(event->name), name)) {
            return (int)index;
        }
    }
    return WIRE_NO_EVENT;
}

static char letter(wire_outcome outcome) {
    static const char letters[] = {'t', 'n', 'u', 'h', 'h'};
    return letters[outcome];
}

static bool receive(driver_cursor *cursor, recorder *host, char *outcome) {
    const wire_protocol *protocol = host->kind->protocol;
    wire_octets frame;
    void *message;
    if (!driver_blob(cursor, &frame)) {
        return false;
    }
    message = driver_allocate(cursor->arena, protocol->message_size, 1);
    *outcome = 'x';
    if (protocol->decode(message, frame.data, frame.size, NULL) == WIRE_OK) {
        *outcome = letter(host->kind->receive(host->machine, message));
    }
    return true;
}

static bool call(driver_cursor *cursor, recorder *host, char *outcome) {
    const wire_table *table = host->kind->table;
    const wire_protocol *protocol = host->kind->protocol;
    const wire_event *event;
    wire_text name;
    void *input = NULL;
    size_t values;
    const wire_field *beyond = NULL;
    int number;
    if (!driver_name(cursor, &name)) {
        return false;
    }
    values = cursor->at;
    if (!driver_skip_values(cursor)) {
        return false;
    }
    *outcome = 'x';
    number = call_called(table, name);
    if (number == WIRE_NO_EVENT) {
        return true;
    }
    event = &table->events[number];
    cursor->at = values;
    if (event->message != 0) {
        const wire_schema *schema = &protocol->messages[event->message - 1];
        uint8_t *message = (uint8_t *)driver_allocate(cursor->arena, protocol->message_size, 1);
        memcpy(message, &schema->kind, sizeof schema->kind);
        input = message;
        if (!driver_build(cursor, schema->fields, schema->field_count, message + protocol->body_offset, &beyond)) {
            return false;
        }
        host->spoiled = beyond != NULL ? message : NULL;
    } else {
        void *parameters = driver_allocate(cursor->arena, event->struct_size, 1);
        input = event->parameter_count == 0 ? NULL : parameters;
        if (!driver_build(cursor, event->parameters, event->parameter_count, parameters, &beyond)) {
            return false;
        }
    }
    *outcome = letter(wire_machine_handle(host->machine, number, input));
    return true;
}

static bool set_variable(driver_cursor *cursor, recorder *host, char *outcome) {
    static const uint8_t tags[] = {'u', 'u', 's', 'b'};
    const wire_table *table = host->kind->table;
    wire_text name;
    size_t index;
    size_t value;
    if (!driver_name(cursor, &name)) {
        return false;
    }
    value = cursor->at;
    if (!driver_skip_value(cursor)) {
        return false;
    }
    *outcome = 'x';
    for (index = 0; index < table->variable_count; index++) {
        const wire_variable *variable = &table->variables[index];
        void *place = (uint8_t *)host->machine + variable->offset;
        uint64_t number = 0;
        wire_octets octets = {NULL, 0};
        if (!wire_text_equal(wire_text_of(variable->name), name)) {
            continue;
        }
        if (cursor->data[value] != tags[variable->type]) {
            return driver_fault(cursor, "a value of another type");
        }
        *outcome = 'v';
        cursor->at = value + 1;
        if (tags[variable->type] == 'u') {
            if (!driver_number(cursor, 8, &number)) {
                return false;
            }
            if (variable->type == WIRE_VARIABLE_NUMBER) {
                *(uint64_t *)place = number;
            } else {
                *(bool *)place = number != 0;
            }
            return true;
        }
        return driver_blob(cursor, &octets) && wire_string_set_octets((wire_string *)place, octets);
    }
    return true;
}

static bool arm(driver_cursor *cursor, recorder *host, char *outcome) {
    const wire_table *table = host->kind->table;
    wire_text action;
    wire_text event;
    size_t index;
    int number;
    if (!driver_name(cursor, &action) || !driver_name(cursor, &event)) {
        return false;
    }
    *outcome = 'x';
    number = event_called(table, event);
    for (index = 0; index < table->action_count; index++) {
        if (number != WIRE_NO_EVENT && wire_text_equal(wire_text_of(table->actions[index]), action)) {
            host->armed[index] = number;
            *outcome = 'v';
        }
    }
    return true;
}

static bool step(driver_cursor *cursor, recorder *host, char *outcome) {
    const uint8_t *kind = NULL;
    if (!driver_take(cursor, 1, &kind)) {
        return false;
    }
    switch (*kind) {
    case 'm':
        return receive(cursor, host, outcome);
    case 'c':
        return call(cursor, host, outcome);
    case 'v':
        return set_variable(cursor, host, outcome);
    case 'f':
        return arm(cursor, host, outcome);
    default:
        return driver_fault(cursor, "no step begins like this");
    }
}

static void put_variables(driver_buffer *answer, const recorder *host) {
    const wire_table *table = host->kind->table;
    size_t index;
    driver_put_number(answer, 4, table->variable_count);
    for (index = 0; index < table->variable_count; index++) {
        const wire_variable *variable = &table->variables[index];
        const void *place = (const uint8_t *)host->machine + variable->offset;
        switch (variable->type) {
        case WIRE_VARIABLE_NUMBER:
            driver_put_octet(answer, 'u');
            driver_put_number(answer, 8, *(const uint64_t *)place);
            break;
        case WIRE_VARIABLE_BOOLEAN:
            driver_put_octet(answer, 'u');
            driver_put_number(answer, 8, *(const bool *)place ? 1 : 0);
            break;
        default:
            driver_put_octet(answer, variable->type == WIRE_VARIABLE_STRING ? 's' : 'b');
            driver_put_blob(answer, wire_string_octets((const wire_string *)place));
            break;
        }
    }
}

static void put_situation(driver_buffer *answer, const recorder *host, char outcome) {
    driver_put_octet(answer, host->refused ? 'e' : (unsigned)outcome);
    driver_put_name(answer, host->kind->table->states[host->machine->state]);
    driver_put_octet(answer, host->machine->terminated ? 1 : 0);
    put_variables(answer, host);
    driver_put_number(answer, 4, host->count);
    driver_put(answer, host->log.data, host->log.size);
}

static bool run_steps(driver_cursor *cursor, recorder *host, driver_buffer *answer) {
    uint64_t steps = 0;
    if (!driver_number(cursor, 4, &steps)) {
        return false;
    }
    for (; steps != 0; steps--) {
        char outcome = 'x';
        host->log.size = 0;
        host->count = 0;
        host->refused = false;
        host->spoiled = NULL;
        if (!step(cursor, host, &outcome)) {
            return false;
        }
        put_situation(answer, host, outcome);
    }
    return true;
}

bool driver_run(driver_cursor *cursor, const driver_machine *machine, driver_buffer *answer) {
    recorder host = {machine, NULL, cursor->arena, {NULL, 0, 0}, 0, NULL, NULL, false};
    size_t index;
    bool parsed;
    host.machine = (wire_machine *)driver_allocate(cursor->arena, machine->size, 1);
    host.armed = (int *)driver_allocate(cursor->arena, machine->table->action_count, sizeof(int));
    for (index = 0; index < machine->table->action_count; index++) {
        host.armed[index] = WIRE_NO_EVENT;
    }
    if (!machine->init(host.machine, &host)) {
        return driver_fault(cursor, "no memory");
    }
    parsed = run_steps(cursor, &host, answer);
    machine->free(host.machine);
    driver_free(&host.log);
    return parsed;
}
