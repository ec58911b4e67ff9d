/* Runs a machine through the steps of a request, with a host that records its calls. */
#include "driver.h"

typedef struct recorder {
    const driver_machine *kind;
    wire_machine *machine;
    driver_arena *arena;
    driver_buffer log;
    size_t count;
    int *failing;        /* the event that each action will fail with next */
    int *raising;        /* the event that each action will raise next */
    const void *spoiled; /* a message with a number beyond its field */
    bool *overfilled;    /* for each fillable field, whether its number is beyond the field */
    bool refused;
} recorder;

static void note(recorder *host, const char *name, wire_blobs frames) {
    driver_buffer sent = {NULL, 0, 0};
    driver_put_name(&host->log, name);
    if (frames.count > 1) {
        driver_put_frames(&sent, &frames);
    }
    driver_put_blob(&host->log, frames.count == 1 ? frames.items[0] : wire_octets_of(sent.data, sent.size));
    driver_free(&sent);
    host->count++;
}

/* Report and clear whether the message was filled with a number beyond its field. */
static bool was_overfilled(recorder *host, const wire_schema *schema) {
    const wire_table *table = host->kind->table;
    bool found = false;
    for (size_t index = 0; index < table->fillable_count; index++) {
        if (strcmp(table->fillables[index].message, schema->name) == 0) {
            found = found || host->overfilled[index];
            host->overfilled[index] = false;
        }
    }
    return found;
}

void driver_send(void *context, const void *message) {
    recorder *host = (recorder *)context;
    const wire_protocol *protocol = host->kind->protocol;
    wire_blobs frames = {0, NULL, {NULL, 0, NULL}};
    if (message == NULL || message == host->spoiled || was_overfilled(host, wire_schema_of(protocol, message)) ||
        !driver_encode(host->arena, protocol, message, &frames, NULL)) {
        host->refused = true;
        frames.count = 0;
    }
    note(host, "send", frames);
}

void driver_unsendable(void *context, const wire_error *error) {
    (void)error;
    driver_send(context, NULL);
}

void driver_act(void *context, size_t action) {
    recorder *host = (recorder *)context;
    const int failing = host->failing[action];
    const int raising = host->raising[action];
    host->failing[action] = host->raising[action] = WIRE_NO_EVENT;
    note(host, host->kind->table->actions[action], (wire_blobs){0, NULL, {NULL, 0, NULL}});
    if (raising != WIRE_NO_EVENT) {
        (void)wire_machine_raise(host->machine, raising);
    }
    if (failing != WIRE_NO_EVENT) {
        (void)wire_machine_fail(host->machine, failing);
    }
}

/* The internal event of that name, or else the event of a method or the host; a message's event may have the same name.
 */
static int event_called(const wire_table *table, wire_text name, bool is_internal) {
    for (size_t index = 0; index < table->event_count; index++) {
        const wire_event *event = &table->events[index];
        if ((is_internal ? event->is_internal : event->kind != WIRE_EVENT_MESSAGE) &&
            wire_text_equal(wire_text_of(event->name), name)) {
            return (int)index;
        }
    }
    return WIRE_NO_EVENT;
}

static char letter(wire_outcome outcome) {
    static const char letters[] = {'t', 'n', 'u', 'h', 'h'};
    return letters[outcome];
}

