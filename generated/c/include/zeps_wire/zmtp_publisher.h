/**
 * @file ZMTP connection of a publisher.
 *
 * What a PUB or XPUB socket does on one connection, bound or connected, from the greeting to the end. The host
 * frames, knows the socket's subscriptions and queues, and closes the connection when the machine has
 * terminated.
 */
#ifndef ZEPS_WIRE_ZMTP_PUBLISHER_H
#define ZEPS_WIRE_ZMTP_PUBLISHER_H

#include "zeps_wire/machine.h"
#include "zeps_wire/zmtp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The states of a session; the first is the initial state. */
typedef enum zmtp_publisher_state {
    /** Nothing was sent yet. A socket that is greeted first greets back, even if it refuses the peer. */
    ZMTP_PUBLISHER_IN_START,
    /** Our greeting is sent; theirs is not there. */
    ZMTP_PUBLISHER_IN_GREETING,
    /** Both greetings are there. Our READY does not wait for theirs. */
    ZMTP_PUBLISHER_IN_INTRODUCING,
    /** Their READY was first; the host still owes ours. */
    ZMTP_PUBLISHER_IN_ANSWERING,
    /** Our READY is sent; theirs is not there. */
    ZMTP_PUBLISHER_IN_HANDSHAKE,
    /** The two talk. Subscriptions are taken in either form, for versions 3.0 and 3.1 differ in nothing else. */
    ZMTP_PUBLISHER_IN_OPEN,
    /** The connection is over. */
    ZMTP_PUBLISHER_IN_CLOSED
} zmtp_publisher_state;

/** The events that host actions may fail with or raise; some may also occur otherwise. */
typedef enum zmtp_publisher_internal_event {
    /** Raised by a host action: the peer's greeting or its metadata is not acceptable. */
    ZMTP_PUBLISHER_ON_REFUSED = 16
} zmtp_publisher_internal_event;

/** The other events: received messages, and events of the host and the application. */
typedef enum zmtp_publisher_event {
    /** Opens a connection, in either direction. */
    ZMTP_PUBLISHER_GOT_GREETING = 0,
    /** Command: the sender is ready, and this is what it is. */
    ZMTP_PUBLISHER_GOT_READY = 1,
    /** Command: the sender refuses the peer. */
    ZMTP_PUBLISHER_GOT_ERROR = 2,
    /** Command: asks for a sign of life. */
    ZMTP_PUBLISHER_GOT_PING = 3,
    /** Command: answers PING. */
    ZMTP_PUBLISHER_GOT_PONG = 4,
    /** Command of version 3.1: asks for the messages that begin with a topic. */
    ZMTP_PUBLISHER_GOT_SUBSCRIBE = 5,
    /** Command of version 3.1: takes one subscription back. */
    ZMTP_PUBLISHER_GOT_CANCEL = 6,
    /** Message of version 3.0: asks for the messages that begin with a topic. */
    ZMTP_PUBLISHER_GOT_SUBSCRIPTION = 7,
    /** Message of version 3.0: takes one subscription back. */
    ZMTP_PUBLISHER_GOT_CANCELLATION = 8,
    /** Command of our extension, for version 3.1: asks for the messages that a filter of some kind lets pass. */
    ZMTP_PUBLISHER_GOT_SUBSCRIBE_X = 9,
    /** Command of our extension, for version 3.1: takes one filter back. */
    ZMTP_PUBLISHER_GOT_CANCEL_X = 10,
    /** Message of our extension, for version 3.0: asks for the messages that a filter of some kind lets pass. */
    ZMTP_PUBLISHER_GOT_SUBSCRIPTION_X = 11,
    /** Message of our extension, for version 3.0: takes one filter back. */
    ZMTP_PUBLISHER_GOT_CANCELLATION_X = 12,
    /** Before the start: speak version 3.0. */
    ZMTP_PUBLISHER_ON_DOWNGRADE = 13,
    /** The transport has connected the two. */
    ZMTP_PUBLISHER_ON_CONNECTED = 14,
    /** The host's own READY. It follows at once when the machine asks for it, before anything else is read. */
    ZMTP_PUBLISHER_ON_INTRODUCE = 15,
    /** Nothing has arrived for a while. */
    ZMTP_PUBLISHER_ON_HEARTBEAT = 17,
    /** The handshake takes too long, or the peer's time to live has passed. */
    ZMTP_PUBLISHER_ON_EXPIRED = 18,
    /** Something arrived that does not decode. */
    ZMTP_PUBLISHER_ON_MALFORMED = 19,
    /** A command arrived that the models do not have. */
    ZMTP_PUBLISHER_ON_UNKNOWN = 20,
    /** The transport has lost the connection. */
    ZMTP_PUBLISHER_ON_DISCONNECTED = 21
} zmtp_publisher_event;

/** The callbacks of the host. `context` belongs to the host; an action gets the message of the event, or NULL.
 * The row is not complete while a callback runs: it must not call the machine, except for the functions below that
 * fail, raise or fill; the host must postpone other calls until the machine has returned. */
