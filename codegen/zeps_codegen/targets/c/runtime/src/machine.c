/* The engine: rows are tried in order, and their steps run in order. */
#include "zeps_wire/machine.h"

#include <stdlib.h>

bool wire_string_set(wire_string *string, wire_text text) {
    if (text.size > string->capacity) {
        /* the text may be part of the old copy: release that after the new copy is made */
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

/* --- timers: the deadline of a stopped timer is UINT64_MAX */

static uint64_t *deadlines(wire_machine *machine) {
    return (uint64_t *)(void *)((uint8_t *)machine + machine->table->deadlines_at);
}

static void start(wire_machine *machine, size_t index) {
    const uint64_t milliseconds = machine->table->timers[index].milliseconds(machine, NULL);
    const bool runs = machine->has_clock && milliseconds != 0 && milliseconds < UINT64_MAX - machine->now;
    deadlines(machine)[index] = runs ? machine->now + milliseconds : UINT64_MAX;
}

/* Change the state: its timers run, and those of other states stop. */
static void enter(wire_machine *machine, int state) {
    const int before = machine->state;
    machine->state = state;
    for (size_t index = 0; index < machine->table->timer_count; index++) {
        const wire_timer *timer = &machine->table->timers[index];
        if (!timer->states[state]) {
            deadlines(machine)[index] = UINT64_MAX;
        } else if (!timer->states[before] || timer->since == WIRE_SINCE_ENTERED) {
            start(machine, index);
        }
    }
}

static void restart(wire_machine *machine, wire_since since) {
    for (size_t index = 0; index < machine->table->timer_count; index++) {
        const wire_timer *timer = &machine->table->timers[index];
        if (timer->since == since && timer->states[machine->state]) {
            start(machine, index);
        }
    }
}

void wire_machine_sends(wire_machine *machine, const wire_protocol *protocol, const void *message) {
    size_t count = 0;
    if (machine->table->timer_count != 0 &&
        wire_encode_frames(protocol, message, NULL, 0, NULL, &count, NULL) == WIRE_NO_ROOM) {
        restart(machine, WIRE_SINCE_SENT);
    }
}

/* The timer that is due first; the number of timers if all are stopped. */
static size_t next_timer(const wire_machine *machine, uint64_t *due) {
    const uint64_t *all = (const uint64_t *)(const void *)((const uint8_t *)machine + machine->table->deadlines_at);
    size_t found = machine->table->timer_count;
    *due = UINT64_MAX;
    for (size_t index = 0; index < machine->table->timer_count; index++) {
        if (all[index] < *due) {
            *due = all[index];
            found = index;
        }
    }
    return found;
}

bool wire_machine_deadline(const wire_machine *machine, uint64_t *deadline) {
    return next_timer(machine, deadline) != machine->table->timer_count;
}

/* --- rows */

void wire_machine_init(wire_machine *machine, const wire_table *table) {
    memset(machine, 0, sizeof *machine);
    machine->table = table;
    machine->failed = WIRE_NO_EVENT;
    machine->raised = WIRE_NO_EVENT;
    for (size_t index = 0; index < table->timer_count; index++) {
        deadlines(machine)[index] = UINT64_MAX;
    }
}

static bool set_event(wire_machine *machine, int *place, int event) {
    const wire_table *table = machine->table;
    if (!machine->busy || event < 0 || (size_t)event >= table->event_count || !table->events[event].is_internal) {
        return false;
    }
    *place = event;
    return true;
}

bool wire_machine_fail(wire_machine *machine, int event) { return set_event(machine, &machine->failed, event); }

bool wire_machine_raise(wire_machine *machine, int event) { return set_event(machine, &machine->raised, event); }

/* Run steps until an action fails; returns false in that case. */
static bool run(wire_machine *machine, const wire_row *row, size_t begin, size_t end, const void *input) {
    for (; begin < end; begin++) {
        row->steps[begin].run(machine, input);
        if (machine->failed != WIRE_NO_EVENT) {
            return false;
        }
    }
    return true;
}

/* Take a row. Returns the event that an action failed with or raised, WIRE_NO_EVENT, or WIRE_EXHAUSTED. */
static int take(wire_machine *machine, const wire_row *row, const void *input) {
    const size_t before = row->next == WIRE_STAYS ? row->step_count : row->before_at;
    const int from = machine->state;
    int following;
    machine->event = row->event;
    machine->raised = WIRE_NO_EVENT;
    if (run(machine, row, 0, before, input)) {
        if (row->next != WIRE_STAYS) {
            enter(machine, row->next);
        }
        (void)run(machine, row, before, row->step_count, input);
    }
    machine->table->taken(machine, from, row->event, machine->state);
    following = machine->failed != WIRE_NO_EVENT ? machine->failed
                : machine->terminated            ? WIRE_NO_EVENT
                                                 : machine->raised;
    machine->failed = WIRE_NO_EVENT;
    return following;
}

/* The first row of the event with a true guard, or NULL. `*any` is set if the event has rows. */
static const wire_row *find(const wire_machine *machine, int event, const void *input, bool *any) {
    const wire_table *table = machine->table;
    const size_t place = (size_t)machine->state * table->event_count + (size_t)event;
    *any = table->first[place] != table->first[place + 1];
    for (uint16_t index = table->first[place]; index < table->first[place + 1]; index++) {
        const wire_row *row = &table->rows[index];
        if (row->holds == NULL || row->holds(machine, input)) {
            return row;
        }
    }
    return NULL;
}

/* Take a row, and handle the events that its actions fail with or raise. */
static wire_outcome take_all(wire_machine *machine, const wire_row *row, const void *input) {
    bool any = false;
    int event = take(machine, row, input);
    for (int raised = 0; event >= 0; raised++) {
        row = raised < WIRE_RAISES_MAX ? find(machine, event, NULL, &any) : NULL;
        if (row == NULL) {
            return WIRE_UNHANDLED;
        }
        event = take(machine, row, NULL);
    }
    return event == WIRE_EXHAUSTED ? WIRE_NO_MEMORY : WIRE_TAKEN;
}

wire_outcome wire_machine_handle(wire_machine *machine, int event, const void *input) {
    const bool is_message = machine->table->events[event].kind == WIRE_EVENT_MESSAGE;
    bool any = false;
    const wire_row *row;
    wire_outcome outcome;
    if (machine->busy) {
        return WIRE_UNHANDLED;
    }
    if (is_message) {
        restart(machine, WIRE_SINCE_RECEIVED);
    }
    row = find(machine, event, input, &any);
    if (row == NULL) {
        return is_message ? WIRE_UNEXPECTED : any ? WIRE_NOT_TAKEN : WIRE_UNHANDLED;
    }
    machine->busy = true;
    outcome = take_all(machine, row, input);
    machine->busy = false;
    return outcome;
}

wire_outcome wire_machine_advance(wire_machine *machine, uint64_t now) {
    const wire_table *table = machine->table;
    const bool is_first = !machine->has_clock;
    wire_outcome outcome = WIRE_NOT_TAKEN;
    uint64_t due = 0;
    size_t index;
    if (machine->busy) {
        return WIRE_UNHANDLED;
    }
    machine->has_clock = true;
    machine->now = now > machine->now ? now : machine->now;
    for (index = 0; is_first && index < table->timer_count; index++) {
        if (table->timers[index].states[machine->state]) {
            start(machine, index);
        }
    }
    while ((index = next_timer(machine, &due)) != table->timer_count && due <= machine->now) {
        wire_outcome one;
        start(machine, index);
        one = wire_machine_handle(machine, table->timers[index].event, NULL);
        if (one != WIRE_TAKEN && one != WIRE_NOT_TAKEN) {
            return one;
        }
        outcome = one == WIRE_TAKEN ? one : outcome;
    }
    return outcome;
}
