/** @file
 * The engine of the machines. A machine is a table: a row applies in a state, to an event, if its guard is
 * true; it runs its steps and changes to the next state, if it has one. Rows are tried in order. A row without a next
 * state runs neither the leaving nor the entering steps; the steps of a row with a next state include both, and the
 * first `before_at` of them run before the state changes.
 *
 * A machine handles one event at a time, and one thread at a time may use it. Inside an action (including sending) it
 * refuses other events (WIRE_UNHANDLED), because the row is not complete: the host must postpone them. An action may
 * fail with an event, which is handled instead of the remaining steps, or raise an event, which is handled after the
 * row. More than WIRE_RAISES_MAX of these events in turn are an error (WIRE_UNHANDLED).
 *
 * A timer counts the milliseconds of a clock that the host advances. It runs while the machine is in one of the timer's
 * states, and starts on the entry into the first of them, or again when a message is sent or received.
 */
#ifndef ZEPS_WIRE_MACHINE_H
#define ZEPS_WIRE_MACHINE_H

#include "zeps_wire/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The outcome of an event. */
typedef enum wire_outcome {
    WIRE_TAKEN,
    WIRE_NOT_TAKEN,  /**< no guard is true; the machine did not change */
    WIRE_UNEXPECTED, /**< a message that the state does not handle */
    WIRE_UNHANDLED,  /**< an event that the state does not handle, or from inside an action */
    WIRE_NO_MEMORY   /**< no memory for a variable's text; the remaining steps were skipped */
} wire_outcome;

/** Text or bytes of a variable; a copy. */
typedef struct wire_string {
    char *data;
    size_t size;
    size_t capacity;
} wire_string;

/** Copy `text` to the variable. Returns false, without a change, if memory is exhausted. */
bool wire_string_set(wire_string *string, wire_text text);
bool wire_string_set_octets(wire_string *string, wire_octets octets);
/** Clear the variable, and release its memory. */
void wire_string_free(wire_string *string);

/** The content of the variable, valid until it is set again. */
static inline wire_octets wire_string_octets(const wire_string *string) {
    return wire_octets_of(string->data, string->size);
}
static inline wire_text wire_string_text(const wire_string *string) {
    return wire_text_view(wire_string_octets(string));
}

typedef enum wire_event_kind { WIRE_EVENT_MESSAGE, WIRE_EVENT_METHOD, WIRE_EVENT_HOST } wire_event_kind;

/** An event. `message` is the kind of message that it carries, or 0; a method's parameters are members of a struct. */
typedef struct wire_event {
    const char *name;
    wire_event_kind kind;
    int message;
    const wire_field *parameters;
    size_t parameter_count;
    size_t struct_size;
    bool is_internal; /**< whether actions may fail with or raise it */
} wire_event;

/** A step. `machine` is the machine, `input` the event's data, or NULL. */
typedef struct wire_step {
    const char *name;
    void (*run)(void *machine, const void *input);
} wire_step;

/** A row. `guard` is the text of `holds`; `next` is WIRE_STAYS for a row without a next state. */
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

/** The start of a timer. */
typedef enum wire_since { WIRE_SINCE_ENTERED, WIRE_SINCE_SENT, WIRE_SINCE_RECEIVED } wire_since;

/** A timer. It runs in the states with a true element in `states`; 0 milliseconds disable it. */
typedef struct wire_timer {
    int event;
    wire_since since;
    const bool *states;
    uint64_t (*milliseconds)(const void *machine, const void *input);
} wire_timer;

/** A field that the host fills before its message is sent: `field.offset` and `filled_at`, a bool, are offsets in the
 * machine's struct. */
typedef struct wire_fillable {
    const char *message;
    wire_field field;
    size_t filled_at;
} wire_fillable;

enum { WIRE_STAYS = -1, WIRE_NO_EVENT = -1, WIRE_EXHAUSTED = -2 };

/** The maximum number of events that host actions may fail with or raise in turn while one event is handled. */
enum { WIRE_RAISES_MAX = 8 };

typedef enum wire_variable_type {
    WIRE_VARIABLE_NUMBER,  /**< uint64_t */
    WIRE_VARIABLE_BOOLEAN, /**< bool */
    WIRE_VARIABLE_STRING,  /**< wire_string */
    WIRE_VARIABLE_OCTETS   /**< wire_string */
} wire_variable_type;

/** A variable, and its offset in the machine's struct. */
typedef struct wire_variable {
    const char *name;
    wire_variable_type type;
    size_t offset;
} wire_variable;

/** A machine as data. The rows of state s and event e are `rows[first[i]]` to `rows[first[i + 1]]`, exclusive,
 * where i is s * event_count + e. */
typedef struct wire_table {
    const char *name;
    const char *const *states;
    size_t state_count;
    const wire_event *events;
    size_t event_count;
    const char *const *actions; /**< host actions, in the order of the host's struct */
    size_t action_count;
    const wire_variable *variables;
    size_t variable_count;
    const wire_row *rows;
    const uint16_t *first;
    const wire_timer *timers;
    size_t timer_count;
    size_t deadlines_at; /**< offset of the timers' deadlines, uint64_t, in the machine's struct */
    const wire_fillable *fillables;
    size_t fillable_count;
    void (*taken)(const void *machine, int from, int event, int to); /**< reports a row to the host */
} wire_table;

/** The name of a state or an event; "unknown" if it does not exist. */
const char *wire_state_name(const wire_table *table, int state);
const char *wire_event_name(const wire_table *table, int event);

/** The common beginning of all machines. `event` is the current event; `busy` is true while it is handled. */
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

/** Initialise the machine in the table's first state. */
void wire_machine_init(wire_machine *machine, const wire_table *table);

/** Handle an event with the data `input` (the message, the method's parameters, or NULL). Not for use in actions. */
wire_outcome wire_machine_handle(wire_machine *machine, int event, const void *input);

/** Skip the remaining steps of the row, then handle `event`. Only for calls from inside a host action. Returns false,
 * without any effect, outside an action and for an event that is not internal. */
bool wire_machine_fail(wire_machine *machine, int event);

/** The same, but complete the row first; the last event that its actions raise counts. */
bool wire_machine_raise(wire_machine *machine, int event);

/** Set the clock to `now`, in milliseconds; an earlier time than before counts as the same time. Handles the events of
 * the timers that are due, each after its timer has restarted. Returns WIRE_NOT_TAKEN if no row was taken. Not for use
 * in actions. */
wire_outcome wire_machine_advance(wire_machine *machine, uint64_t now);

/** The time at which the next timer is due. Returns false if all timers are stopped, also before the clock is set. */
bool wire_machine_deadline(const wire_machine *machine, uint64_t *deadline);

/** @cond: building blocks of steps and guards */

/** Returns `input` if the current event carries a message. */
static inline const void *wire_machine_message(const wire_machine *machine, const void *input) {
    return machine->table->events[machine->event].message != 0 ? input : NULL;
}

/** Record that a message is sent: restarts the timers that count from it, if the message can be encoded. */
void wire_machine_sends(wire_machine *machine, const wire_protocol *protocol, const void *message);

/** Record the first error of a message. */
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
