/* The engine: rows tried in order, steps run in order. */
#include "zeps_wire/machine.h"

#include <stdlib.h>

bool wire_string_set(wire_string *string, wire_text text) {
    if (text.size > string->capacity) {
        /* the text may lie in the old copy, which therefore stays until the new one is made */
        char *data = (char *)malloc(text.size);
        if (data == NULL) {
            return false;
        }
        memcpy(data, text.data, text.size);
        free(string->data);
        string->data = data;
        string->capacity = text.size;
    } else if (text.size != 0) {
        memmove(string->data, text.data, text.size);
    }
    string->size = text.size;
    return true;
}

bool wire_string_set_octets(wire_string *string, wire_octets octets) {
    return wire_string_set(string, wire_text_view(octets));
}

void wire_string_free(wire_string *string) {
    free(string->data);
    memset(string, 0, sizeof *string);
}

const char *wire_state_name(const wire_table *table, int state) {
    return state >= 0 && (size_t)state < table->state_count ? table->states[state] : "unknown";
}

const char *wire_event_name(const wire_table *table, int event) {
    return event >= 0 && (size_t)event < table->event_count ? table->events[event].name : "unknown";
}

void wire_machine_init(wire_machine *machine, const wire_table *table) {
    machine->table = table;
    machine->state = 0;
    machine->event = 0;
    machine->failed = WIRE_NO_EVENT;
    machine->busy = false;
    machine->terminated = false;
}

/* Run steps until one fails; false if one did. */
static bool run(wire_machine *machine, const wire_row *row, size_t begin, size_t end, const void *input) {
    for (; begin < end; begin++) {
        row->steps[begin].run(machine, input);
        if (machine->failed != WIRE_NO_EVENT) {
            return false;
        }
    }
    return true;
}

static bool take(wire_machine *machine, const wire_row *row, const void *input) {
    const size_t before = row->next == WIRE_STAYS ? row->step_count : row->before_at;
    machine->event = row->event;
    if (!run(machine, row, 0, before, input)) {
        return false;
    }
    if (row->next != WIRE_STAYS) {
        machine->state = row->next;
    }
    return run(machine, row, before, row->step_count, input);
}

/* The first row of the event whose guard holds; NULL if none does. `*any`: whether there was any. */
static const wire_row *find(const wire_machine *machine, int event, const void *input, bool *any) {
    const wire_table *table = machine->table;
    const size_t place = (size_t)machine->state * table->event_count + (size_t)event;
    uint16_t index;
    *any = table->first[place] != table->first[place + 1];
    for (index = table->first[place]; index < table->first[place + 1]; index++) {
        const wire_row *row = &table->rows[index];
        if (row->holds == NULL || row->holds(machine, input)) {
            return row;
        }
    }
    return NULL;
}

/* Whether an action can fail with the event: it has to be one that carries nothing. */
static bool is_bare(const wire_table *table, int event) {
    return event >= 0 && (size_t)event < table->event_count && table->events[event].message == 0 &&
           table->events[event].parameter_count == 0;
}

/* Handle the events that host actions fail with, one after the other. */
static wire_outcome recover(wire_machine *machine) {
    int raised;
    for (raised = 0; machine->failed != WIRE_EXHAUSTED; raised++) {
        const int event = machine->failed;
        const wire_row *row = NULL;
        bool any = false;
        if (raised < WIRE_RAISES_MAX && is_bare(machine->table, event)) {
            row = find(machine, event, NULL, &any);
        }
        if (row == NULL) {
            return WIRE_UNHANDLED;
        }
        machine->failed = WIRE_NO_EVENT;
        if (take(machine, row, NULL)) {
            return WIRE_TAKEN;
        }
    }
    return WIRE_NO_MEMORY;
}

wire_outcome wire_machine_handle(wire_machine *machine, int event, const void *input) {
    bool any = false;
    const wire_row *row;
    wire_outcome outcome = WIRE_TAKEN;
    if (machine->busy) {
        return WIRE_UNHANDLED;
    }
    row = find(machine, event, input, &any);
    if (row == NULL) {
        if (machine->table->events[event].kind == WIRE_EVENT_MESSAGE) {
            return WIRE_UNEXPECTED;
        }
        return any ? WIRE_NOT_TAKEN : WIRE_UNHANDLED;
    }
    machine->busy = true;
    if (!take(machine, row, input)) {
        outcome = recover(machine);
    }
    machine->busy = false;
    machine->failed = WIRE_NO_EVENT;
    return outcome;
}
