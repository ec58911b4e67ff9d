/** @file
 * The engine under the machines. A machine is its table: in this state, at this event, if the guard holds, run these
 * steps and, if there is a next state, go there. Rows are tried in order. A row that stays runs neither what the state
 * does on leaving nor what it does on entering; the steps of one that goes already contain both, and the first
 * `before_at` of them run before the state changes.
 *
 * A machine handles one event at a time, and belongs to one thread at a time: from inside an action, sending included,
 * whose row is only half done, it takes no other event (WIRE_UNHANDLED). The host keeps for later what it wants to do
 * next. An action that cannot do what was asked fails with an event, which is handled instead of the steps that are
 * left; or it raises one, which is handled after the row. Should an action of that one's row do so as well, and so on,
 * then more than WIRE_RAISES_MAX events in turn are an error (WIRE_UNHANDLED).
 *
 * A timer counts the milliseconds of a clock that the host shows to the machine. It runs while the machine is in one of
 * the timer's states, and starts when the first of them is entered, or anew when a message is sent or received.
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

/** Text or bytes that a machine remembers; its own copy. */
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
static inline wire_octets wire_string_octets(const wire_string *string) {
    return wire_octets_of(string->data, string->size);
}
static inline wire_text wire_string_text(const wire_string *string) {
    return wire_text_view(wire_string_octets(string));
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
    bool is_internal; /**< whether actions may fail with it or raise it */
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

/** What a timer counts from. */
typedef enum wire_since { WIRE_SINCE_ENTERED, WIRE_SINCE_SENT, WIRE_SINCE_RECEIVED } wire_since;

/** A timer. It runs in the states for which `states` has a true; 0 milliseconds are never. */
typedef struct wire_timer {
    int event;
    wire_since since;
    const bool *states;
    uint64_t (*milliseconds)(const void *machine, const void *input);
} wire_timer;

/** A field of a message that the host fills before the message is sent: `field.offset` and `filled_at`, a bool, are in
 * the machine's struct. */
typedef struct wire_fillable {
    const char *message;
    wire_field field;
    size_t filled_at;
} wire_fillable;

enum { WIRE_STAYS = -1, WIRE_NO_EVENT = -1, WIRE_EXHAUSTED = -2 };

/** How many events in turn host actions may fail with or raise while one event is handled. */
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
    const wire_timer *timers;
    size_t timer_count;
    size_t deadlines_at; /**< where the machine's struct has a uint64_t for each of them */
    const wire_fillable *fillables;
    size_t fillable_count;
    void (*taken)(const void *machine, int from, int event, int to); /**< tells the host of a row */
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
    int raised;
    bool busy;
    bool terminated;
    bool has_clock;
    uint64_t now;
} wire_machine;

/** In the table's first state, with nothing to handle. */
void wire_machine_init(wire_machine *machine, const wire_table *table);

/** Handle an event that carries `input` (the message, the method's parameters, or NULL). Not from inside an action. */
wire_outcome wire_machine_handle(wire_machine *machine, int event, const void *input);

/** Called by the host from inside a host action: skip the steps that are left, then handle `event`. False, and nothing
 * happens, anywhere else and for an event that is not internal. */
bool wire_machine_fail(wire_machine *machine, int event);

/** The same, but finish the row first; the last event that its actions raise counts. */
bool wire_machine_raise(wire_machine *machine, int event);

/** The clock shows `now`, in milliseconds; one that goes back shows the same as before. Handle the events of the timers
 * that are due, each of which has started again by then. WIRE_NOT_TAKEN if no row was taken; not from inside an action.
 */
wire_outcome wire_machine_advance(wire_machine *machine, uint64_t now);

/** When the next timer is due. False if none runs, as before the clock was first shown. */
bool wire_machine_deadline(const wire_machine *machine, uint64_t *deadline);

/** @cond: what steps and guards are made of */

/** `input`, if the present event carries a message. */
static inline const void *wire_machine_message(const wire_machine *machine, const void *input) {
    return machine->table->events[machine->event].message != 0 ? input : NULL;
}

/** A message is sent: the timers that count from there start again, if it can be encoded. */
void wire_machine_sends(wire_machine *machine, const wire_protocol *protocol, const void *message);

/** The first thing that is wrong with a message. */
static inline void wire_fault(wire_error *error, bool is_wrong, wire_code code, const char *field) {
    if (is_wrong && error->code == WIRE_OK) {
        error->code = code;
        error->field = field;
    }
}

static inline uint64_t wire_fitting(wire_error *error, uint64_t value, uint64_t greatest, wire_code code,
                                    const char *field) {
    wire_fault(error, value > greatest, code, field);
    return value;
}

static inline wire_octets wire_sized(wire_error *error, wire_octets octets, size_t size, const char *field) {
    wire_fault(error, octets.size != size, octets.size > size ? WIRE_TOO_LONG : WIRE_TRUNCATED, field);
    return octets;
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