typedef struct zmtp_publisher_host {
    /** Send a message; its views are valid until the callback returns. Its encoding may fail. */
    void (*send)(void *context, const zmtp_message *message);
    /** Called instead of `send` for a message with an unfilled field (WIRE_NOT_SET), or with a value that its field
     * cannot hold: a number that is too great, or the wrong number of bytes. */
    void (*unsendable)(void *context, const wire_error *error);
    /**
     * Checks the mechanism and the version of the peer; fails with `refused` if they are not acceptable.
     *
     * May fail with refused.
     */
    void (*check_greeting)(void *context, const zmtp_message *message);
    /** Asks the host for its own READY, which it raises as `introduce` at once. */
    void (*ask_for_introduction)(void *context, const zmtp_message *message);
    /** Close the transport: the peer is gone or breaks the protocol. */
    void (*close_connection)(void *context, const zmtp_message *message);
    /**
     * Checks the metadata of READY; fails with `refused` if the socket types do not fit.
     *
     * May fail with refused.
     */
    void (*check_peer)(void *context, const zmtp_message *message);
    /** The handshake is complete. */
    void (*opened)(void *context, const zmtp_message *message);
    /** The peer refuses the connection; ERROR says why. */
    void (*peer_refused)(void *context, const zmtp_message *message);
    /** The peer wants the messages that begin with the topic, once more. */
    void (*add_subscription)(void *context, const zmtp_message *message);
    /** The peer takes one subscription back. */
    void (*remove_subscription)(void *context, const zmtp_message *message);
    /** Called, if it is not NULL, after each row that is taken; the event's number is `event`. */
    void (*transition)(void *context, zmtp_publisher_state from, int event, zmtp_publisher_state to);
} zmtp_publisher_host;

/** The machine. Its variables can be read directly; set text with wire_string_set(). */
typedef struct zmtp_publisher {
    wire_machine base;
    const zmtp_publisher_host *host;
    void *context;
    /** The security mechanism of the socket, 20 octets padded with zeros; set by the host before anything else */
    wire_string mechanism;
    /** Minor version that is announced */
    uint64_t minor_;
    /** Tenths of a second after which the peer may give up; sent with PING */
    uint64_t ttl;
    /** PINGs without a sign of life since */
    uint64_t unanswered;
    /** PINGs without a sign of life that mean the peer is gone */
    uint64_t unanswered_max;
    /** Why the host refuses the peer; set before it raises refused */
    wire_string reason;
} zmtp_publisher;

/** The machine's table. */
extern const wire_table zmtp_publisher_table;

/** Initialise the machine in its first state. Returns false if memory for its variables is exhausted. */
bool zmtp_publisher_init(zmtp_publisher *machine, const zmtp_publisher_host *host, void *context);

/** Release the memory of its variables. */
void zmtp_publisher_free(zmtp_publisher *machine);

/** The current state. */
static inline zmtp_publisher_state zmtp_publisher_where(const zmtp_publisher *machine) {
    return (zmtp_publisher_state)machine->base.state;
}

/** The model's name for a state or an event; "unknown" if it does not exist. */
static inline const char *zmtp_publisher_state_name(zmtp_publisher_state state) {
    return wire_state_name(&zmtp_publisher_table, (int)state);
}
static inline const char *zmtp_publisher_event_name(int event) { return wire_event_name(&zmtp_publisher_table, event); }

/** Skip the remaining steps of the row, then handle `event`. Only for calls from inside a host action. Returns false,
 * without any effect, elsewhere. */
static inline bool zmtp_publisher_fail(zmtp_publisher *machine, zmtp_publisher_internal_event event) {
    return wire_machine_fail(&machine->base, (int)event);
}

/** Complete the row, then handle `event` in the new state. The last event of a row counts. Only for calls from inside a
 * host action. Returns false, without any effect, elsewhere. */
static inline bool zmtp_publisher_raise(zmtp_publisher *machine, zmtp_publisher_internal_event event) {
    return wire_machine_raise(&machine->base, (int)event);
}

/** Handle a received message. Returns WIRE_UNEXPECTED if the state does not handle it; WIRE_UNHANDLED inside an action,
 * and if no row handles an event that an action failed with. */
wire_outcome zmtp_publisher_receive(zmtp_publisher *machine, const zmtp_message *message);

/** Before the start: speak version 3.0. */
wire_outcome zmtp_publisher_on_downgrade(zmtp_publisher *machine);

/** The transport has connected the two. */
wire_outcome zmtp_publisher_on_connected(zmtp_publisher *machine);

/** The host's own READY. It follows at once when the machine asks for it, before anything else is read. */
wire_outcome zmtp_publisher_on_introduce(zmtp_publisher *machine, const zmtp_message *message);

/** Raised by a host action: the peer's greeting or its metadata is not acceptable. */
wire_outcome zmtp_publisher_on_refused(zmtp_publisher *machine);

/** Nothing has arrived for a while. */
wire_outcome zmtp_publisher_on_heartbeat(zmtp_publisher *machine);

/** The handshake takes too long, or the peer's time to live has passed. */
wire_outcome zmtp_publisher_on_expired(zmtp_publisher *machine);

/** Something arrived that does not decode. */
wire_outcome zmtp_publisher_on_malformed(zmtp_publisher *machine);

/** A command arrived that the models do not have. */
wire_outcome zmtp_publisher_on_unknown(zmtp_publisher *machine);

/** The transport has lost the connection. */
wire_outcome zmtp_publisher_on_disconnected(zmtp_publisher *machine);

#ifdef __cplusplus
}
#endif

#endif
