/**
 * @file ZEPS server session.
 *
 * What a broker does for one client. The host keeps streams, subscriptions and the clock; the machine decides
 * what is legal, what is answered, and how much may be sent.
 */
#ifndef ZEPS_WIRE_ZEPS_SERVER_H
#define ZEPS_WIRE_ZEPS_SERVER_H

#include "zeps_wire/machine.h"
#include "zeps_wire/zeps.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The states of a session; the first is the initial state. */
typedef enum zeps_server_state {
    /** No session. Only ATTACH is understood. */
    ZEPS_SERVER_IN_START,
    /** The client is attached to a stream. */
    ZEPS_SERVER_IN_OPEN,
    /**
     * DETACH was sent. What the client published before it received DETACH is stored; its other commands are
     * ignored.
     */
    ZEPS_SERVER_IN_DETACHING
} zeps_server_state;

/** The events that host actions may fail with or raise; some may also occur otherwise. */
typedef enum zeps_server_internal_event {
    /** Raised when the stream cannot be opened; reason says why. */
    ZEPS_SERVER_ON_ATTACH_REFUSED = 13,
    /** Raised when the subscription cannot be granted; reason says why. */
    ZEPS_SERVER_ON_SUBSCRIBE_REFUSED = 14
} zeps_server_internal_event;

/** The other events: received messages, and events of the host and the application. */
typedef enum zeps_server_event {
    /** Client opens stream */
    ZEPS_SERVER_GOT_ATTACH = 0,
    /** Server grants the client access */
    ZEPS_SERVER_GOT_ATTACH_OK = 1,
    /** Client subscribes to a set of topics */
    ZEPS_SERVER_GOT_SUBSCRIBE = 2,
    /** Server confirms the subscription */
    ZEPS_SERVER_GOT_SUBSCRIBE_OK = 3,
    /** Client sends credit to the server */
    ZEPS_SERVER_GOT_CREDIT = 4,
    /** Client publishes a new message to the open stream */
    ZEPS_SERVER_GOT_PUBLISH = 5,
    /** Server delivers a message to the client */
    ZEPS_SERVER_GOT_DELIVER = 6,
    /** Client or server sends a heartbeat */
    ZEPS_SERVER_GOT_PING = 7,
    /** Client or server answers a heartbeat */
    ZEPS_SERVER_GOT_PING_OK = 8,
    /** Client or server closes the peering */
    ZEPS_SERVER_GOT_DETACH = 9,
    /** Client or server confirms the close */
    ZEPS_SERVER_GOT_DETACH_OK = 10,
    /** Server tells client it sent an invalid message */
    ZEPS_SERVER_GOT_INVALID = 11,
    /** The host received something that does not decode; reason says what. */
    ZEPS_SERVER_ON_MALFORMED = 12,
    /** Messages that this client was to be delivered are lost; reason says which. */
    ZEPS_SERVER_ON_GAP = 15,
    /** The client was silent for longer than the timeout. */
    ZEPS_SERVER_ON_EXPIRED = 16,
    /** The client has been silent for a while; ask whether it is there. */
    ZEPS_SERVER_ON_HEARTBEAT = 17,
    /** The broker stops. */
    ZEPS_SERVER_ON_SHUTDOWN = 18,
    /** The host has a message for this client. */
    ZEPS_SERVER_ON_DELIVER = 19
} zeps_server_event;

/** The callbacks of the host. `context` belongs to the host; an action gets the message of the event, or NULL.
 * The row is not complete while a callback runs: it must not call the machine, except for the functions below that
 * fail, raise or fill; the host must postpone other calls until the machine has returned. */