static bool receive(driver_cursor *cursor, recorder *host, char *outcome, bool is_multipart) {
    const wire_protocol *protocol = host->kind->protocol;
    wire_octets frame = {NULL, 0};
    wire_blobs frames = {1, &frame, {NULL, 0, NULL}};
    void *message;
    if (!(is_multipart ? driver_frames(cursor, &frames) : driver_blob(cursor, &frame))) {
        return false;
    }
    message = driver_allocate(cursor->arena, protocol->message_size, 1);
    *outcome = 'x';
    if (wire_decode_frames(protocol, message, frames.items, frames.count, NULL) == WIRE_OK) {
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
    size_t values = 0;
    const wire_field *beyond = NULL;
    int number;
    if (!driver_name(cursor, &name) || !driver_skip_values(cursor, &values)) {
        return false;
    }
    *outcome = 'x';
    number = event_called(table, name, false);
    if (number == WIRE_NO_EVENT) {
        return true;
    }
    event = &table->events[number];
    cursor->at = values;
    if (event->message != 0) {
        input = driver_message(cursor, protocol, &protocol->messages[event->message - 1], &beyond);
        if (input == NULL) {
            return false;
        }
        host->spoiled = beyond != NULL ? input : NULL;
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
    size_t value = 0;
    if (!driver_name(cursor, &name) || !driver_skip_value(cursor, &value)) {
        return false;
    }
    *outcome = 'x';
    for (size_t index = 0; index < table->variable_count; index++) {
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

static bool arm(driver_cursor *cursor, recorder *host, char *outcome, int *armed) {
    const wire_table *table = host->kind->table;
    wire_text action;
    wire_text event;
    int number;
    if (!driver_name(cursor, &action) || !driver_name(cursor, &event)) {
        return false;
    }
    *outcome = 'x';
    number = event_called(table, event, true);
    for (size_t index = 0; index < table->action_count; index++) {
        if (number != WIRE_NO_EVENT && wire_text_equal(wire_text_of(table->actions[index]), action)) {
            armed[index] = number;
            *outcome = 'v';
        }
    }
    return true;
}

static bool fill(driver_cursor *cursor, recorder *host, char *outcome) {
    const wire_table *table = host->kind->table;
    wire_text message;
    wire_text field;
    size_t value = 0;
    const wire_field *beyond = NULL;
    if (!driver_name(cursor, &message) || !driver_name(cursor, &field) || !driver_skip_value(cursor, &value)) {
        return false;
    }
    *outcome = 'x';
    for (size_t index = 0; index < table->fillable_count; index++) {
        const wire_fillable *one = &table->fillables[index];
        uint8_t *machine = (uint8_t *)host->machine;
        if (!wire_text_equal(wire_text_of(one->message), message) ||
            !wire_text_equal(wire_text_of(one->field.name), field)) {
            continue;
        }
        *outcome = 'v';
        cursor->at = value;
        *(bool *)(void *)(machine + one->filled_at) = true;
        if (!driver_value(cursor, &one->field, machine + one->field.offset, &beyond)) {
            return false;
        }
        host->overfilled[index] = beyond != NULL;
        return true;
    }
    return true;
}

static bool advance(driver_cursor *cursor, recorder *host, char *outcome) {
    uint64_t now = 0;
    if (!driver_number(cursor, 8, &now)) {
        return false;
    }
    *outcome = host->kind->table->timer_count == 0 ? 'x' : letter(wire_machine_advance(host->machine, now));
    return true;
}

static bool step(driver_cursor *cursor, recorder *host, char *outcome, char kind) {
    switch (kind) {
    case 'm':
    case 'a':
        return receive(cursor, host, outcome, kind == 'a');
    case 'c':
        return call(cursor, host, outcome);
    case 'v':
        return set_variable(cursor, host, outcome);
    case 'f':
        return arm(cursor, host, outcome, host->failing);
    case 'n':
        return arm(cursor, host, outcome, host->raising);
    case 'w':
        return fill(cursor, host, outcome);
    case 't':
        return advance(cursor, host, outcome);
    default:
        return driver_fault(cursor, "unknown kind of step");
    }
}

static void put_variables(driver_buffer *answer, const recorder *host) {
    const wire_table *table = host->kind->table;
    driver_put_number(answer, 4, table->variable_count);
    for (size_t index = 0; index < table->variable_count; index++) {
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
        const uint8_t *kind = NULL;
        uint64_t deadline = 0;
        char outcome = 'x';
        host->log.size = 0;
        host->count = 0;
        host->refused = false;
        host->spoiled = NULL;
        if (!driver_take(cursor, 1, &kind) || !step(cursor, host, &outcome, (char)*kind)) {
            return false;
        }
        put_situation(answer, host, outcome);
        if (*kind == 't' && outcome != 'x') {
            const bool runs = wire_machine_deadline(host->machine, &deadline);
            driver_put_octet(answer, runs ? 1 : 0);
            driver_put_number(answer, 8, runs ? deadline : 0);
        }
    }
    return true;
}

bool driver_run(driver_cursor *cursor, const driver_machine *machine, driver_buffer *answer) {
    const size_t count = machine->table->action_count;
    recorder host = {.kind = machine, .arena = cursor->arena};
    bool parsed;
    host.machine = (wire_machine *)driver_allocate(cursor->arena, machine->size, 1);
    host.failing = (int *)driver_allocate(cursor->arena, count, sizeof(int));
    host.raising = (int *)driver_allocate(cursor->arena, count, sizeof(int));
    host.overfilled = (bool *)driver_allocate(cursor->arena, machine->table->fillable_count, sizeof(bool));
    for (size_t index = 0; index < count; index++) {
        host.failing[index] = host.raising[index] = WIRE_NO_EVENT;
    }
    if (!machine->init(host.machine, &host)) {
        return driver_fault(cursor, "out of memory");
    }
    parsed = run_steps(cursor, &host, answer);
    machine->free(host.machine);
    driver_free(&host.log);
    return parsed;
}
