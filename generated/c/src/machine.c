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
    wire_text text;
    text.data = (const char *)octets.data;
    text.size = octets.size;
    return wire_string_set(string, text);
}

void wire_string_free(wire_string *string) {
    free(string->data);
    memset(string, 0, sizeof *string);
}

void wire_machine_init(wire_machine *machine, const wire_table *table) {
    machine->table = table;
    machine->state = 0;
    machine->event = 0;
    machine->failed = WIRE_NO_EVENT;
    machine->terminated = false;
}

/* Run steps until one fails; false if one did. */
static bool run(wire_machine *machine, const wire_row *row, size_t begin, size_t end, const void *input) {
    for (; begin < end; begin++) {
        machine->event = row->event; /* the host may have had another one handled within the step before */
        row->steps[begin].run(machine, input);
        if (machine->failed != WIRE_NO_EVENT) {
            return false;
        }
    }
    return true;
}

static bool take(wire_machine *machine, const wire_row *row, const void *input) {
    const size_t before = row->next == WIRE_STAYS ? row->step_count : row->before_at;
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

wire_outcome wire_machine_handle(wire_machine *machine, int event, const void *input) {
    const wire_table *table = machine->table;
    const bool is_message = table->events[event].kind == WIRE_EVENT_MESSAGE;
    bool first = true;
    for (;;) {
        bool any = false;
        const wire_row *row = find(machine, event, input, &any);
        if (row == NULL) {
            if (first && is_message) {
                return WIRE_UNEXPECTED;
            }
            return first && any ? WIRE_NOT_TAKEN : WIRE_UNHANDLED;
        }
        if (take(machine, row, input)) {
            return WIRE_TAKEN;
        }
        event = machine->failed;
        machine->failed = WIRE_NO_EVENT;
        if (event < 0 || (size_t)event >= table->event_count) {
            return WIRE_NO_MEMORY;
        }
        input = NULL;
        first = false;
    }
}
