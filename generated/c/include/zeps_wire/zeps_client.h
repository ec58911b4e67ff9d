/**
 * @file ZEPS client session.
 *
 * What a client does for its application. Methods are the application's calls; the host owns the clock, the
 * socket and the resumption point.
 */
#ifndef ZEPS_WIRE_ZEPS_CLIENT_H
#define ZEPS_WIRE_ZEPS_CLIENT_H

#include "zeps_wire/machine.h"
#include "zeps_wire/zeps.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The states of a session; the first is the initial state. */
typedef enum zeps_client_state {
    /** Not attached. */
    ZEPS_CLIENT_IN_START,
    /**
     * ATTACH is sent on entry. If an earlier session was lost, the broker answers each command of it that was
     * still on its way by INVALID, before it answers ATTACH; these INVALIDs are ignored until ATTACH-OK or the
     * timer.
     */
    ZEPS_CLIENT_IN_ATTACHING,
    /**
     * The application closed before ATTACH was answered. DETACH waits for the answer: if both were on their way,
     * an INVALID could answer either.
     */
    ZEPS_CLIENT_IN_LEAVING,
    /** Attached. */
    ZEPS_CLIENT_IN_OPEN,
    /**
     * DETACH is sent; what still arrives is dropped. PING is not answered any more, nor is a DETACH of the
     * broker that crosses this one: the broker takes this one for the answer, and sends DETACH-OK.
     */
    ZEPS_CLIENT_IN_DETACHING
} zeps_client_state;

/** The events that host actions may fail with or raise; some may also occur otherwise. */
typedef enum zeps_client_internal_event {
    /** Raised when the code of an INVALID is one that ends the session, or is not known. */
    ZEPS_CLIENT_ON_ENDED = 15,
    /** Raised when the code of an INVALID is one that refuses a SUBSCRIBE. */
    ZEPS_CLIENT_ON_SUBSCRIBE_REFUSED = 16
} zeps_client_internal_event;

/** The other events: received messages, and events of the host and the application. */
typedef enum zeps_client_event {
    /** Client opens stream */
    ZEPS_CLIENT_GOT_ATTACH = 0,
    /** Server grants the client access */
    ZEPS_CLIENT_GOT_ATTACH_OK = 1,
    /** Client subscribes to a set of topics */
    ZEPS_CLIENT_GOT_SUBSCRIBE = 2,
    /** Server confirms the subscription */
    ZEPS_CLIENT_GOT_SUBSCRIBE_OK = 3,
    /** Client sends credit to the server */
    ZEPS_CLIENT_GOT_CREDIT = 4,
    /** Client publishes a new message to the open stream */
    ZEPS_CLIENT_GOT_PUBLISH = 5,
    /** Server delivers a message to the client */
    ZEPS_CLIENT_GOT_DELIVER = 6,
    /** Client or server sends a heartbeat */
    ZEPS_CLIENT_GOT_PING = 7,
    /** Client or server answers a heartbeat */
    ZEPS_CLIENT_GOT_PING_OK = 8,
    /** Client or server closes the peering */
    ZEPS_CLIENT_GOT_DETACH = 9,
    /** Client or server confirms the close */
    ZEPS_CLIENT_GOT_DETACH_OK = 10,
    /** Server tells client it sent an invalid message */
    ZEPS_CLIENT_GOT_INVALID = 11,
    /** Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived for a while. */
    ZEPS_CLIENT_ON_HEARTBEAT = 12,
    /** ATTACH or DETACH was not answered in time. */
    ZEPS_CLIENT_ON_EXPIRED = 13,
    /** The host received something that does not decode. */
    ZEPS_CLIENT_ON_MALFORMED = 14,
    /** Attach to a stream. */
    ZEPS_CLIENT_ON_OPEN = 17,
    /** Subscribe. */
    ZEPS_CLIENT_ON_FOLLOW = 18,
    /** Let the broker send this many octets of DELIVER frames more. */
    ZEPS_CLIENT_ON_GRANT = 19,
    /** Publish. */
    ZEPS_CLIENT_ON_POST = 20,
    /** Ask for PING-OK: when it comes, everything published before has its sequence. */
    ZEPS_CLIENT_ON_PROBE = 21,
    /** Detach. */
    ZEPS_CLIENT_ON_CLOSE = 22
} zeps_client_event;

/** The parameters of zeps_client_on_open(). */
typedef struct zeps_client_open_call {
    wire_text stream;
} zeps_client_open_call;

/** The parameters of zeps_client_on_follow(). */
typedef struct zeps_client_follow_call {
    wire_text pattern;
    uint64_t latest;
} zeps_client_follow_call;

/** The parameters of zeps_client_on_grant(). */
typedef struct zeps_client_grant_call {
    uint64_t octets;
} zeps_client_grant_call;

/** The parameters of zeps_client_on_post(). */
typedef struct zeps_client_post_call {
    wire_text key;
    wire_octets body;
} zeps_client_post_call;

/** The callbacks of the host. `context` belongs to the host; an action gets the message of the event, or NULL.
 * The row is not complete while a callback runs: it must not call the machine, except for the functions below that
 * fail, raise or fill; the host must postpone other calls until the machine has returned. */