typedef struct zeps_server_host {
    /** Send a message; its views are valid until the callback returns. Its encoding may fail. */
    void (*send)(void *context, const zeps_message *message);
    /**
     * Attaches the client to the stream, or sets `reason` and fails with `attach_refused`.
     *
     * May fail with attach_refused.
     */
    void (*open_stream)(void *context, const zeps_message *message);
    /** Detaches the client from its stream, if it is attached to one. */
    void (*close_stream)(void *context, const zeps_message *message);
    /**
     * Checks whether the subscription can be granted; if not, sets `reason` and fails with `subscribe_refused`.
     *
     * May fail with subscribe_refused.
     */
    void (*check_subscription)(void *context, const zeps_message *message);
    /** Adds the subscription. Deliveries follow SUBSCRIBE-OK. */
    void (*add_subscription)(void *context, const zeps_message *message);
    /** The client has granted credit: deliver the messages that wait for it. */
    void (*use_credit)(void *context, const zeps_message *message);
    /** Gives the message its sequence and stores it. */
    void (*store_message)(void *context, const zeps_message *message);
    /** Called, if it is not NULL, after each row that is taken; the event's number is `event`. */
    void (*transition)(void *context, zeps_server_state from, int event, zeps_server_state to);
} zeps_server_host;

/** The machine. Its variables can be read directly; set text with wire_string_set(). */
typedef struct zeps_server {
    wire_machine base;
    const zeps_server_host *host;
    void *context;
    /** Octets of DELIVER frames that the client still accepts */
    uint64_t credit;
    /** Why the host refused; set by the host before any event that sends it */
    wire_string reason;
} zeps_server;

/** The machine's table. */
extern const wire_table zeps_server_table;

/** Initialise the machine in its first state. Returns false if memory for its variables is exhausted. */
bool zeps_server_init(zeps_server *machine, const zeps_server_host *host, void *context);

/** Release the memory of its variables. */
void zeps_server_free(zeps_server *machine);

/** The current state. */
static inline zeps_server_state zeps_server_where(const zeps_server *machine) {
    return (zeps_server_state)machine->base.state;
}

/** The model's name for a state or an event; "unknown" if it does not exist. */
static inline const char *zeps_server_state_name(zeps_server_state state) {
    return wire_state_name(&zeps_server_table, (int)state);
}
static inline const char *zeps_server_event_name(int event) { return wire_event_name(&zeps_server_table, event); }

/** Skip the remaining steps of the row, then handle `event`. Only for calls from inside a host action. Returns false,
 * without any effect, elsewhere. */
static inline bool zeps_server_fail(zeps_server *machine, zeps_server_internal_event event) {
    return wire_machine_fail(&machine->base, (int)event);
}

/** Complete the row, then handle `event` in the new state. The last event of a row counts. Only for calls from inside a
 * host action. Returns false, without any effect, elsewhere. */
static inline bool zeps_server_raise(zeps_server *machine, zeps_server_internal_event event) {
    return wire_machine_raise(&machine->base, (int)event);
}

/** Handle a received message. Returns WIRE_UNEXPECTED if the state does not handle it; WIRE_UNHANDLED inside an action,
 * and if no row handles an event that an action failed with. */
wire_outcome zeps_server_receive(zeps_server *machine, const zeps_message *message);

/** The host received something that does not decode; reason says what. */
wire_outcome zeps_server_on_malformed(zeps_server *machine);

/** Raised when the stream cannot be opened; reason says why. */
wire_outcome zeps_server_on_attach_refused(zeps_server *machine);

/** Raised when the subscription cannot be granted; reason says why. */
wire_outcome zeps_server_on_subscribe_refused(zeps_server *machine);

/** Messages that this client was to be delivered are lost; reason says which. */
wire_outcome zeps_server_on_gap(zeps_server *machine);

/** The client was silent for longer than the timeout. */
wire_outcome zeps_server_on_expired(zeps_server *machine);

/** The client has been silent for a while; ask whether it is there. */
wire_outcome zeps_server_on_heartbeat(zeps_server *machine);

/** The broker stops. */
wire_outcome zeps_server_on_shutdown(zeps_server *machine);

/** The host has a message for this client. */
wire_outcome zeps_server_on_deliver(zeps_server *machine, const zeps_message *message);

#ifdef __cplusplus
}
#endif

#endif
