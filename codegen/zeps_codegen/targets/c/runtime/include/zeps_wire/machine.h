/** @file
 * The engine under the machines. A machine is its table: in this state, at this event, if the guard holds, run these
 * steps and, if there is a next state, go there. Rows are tried in order. A row that stays runs neither what the state
 * does on leaving nor what it does on entering; the steps of one that goes already contain both, and the first
 * `before_at` of them run before the state changes.
 *
 * A machine handles one event at a time, and belongs to one thread at a time: from inside an action, sending included,
 * whose row is only half done, it takes no other event (WIRE_UNHANDLED). The host keeps for later what it wants to do
 * next. An action that cannot do what was asked fails with an event, which is handled instead; should an action of that
 * one's row fail as well, and so on, then more than WIRE_RAISES_MAX events in turn are an error (WIRE_UNHANDLED).
 */
#ifndef ZEPS_WIRE_MACHINE_H
#define ZEPS_WIRE_MACHINE_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What became of an event. */
typedef enum wire_outcome {
    WIRE_TAKEN,
    WIRE_NOT_TAKEN,  /**< no guard held; nothing happened */
    WIRE_UNEXPECTED, /**< a message that the state does not take */
    WIRE_UNHANDLED,  /**< an event that the state does not take, or that comes from inside an action */
    WIRE_NO_MEMORY   /**< a variable's text could not be kept; the steps that were left did not run */
} wire_outcome;

/** Text or octets that a machine remembers; its own copy. */
typedef struct wire_string {
    char *data;
    size_t size;
    size_t capacity;
} wire_string;

/** Remember `text`. False if there is no memory: then nothing has changed. */
bool wire_string_set(wire_string *string, wire_text text);
bool wire_string_set_octets(wire_string *string, wire_octets octets);
/** Forget it, and give the memory back. */
void wire_string_free(wire_string *string);

/** What is remembered, until it is set again. */
static inline wire_text wire_string_text(const wire_string *string) {
    wire_text text;
    text.data = string->data;
    text.size = string->size;
    return text;
}
static inline wire_octets wire_string_octets(const wire_string *string) {
    return wire_octets_of(string->data, string->size);
}

typedef enum wire_event_kind { WIRE_EVENT_MESSAGE, WIRE_EVENT_METHOD, WIRE_EVENT_HOST } wire_event_kind;

/** An event. `message` is the kind of message that it carries, or 0; a method has parameters, members of a struct. */
typedef struct wire_event {
    const char *name;
    wire_event_kind kind;
    int message;
    const wire_field *parameters;
    size_t parameter_count;
    size_t struct_size;
} wire_event;

/** A step. `machine` is the machine, `input` what the event carries, or NULL. */
typedef struct wire_step {
    const char *name;
    void (*run)(void *machine, const void *input);
} wire_step;

/** A row. `guard` is the text of `holds`; `next` is WIRE_STAYS if the state does not change. */
typedef struct wire_row {
    int state;
    int event;
    int next;
    const char *guard;
    bool (*holds)(const void *machine, const void *input);
    const wire_step *steps;
    size_t step_count;
    size_t before_at;
} wire_row;

enum { WIRE_STAYS = -1, WIRE_NO_EVENT = -1, WIRE_EXHAUSTED = -2 };

/** How many events in turn host actions may fail with while one event is handled. */
enum { WIRE_RAISES_MAX = 8 };

typedef enum wire_variable_type {
    WIRE_VARIABLE_NUMBER,  /**< uint64_t */
    WIRE_VARIABLE_BOOLEAN, /**< bool */
    WIRE_VARIABLE_STRING,  /**< wire_string */
    WIRE_VARIABLE_OCTETS   /**< wire_string */
} wire_variable_type;

/** A variable, and where the machine's struct has it. */
typedef struct wire_variable {
    const char *name;
    wire_variable_type type;
    size_t offset;
} wire_variable;

/** A machine as data. The rows of state s and event e are `rows[first[i]]` to `rows[first[i + 1]]`, without the last,
 * where i is s * event_count + e. */
typedef struct wire_table {
    const char *name;
    const char *const *states;
    size_t state_count;
    const wire_event *events;
    size_t event_count;
    const char *const *actions; /**< the host's, in the order of its struct */
    size_t action_count;
    const wire_variable *variables;
    size_t variable_count;
    const wire_row *rows;
    const uint16_t *first;
} wire_table;

/** The name of a state or an event; "unknown" if there is no such one. */
const char *wire_state_name(const wire_table *table, int state);
const char *wire_event_name(const wire_table *table, int event);

/** What every machine begins with. `event` is the one that is being handled; `busy` as long as one is. */
typedef struct wire_machine {
    const wire_table *table;
    int state;
    int event;
    int failed;
    bool busy;
    bool terminated;
} wire_machine;

/** In the table's first state, with nothing to handle. */
void wire_machine_init(wire_machine *machine, const wire_table *table);

/** Handle an event that carries `input` (the message, the method's parameters, or NULL). Not from inside an action. */
wire_outcome wire_machine_handle(wire_machine *machine, int event, const void *input);

/** Called by the host from inside a host action: skip the steps that are left, then handle `event`. Anywhere else it
 * does nothing. */
static inline void wire_machine_fail(wire_machine *machine, int event) {
    if (machine->busy) {
        machine->failed = event;
    }
}

/** @cond: what steps and guards are made of */

/** `input`, if the present event carries a message. */
static inline const void *wire_machine_message(const wire_machine *machine, const void *input) {
    return machine->table->events[machine->event].message != 0 ? input : NULL;
}

static inline uint64_t wire_number(uint64_t value) { return value; }

static inline uint64_t wire_natural(int64_t value) { return value < 0 ? 0 : (uint64_t)value; }

static inline uint64_t wire_least(uint64_t value, uint64_t greatest) { return value < greatest ? value : greatest; }

static inline uint64_t wire_add(uint64_t left, uint64_t right, uint64_t greatest) {
    return right > UINT64_MAX - left ? greatest : wire_least(left + right, greatest);
}

static inline uint64_t wire_subtract(uint64_t left, uint64_t right) { return left > right ? left - right : 0; }
/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