typedef struct zeps_client_host {
    /** Send a message; its views are valid until the callback returns. Its encoding may fail. */
    void (*send)(void *context, const zeps_message *message);
    /** The session is open: subscribe, grant credit, publish. */
    void (*attached)(void *context, const zeps_message *message);
    /** The broker has refused ATTACH; the reason of INVALID says why. */
    void (*attach_refused)(void *context, const zeps_message *message);
    /** The session is over: DETACH was answered, or no answer is expected any more. */
    void (*detached)(void *context, const zeps_message *message);
    /** The broker is gone or breaks the protocol; connect again and attach. */
    void (*broker_lost)(void *context, const zeps_message *message);
    /** A SUBSCRIBE was granted, the oldest of those that wait. */
    void (*subscribed)(void *context, const zeps_message *message);
    /** A message for the application. It has used up its part of the credit. */
    void (*take_message)(void *context, const zeps_message *message);
    /** PING-OK has arrived: everything that was published before the PING has its sequence. */
    void (*answered)(void *context, const zeps_message *message);
    /**
     * Reads the code of INVALID: fails with `ended` or `subscribe_refused` if the code ends the session or
     * refuses a SUBSCRIBE.
     *
     * May fail with ended, subscribe_refused.
     */
    void (*read_notice)(void *context, const zeps_message *message);
    /** The broker has ended the session; the machine attaches again, with no subscriptions and no credit. */
    void (*session_lost)(void *context, const zeps_message *message);
    /** A SUBSCRIBE was refused, the oldest of those that wait. */
    void (*refused)(void *context, const zeps_message *message);
    /** Called, if it is not NULL, after each row that is taken; the event's number is `event`. */
    void (*transition)(void *context, zeps_client_state from, int event, zeps_client_state to);
} zeps_client_host;

/** The machine. Its variables can be read directly; set text with wire_string_set(). */
typedef struct zeps_client {
    wire_machine base;
    const zeps_client_host *host;
    void *context;
    /** Octets of DELIVER frames that the broker may still send */
    uint64_t credit;
    /** SUBSCRIBE commands without an answer */
    uint64_t pending;
    /** PING commands without an answer */
    uint64_t unanswered;
    /** PING commands without an answer that mean the broker is gone */
    uint64_t unanswered_max;
    /** 1 while INVALIDs may still arrive that answer commands of a session that is over */
    uint64_t stale;
    /** The stream to attach to */
    wire_string stream;
} zeps_client;

/** The machine's table. */
extern const wire_table zeps_client_table;

/** Initialise the machine in its first state. Returns false if memory for its variables is exhausted. */
bool zeps_client_init(zeps_client *machine, const zeps_client_host *host, void *context);

/** Release the memory of its variables. */
void zeps_client_free(zeps_client *machine);

/** The current state. */
static inline zeps_client_state zeps_client_where(const zeps_client *machine) {
    return (zeps_client_state)machine->base.state;
}

/** The model's name for a state or an event; "unknown" if it does not exist. */
static inline const char *zeps_client_state_name(zeps_client_state state) {
    return wire_state_name(&zeps_client_table, (int)state);
}
static inline const char *zeps_client_event_name(int event) { return wire_event_name(&zeps_client_table, event); }

/** Skip the remaining steps of the row, then handle `event`. Only for calls from inside a host action. Returns false,
 * without any effect, elsewhere. */
static inline bool zeps_client_fail(zeps_client *machine, zeps_client_internal_event event) {
    return wire_machine_fail(&machine->base, (int)event);
}

/** Complete the row, then handle `event` in the new state. The last event of a row counts. Only for calls from inside a
 * host action. Returns false, without any effect, elsewhere. */
static inline bool zeps_client_raise(zeps_client *machine, zeps_client_internal_event event) {
    return wire_machine_raise(&machine->base, (int)event);
}

/** Handle a received message. Returns WIRE_UNEXPECTED if the state does not handle it; WIRE_UNHANDLED inside an action,
 * and if no row handles an event that an action failed with. */
wire_outcome zeps_client_receive(zeps_client *machine, const zeps_message *message);

/** Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived for a while. */
wire_outcome zeps_client_on_heartbeat(zeps_client *machine);

/** ATTACH or DETACH was not answered in time. */
wire_outcome zeps_client_on_expired(zeps_client *machine);

/** The host received something that does not decode. */
wire_outcome zeps_client_on_malformed(zeps_client *machine);

/** Raised when the code of an INVALID is one that ends the session, or is not known. */
wire_outcome zeps_client_on_ended(zeps_client *machine);

/** Raised when the code of an INVALID is one that refuses a SUBSCRIBE. */
wire_outcome zeps_client_on_subscribe_refused(zeps_client *machine);

/** Attach to a stream. */
wire_outcome zeps_client_on_open(zeps_client *machine, wire_text stream);

/** Subscribe. */
wire_outcome zeps_client_on_follow(zeps_client *machine, wire_text pattern, uint64_t latest);

/** Let the broker send this many octets of DELIVER frames more. */
wire_outcome zeps_client_on_grant(zeps_client *machine, uint64_t octets);

/** Publish. */
wire_outcome zeps_client_on_post(zeps_client *machine, wire_text key, wire_octets body);

/** Ask for PING-OK: when it comes, everything published before has its sequence. */
wire_outcome zeps_client_on_probe(zeps_client *machine);

/** Detach. */
wire_outcome zeps_client_on_close(zeps_client *machine);

#ifdef __cplusplus
}
#endif

#endif
