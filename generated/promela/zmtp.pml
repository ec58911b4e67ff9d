/*
 * ZMTP 3, publish-subscribe: client and server together, for the model checker spin.
 * Generated from the models: change the models. `zeps-codegen spin` runs it, and docs/checks.md explains it.
 *
 *   spin -DN=3 -a zmtp.pml && gcc -O2 -DNOREDUCE -DCOLLAPSE -o pan pan.c && ./pan -m4000000
 *
 * Each machine is a table; every `::` below is one path through one or more of its rows, and one atomic
 * step. The abstraction of data, and the reason why it causes no false alarms, is described in
 * codegen/zeps_codegen/passes/abstraction.py. The checked properties follow, with their options; an option
 * that selects a property disables the others:
 *
 *   unspecified_reception  a message arrives in a state that has no row for it
 *   unhandled_raise        a host action raises an event that no row handles
 *   deadlock               no step is possible, and one machine is not in an end state
 *   unexpected             (-DGIVE_UP=0) a message that only `*` handles makes a machine leave its state
 *   no_word                (-DGRAMMAR) the server's trace is not a prefix of a word of the session grammar
 *   owed                   (-DGRAMMAR) the session grammar requires a message that neither machine sends
 *   standstill             (-DSTANDSTILL) no step is possible because channels are full
 *
 * With -DCOVERAGE pan prints each step when it takes it for the first time.
 */

#ifndef N
#define N 3            /* capacity of a channel in messages */
#endif
#ifndef GIVE_UP
#define GIVE_UP 1      /* 0: a timer never makes a machine leave its state */
#endif
#ifndef REFUSE
#define REFUSE 1       /* 0: no host action raises an event */
#endif
#ifndef MALFORMED
#ifdef GRAMMAR
#define MALFORMED 1    /* 1: malformed messages may arrive at any time */
#else
#define MALFORMED 0
#endif
#endif

/* Numbers saturate at 0 and at the greatest number of 64 bits */
#define BIG 1073741824
#define LEAST(a, b) ((a) < (b) -> (a) : (b))
#define ADD(a, b) LEAST((a) + (b), BIG)
#define SUBTRACT(a, b) ((a) > (b) -> (a) - (b) : 0)

/* A step that sends several messages is atomic: an empty channel holds all of them */
#define SPACE(channel, count) (len(channel) + (count) <= N || len(channel) == 0)
#if N < 1
#define CAPACITY 1
#else
#define CAPACITY N
#endif

/* The properties: each is false where it is asserted, and its name is that of the fault */
#if defined(GRAMMAR) || GIVE_UP == 0
#define unspecified_reception true
#define unhandled_raise true
#else
#define DEADLOCK
#define unspecified_reception false
#define unhandled_raise false
#endif
#define deadlock false
#define standstill false
#define owed false
#define unexpected (GIVE_UP)
#define no_word(state) (state != NO_WORD)

mtype = { GREETING, READY, ERROR, PING, PONG, SUBSCRIBE, CANCEL, SUBSCRIPTION, CANCELLATION, SUBSCRIBE_X, CANCEL_X, SUBSCRIPTION_X, CANCELLATION_X };
mtype:client_state = { client_start, client_greeting, client_introducing, client_answering, client_handshake, client_open, client_closed };
mtype:server_state = { server_start, server_greeting, server_introducing, server_answering, server_handshake, server_open, server_closed };

chan to_client = [CAPACITY] of { mtype, int };
chan to_server = [CAPACITY] of { mtype, int };

/* ZMTP connection of a subscriber */
mtype:client_state client = client_start;
int client_minor = 1;    /* Minor version that is announced */
int client_peer_minor = 0;    /* Minor version of the peer: decides how subscriptions are sent */
int client_unanswered = 0;    /* PINGs without a sign of life since */
int client_unanswered_max = 1;    /* PINGs without a sign of life that mean the peer is gone */
bool client_terminated = false;
mtype client_head;    /* the first message in to_client, or 0 */
int client_field_1;

inline look_client() {
  if
  :: nempty(to_client) -> to_client ? <client_head, client_field_1>
  :: empty(to_client) -> client_head = 0; client_field_1 = 0
  fi
}

inline take_client() {
  to_client ? client_head, client_field_1;
  look_client()
}

/* The condition of each step, without that on the channel */
#define client_0 (client == client_start && !client_terminated)
#define client_1 (client == client_start && !client_terminated)
#define client_2 (client == client_start && !client_terminated)
#define client_3 (client == client_start && !client_terminated && MALFORMED)
#define client_4 (client == client_start && !client_terminated)
#define client_5 (client == client_start && !client_terminated)
#define client_6 (client == client_start && !client_terminated && client_head == GREETING && REFUSE)
#define client_8 (client == client_start && !client_terminated && client_head == GREETING && (client_field_1 <= 2))
#define client_9 (client == client_start && !client_terminated && client_head == READY)
#define client_10 (client == client_start && !client_terminated && client_head == ERROR)
#define client_11 (client == client_start && !client_terminated && client_head == PING)
#define client_12 (client == client_start && !client_terminated && client_head == PONG)
#define client_13 (client == client_greeting && !client_terminated && GIVE_UP)
#define client_14 (client == client_greeting && !client_terminated && MALFORMED)
#define client_15 (client == client_greeting && !client_terminated)
#define client_16 (client == client_greeting && !client_terminated)
#define client_17 (client == client_greeting && !client_terminated && client_head == GREETING && REFUSE)
#define client_19 (client == client_greeting && !client_terminated && client_head == GREETING && (client_field_1 <= 2))
#define client_20 (client == client_greeting && !client_terminated && client_head == READY)
#define client_21 (client == client_greeting && !client_terminated && client_head == ERROR)
#define client_22 (client == client_greeting && !client_terminated && client_head == PING)
#define client_23 (client == client_greeting && !client_terminated && client_head == PONG)
#define client_24 (client == client_introducing && !client_terminated)
#define client_25 (client == client_introducing && !client_terminated && GIVE_UP)
#define client_26 (client == client_introducing && !client_terminated && MALFORMED)
#define client_27 (client == client_introducing && !client_terminated)
#define client_28 (client == client_introducing && !client_terminated)
#define client_29 (client == client_introducing && !client_terminated && client_head == GREETING)
#define client_30 (client == client_introducing && !client_terminated && client_head == READY && REFUSE)
#define client_31 (client == client_introducing && !client_terminated && client_head == READY)
#define client_32 (client == client_introducing && !client_terminated && client_head == ERROR)
#define client_33 (client == client_introducing && !client_terminated && client_head == PING)
#define client_34 (client == client_introducing && !client_terminated && client_head == PONG)
#define client_35 (client == client_answering && !client_terminated)
#define client_36 (client == client_answering && !client_terminated && GIVE_UP)
#define client_37 (client == client_answering && !client_terminated && MALFORMED)
#define client_38 (client == client_answering && !client_terminated)
#define client_39 (client == client_answering && !client_terminated)
#define client_40 (client == client_answering && !client_terminated && client_head == GREETING)
#define client_41 (client == client_answering && !client_terminated && client_head == READY)
#define client_42 (client == client_answering && !client_terminated && client_head == ERROR)
#define client_43 (client == client_answering && !client_terminated && client_head == PING)
#define client_44 (client == client_answering && !client_terminated && client_head == PONG)
#define client_45 (client == client_handshake && !client_terminated && GIVE_UP)
#define client_46 (client == client_handshake && !client_terminated && MALFORMED)
#define client_47 (client == client_handshake && !client_terminated)
#define client_48 (client == client_handshake && !client_terminated)
#define client_49 (client == client_handshake && !client_terminated && client_head == GREETING)
#define client_50 (client == client_handshake && !client_terminated && client_head == READY && REFUSE)
#define client_51 (client == client_handshake && !client_terminated && client_head == READY)
#define client_52 (client == client_handshake && !client_terminated && client_head == ERROR)
#define client_53 (client == client_handshake && !client_terminated && client_head == PING)
#define client_54 (client == client_handshake && !client_terminated && client_head == PONG)
#define client_55 (client == client_open && !client_terminated && GIVE_UP && (client_unanswered >= client_unanswered_max))
#define client_56 (client == client_open && !client_terminated && (client_unanswered < client_unanswered_max))
#define client_57 (client == client_open && !client_terminated && GIVE_UP)
#define client_58 (client == client_open && !client_terminated && MALFORMED)
#define client_59 (client == client_open && !client_terminated)
#define client_60 (client == client_open && !client_terminated)
#define client_61 (client == client_open && !client_terminated && ((client_minor >= 1) && (client_peer_minor >= 1)))
#define client_62 (client == client_open && !client_terminated && (!((client_minor >= 1) && (client_peer_minor >= 1))))
#define client_63 (client == client_open && !client_terminated && ((client_minor >= 1) && (client_peer_minor >= 1)))
#define client_64 (client == client_open && !client_terminated && (!((client_minor >= 1) && (client_peer_minor >= 1))))
#define client_65 (client == client_open && !client_terminated && ((client_minor >= 1) && (client_peer_minor >= 1)))
#define client_66 (client == client_open && !client_terminated && (!((client_minor >= 1) && (client_peer_minor >= 1))))
#define client_67 (client == client_open && !client_terminated && ((client_minor >= 1) && (client_peer_minor >= 1)))
#define client_68 (client == client_open && !client_terminated && (!((client_minor >= 1) && (client_peer_minor >= 1))))
#define client_69 (client == client_open && !client_terminated && client_head == GREETING)
#define client_70 (client == client_open && !client_terminated && client_head == READY)
#define client_71 (client == client_open && !client_terminated && client_head == ERROR)
#define client_72 (client == client_open && !client_terminated && client_head == PING)
#define client_73 (client == client_open && !client_terminated && client_head == PONG)
#define client_74 (client == client_closed && !client_terminated && MALFORMED)
#define client_75 (client == client_closed && !client_terminated && client_head == GREETING)
#define client_76 (client == client_closed && !client_terminated && client_head == READY)
#define client_77 (client == client_closed && !client_terminated && client_head == ERROR)
#define client_78 (client == client_closed && !client_terminated && client_head == PING)
#define client_79 (client == client_closed && !client_terminated && client_head == PONG)

/* Steps beyond the limit of a number are not explored */
#define client_cut ((client == client_start && !client_terminated && client_head == GREETING && (client_field_1 > 2)) || (client == client_greeting && !client_terminated && client_head == GREETING && (client_field_1 > 2)))
#define client_changes ((client_0 && (client_minor != 0)) || (client_1 && SPACE(to_server, 1)) || (client_3) || (client_4) || (client_5) || (client_6 && SPACE(to_server, 1)) || (client_8 && SPACE(to_server, 1)) || (client_9) || (client_10) || (client_11) || (client_12) || (client_13) || (client_14) || (client_15) || (client_16) || (client_17) || (client_19) || (client_20) || (client_21) || (client_22) || (client_23) || (client_24 && SPACE(to_server, 1)) || (client_25) || (client_26) || (client_27) || (client_28) || (client_29) || (client_30 && SPACE(to_server, 1)) || (client_31) || (client_32) || (client_33) || (client_34) || (client_35 && SPACE(to_server, 1)) || (client_36) || (client_37) || (client_38) || (client_39) || (client_40) || (client_41) || (client_42) || (client_43) || (client_44) || (client_45) || (client_46) || (client_47) || (client_48) || (client_49) || (client_50 && SPACE(to_server, 1)) || (client_51) || (client_52) || (client_53) || (client_54) || (client_55) || (client_56 && SPACE(to_server, 1)) || (client_57) || (client_58) || (client_59 && (client_unanswered != 0)) || (client_60) || (client_61 && SPACE(to_server, 1)) || (client_62 && SPACE(to_server, 1)) || (client_63 && SPACE(to_server, 1)) || (client_64 && SPACE(to_server, 1)) || (client_65 && SPACE(to_server, 1)) || (client_66 && SPACE(to_server, 1)) || (client_67 && SPACE(to_server, 1)) || (client_68 && SPACE(to_server, 1)) || (client_69) || (client_70) || (client_71) || (client_72 && SPACE(to_server, 1)) || (client_73) || (client_75) || (client_76) || (client_77) || (client_78) || (client_79) || client_terminated && client_head != 0)
#define client_waits ((client_1 && !SPACE(to_server, 1)) || (client_6 && !SPACE(to_server, 1)) || (client_8 && !SPACE(to_server, 1)) || (client_24 && !SPACE(to_server, 1)) || (client_30 && !SPACE(to_server, 1)) || (client_35 && !SPACE(to_server, 1)) || (client_50 && !SPACE(to_server, 1)) || (client_56 && !SPACE(to_server, 1)) || (client_61 && !SPACE(to_server, 1)) || (client_62 && !SPACE(to_server, 1)) || (client_63 && !SPACE(to_server, 1)) || (client_64 && !SPACE(to_server, 1)) || (client_65 && !SPACE(to_server, 1)) || (client_66 && !SPACE(to_server, 1)) || (client_67 && !SPACE(to_server, 1)) || (client_68 && !SPACE(to_server, 1)) || (client_72 && !SPACE(to_server, 1)))
#define client_faulty (false)
#define client_may_end (client == client_closed || client_terminated)

/* ZMTP connection of a publisher */
mtype:server_state server = server_start;
int server_minor = 1;    /* Minor version that is announced */
int server_unanswered = 0;    /* PINGs without a sign of life since */
int server_unanswered_max = 1;    /* PINGs without a sign of life that mean the peer is gone */
bool server_terminated = false;
mtype server_head;    /* the first message in to_server, or 0 */
int server_field_1;

inline look_server() {
  if
  :: nempty(to_server) -> to_server ? <server_head, server_field_1>
  :: empty(to_server) -> server_head = 0; server_field_1 = 0
  fi
}

inline take_server() {
  to_server ? server_head, server_field_1;
  look_server()
}

/* The condition of each step, without that on the channel */
#define server_0 (server == server_start && !server_terminated)
#define server_1 (server == server_start && !server_terminated)
#define server_2 (server == server_start && !server_terminated)
#define server_3 (server == server_start && !server_terminated && MALFORMED)
#define server_4 (server == server_start && !server_terminated)
#define server_5 (server == server_start && !server_terminated)
#define server_6 (server == server_start && !server_terminated && server_head == GREETING && REFUSE)
#define server_7 (server == server_start && !server_terminated && server_head == GREETING)
#define server_8 (server == server_start && !server_terminated && server_head == READY)
#define server_9 (server == server_start && !server_terminated && server_head == ERROR)
#define server_10 (server == server_start && !server_terminated && server_head == PING)
#define server_11 (server == server_start && !server_terminated && server_head == PONG)
#define server_12 (server == server_start && !server_terminated && server_head == SUBSCRIBE)
#define server_13 (server == server_start && !server_terminated && server_head == CANCEL)
#define server_14 (server == server_start && !server_terminated && server_head == SUBSCRIPTION)
#define server_15 (server == server_start && !server_terminated && server_head == CANCELLATION)
#define server_16 (server == server_start && !server_terminated && server_head == SUBSCRIBE_X)
#define server_17 (server == server_start && !server_terminated && server_head == CANCEL_X)
#define server_18 (server == server_start && !server_terminated && server_head == SUBSCRIPTION_X)
#define server_19 (server == server_start && !server_terminated && server_head == CANCELLATION_X)
#define server_20 (server == server_greeting && !server_terminated && GIVE_UP)
#define server_21 (server == server_greeting && !server_terminated && MALFORMED)
#define server_22 (server == server_greeting && !server_terminated)
#define server_23 (server == server_greeting && !server_terminated)
#define server_24 (server == server_greeting && !server_terminated && server_head == GREETING && REFUSE)
#define server_25 (server == server_greeting && !server_terminated && server_head == GREETING)
#define server_26 (server == server_greeting && !server_terminated && server_head == READY)
#define server_27 (server == server_greeting && !server_terminated && server_head == ERROR)
#define server_28 (server == server_greeting && !server_terminated && server_head == PING)
#define server_29 (server == server_greeting && !server_terminated && server_head == PONG)
#define server_30 (server == server_greeting && !server_terminated && server_head == SUBSCRIBE)
#define server_31 (server == server_greeting && !server_terminated && server_head == CANCEL)
#define server_32 (server == server_greeting && !server_terminated && server_head == SUBSCRIPTION)
#define server_33 (server == server_greeting && !server_terminated && server_head == CANCELLATION)
#define server_34 (server == server_greeting && !server_terminated && server_head == SUBSCRIBE_X)
#define server_35 (server == server_greeting && !server_terminated && server_head == CANCEL_X)
#define server_36 (server == server_greeting && !server_terminated && server_head == SUBSCRIPTION_X)
#define server_37 (server == server_greeting && !server_terminated && server_head == CANCELLATION_X)
#define server_38 (server == server_introducing && !server_terminated)
#define server_39 (server == server_introducing && !server_terminated && GIVE_UP)
#define server_40 (server == server_introducing && !server_terminated && MALFORMED)
#define server_41 (server == server_introducing && !server_terminated)
#define server_42 (server == server_introducing && !server_terminated)
#define server_43 (server == server_introducing && !server_terminated && server_head == GREETING)
#define server_44 (server == server_introducing && !server_terminated && server_head == READY && REFUSE)
#define server_45 (server == server_introducing && !server_terminated && server_head == READY)
#define server_46 (server == server_introducing && !server_terminated && server_head == ERROR)
#define server_47 (server == server_introducing && !server_terminated && server_head == PING)
#define server_48 (server == server_introducing && !server_terminated && server_head == PONG)
#define server_49 (server == server_introducing && !server_terminated && server_head == SUBSCRIBE)
#define server_50 (server == server_introducing && !server_terminated && server_head == CANCEL)
#define server_51 (server == server_introducing && !server_terminated && server_head == SUBSCRIPTION)
#define server_52 (server == server_introducing && !server_terminated && server_head == CANCELLATION)
#define server_53 (server == server_introducing && !server_terminated && server_head == SUBSCRIBE_X)
#define server_54 (server == server_introducing && !server_terminated && server_head == CANCEL_X)
#define server_55 (server == server_introducing && !server_terminated && server_head == SUBSCRIPTION_X)
#define server_56 (server == server_introducing && !server_terminated && server_head == CANCELLATION_X)
#define server_57 (server == server_answering && !server_terminated)
#define server_58 (server == server_answering && !server_terminated && GIVE_UP)
#define server_59 (server == server_answering && !server_terminated && MALFORMED)
#define server_60 (server == server_answering && !server_terminated)
#define server_61 (server == server_answering && !server_terminated)
#define server_62 (server == server_answering && !server_terminated && server_head == GREETING)
#define server_63 (server == server_answering && !server_terminated && server_head == READY)
#define server_64 (server == server_answering && !server_terminated && server_head == ERROR)
#define server_65 (server == server_answering && !server_terminated && server_head == PING)
#define server_66 (server == server_answering && !server_terminated && server_head == PONG)
#define server_67 (server == server_answering && !server_terminated && server_head == SUBSCRIBE)
#define server_68 (server == server_answering && !server_terminated && server_head == CANCEL)
#define server_69 (server == server_answering && !server_terminated && server_head == SUBSCRIPTION)
#define server_70 (server == server_answering && !server_terminated && server_head == CANCELLATION)
#define server_71 (server == server_answering && !server_terminated && server_head == SUBSCRIBE_X)
#define server_72 (server == server_answering && !server_terminated && server_head == CANCEL_X)
#define server_73 (server == server_answering && !server_terminated && server_head == SUBSCRIPTION_X)
#define server_74 (server == server_answering && !server_terminated && server_head == CANCELLATION_X)
#define server_75 (server == server_handshake && !server_terminated && GIVE_UP)
#define server_76 (server == server_handshake && !server_terminated && MALFORMED)
#define server_77 (server == server_handshake && !server_terminated)
#define server_78 (server == server_handshake && !server_terminated)
#define server_79 (server == server_handshake && !server_terminated && server_head == GREETING)
#define server_80 (server == server_handshake && !server_terminated && server_head == READY && REFUSE)
#define server_81 (server == server_handshake && !server_terminated && server_head == READY)
#define server_82 (server == server_handshake && !server_terminated && server_head == ERROR)
#define server_83 (server == server_handshake && !server_terminated && server_head == PING)
#define server_84 (server == server_handshake && !server_terminated && server_head == PONG)
#define server_85 (server == server_handshake && !server_terminated && server_head == SUBSCRIBE)
#define server_86 (server == server_handshake && !server_terminated && server_head == CANCEL)
#define server_87 (server == server_handshake && !server_terminated && server_head == SUBSCRIPTION)
#define server_88 (server == server_handshake && !server_terminated && server_head == CANCELLATION)
#define server_89 (server == server_handshake && !server_terminated && server_head == SUBSCRIBE_X)
#define server_90 (server == server_handshake && !server_terminated && server_head == CANCEL_X)
#define server_91 (server == server_handshake && !server_terminated && server_head == SUBSCRIPTION_X)
#define server_92 (server == server_handshake && !server_terminated && server_head == CANCELLATION_X)
#define server_93 (server == server_open && !server_terminated && GIVE_UP && (server_unanswered >= server_unanswered_max))
#define server_94 (server == server_open && !server_terminated && (server_unanswered < server_unanswered_max))
#define server_95 (server == server_open && !server_terminated && GIVE_UP)
#define server_96 (server == server_open && !server_terminated && MALFORMED)
#define server_97 (server == server_open && !server_terminated)
#define server_98 (server == server_open && !server_terminated)
#define server_99 (server == server_open && !server_terminated && server_head == GREETING)
#define server_100 (server == server_open && !server_terminated && server_head == READY)
#define server_101 (server == server_open && !server_terminated && server_head == ERROR)
#define server_102 (server == server_open && !server_terminated && server_head == PING)
#define server_103 (server == server_open && !server_terminated && server_head == PONG)
#define server_104 (server == server_open && !server_terminated && server_head == SUBSCRIBE)
#define server_105 (server == server_open && !server_terminated && server_head == CANCEL)
#define server_106 (server == server_open && !server_terminated && server_head == SUBSCRIPTION)
#define server_107 (server == server_open && !server_terminated && server_head == CANCELLATION)
#define server_108 (server == server_open && !server_terminated && server_head == SUBSCRIBE_X)
#define server_109 (server == server_open && !server_terminated && server_head == CANCEL_X)
#define server_110 (server == server_open && !server_terminated && server_head == SUBSCRIPTION_X)
#define server_111 (server == server_open && !server_terminated && server_head == CANCELLATION_X)
#define server_112 (server == server_closed && !server_terminated && MALFORMED)
#define server_113 (server == server_closed && !server_terminated && server_head == GREETING)
#define server_114 (server == server_closed && !server_terminated && server_head == READY)
#define server_115 (server == server_closed && !server_terminated && server_head == ERROR)
#define server_116 (server == server_closed && !server_terminated && server_head == PING)
#define server_117 (server == server_closed && !server_terminated && server_head == PONG)
#define server_118 (server == server_closed && !server_terminated && server_head == SUBSCRIBE)
#define server_119 (server == server_closed && !server_terminated && server_head == CANCEL)
#define server_120 (server == server_closed && !server_terminated && server_head == SUBSCRIPTION)
#define server_121 (server == server_closed && !server_terminated && server_head == CANCELLATION)
#define server_122 (server == server_closed && !server_terminated && server_head == SUBSCRIBE_X)
#define server_123 (server == server_closed && !server_terminated && server_head == CANCEL_X)
#define server_124 (server == server_closed && !server_terminated && server_head == SUBSCRIPTION_X)
#define server_125 (server == server_closed && !server_terminated && server_head == CANCELLATION_X)

/* Steps beyond the limit of a number are not explored */
#define server_cut (false)
#define server_changes ((server_0 && (server_minor != 0)) || (server_1 && SPACE(to_client, 1)) || (server_3) || (server_4) || (server_5) || (server_6 && SPACE(to_client, 1)) || (server_7 && SPACE(to_client, 1)) || (server_8) || (server_9) || (server_10) || (server_11) || (server_12) || (server_13) || (server_14) || (server_15) || (server_16) || (server_17) || (server_18) || (server_19) || (server_20) || (server_21) || (server_22) || (server_23) || (server_24) || (server_25) || (server_26) || (server_27) || (server_28) || (server_29) || (server_30) || (server_31) || (server_32) || (server_33) || (server_34) || (server_35) || (server_36) || (server_37) || (server_38 && SPACE(to_client, 1)) || (server_39) || (server_40) || (server_41) || (server_42) || (server_43) || (server_44 && SPACE(to_client, 1)) || (server_45) || (server_46) || (server_47) || (server_48) || (server_49) || (server_50) || (server_51) || (server_52) || (server_53) || (server_54) || (server_55) || (server_56) || (server_57 && SPACE(to_client, 1)) || (server_58) || (server_59) || (server_60) || (server_61) || (server_62) || (server_63) || (server_64) || (server_65) || (server_66) || (server_67) || (server_68) || (server_69) || (server_70) || (server_71) || (server_72) || (server_73) || (server_74) || (server_75) || (server_76) || (server_77) || (server_78) || (server_79) || (server_80 && SPACE(to_client, 1)) || (server_81) || (server_82) || (server_83) || (server_84) || (server_85) || (server_86) || (server_87) || (server_88) || (server_89) || (server_90) || (server_91) || (server_92) || (server_93) || (server_94 && SPACE(to_client, 1)) || (server_95) || (server_96) || (server_97 && (server_unanswered != 0)) || (server_98) || (server_99) || (server_100) || (server_101) || (server_102 && SPACE(to_client, 1)) || (server_103) || (server_104) || (server_105) || (server_106) || (server_107) || (server_108) || (server_109) || (server_110) || (server_111) || (server_113) || (server_114) || (server_115) || (server_116) || (server_117) || (server_118) || (server_119) || (server_120) || (server_121) || (server_122) || (server_123) || (server_124) || (server_125) || server_terminated && server_head != 0)
#define server_waits ((server_1 && !SPACE(to_client, 1)) || (server_6 && !SPACE(to_client, 1)) || (server_7 && !SPACE(to_client, 1)) || (server_38 && !SPACE(to_client, 1)) || (server_44 && !SPACE(to_client, 1)) || (server_57 && !SPACE(to_client, 1)) || (server_80 && !SPACE(to_client, 1)) || (server_94 && !SPACE(to_client, 1)) || (server_102 && !SPACE(to_client, 1)))
#define server_faulty (false)
#define server_may_end (server == server_closed || server_terminated)

/* The session grammar, as an automaton that watches the server */
#define NO_WORD 255
#define AFTER_C_CANCEL(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_C_CANCEL_X(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_C_CANCELLATION(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_C_CANCELLATION_X(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_C_ERROR(w) ((w) == 5 -> 6 : ((w) == 7 -> 6 : ((w) == 8 -> 6 : ((w) == 10 -> 6 : NO_WORD))))
#define AFTER_C_GREETING(w) ((w) == 0 -> 1 : ((w) == 2 -> 3 : NO_WORD))
#define AFTER_C_PING(w) ((w) == 7 -> 9 : ((w) == 8 -> 9 : ((w) == 10 -> 11 : NO_WORD)))
#define AFTER_C_PONG(w) ((w) == 10 -> 10 : NO_WORD)
#define AFTER_C_READY(w) ((w) == 3 -> 4 : ((w) == 5 -> 8 : NO_WORD))
#define AFTER_C_SUBSCRIBE(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_C_SUBSCRIBE_X(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_C_SUBSCRIPTION(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_C_SUBSCRIPTION_X(w) ((w) == 7 -> 7 : ((w) == 8 -> 7 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_S_ERROR(w) ((w) == 4 -> 6 : ((w) == 8 -> 6 : NO_WORD))
#define AFTER_S_GREETING(w) ((w) == 0 -> 2 : ((w) == 1 -> 3 : NO_WORD))
#define AFTER_S_PING(w) ((w) == 7 -> 10 : ((w) == 8 -> 10 : ((w) == 10 -> 10 : NO_WORD)))
#define AFTER_S_PONG(w) ((w) == 9 -> 7 : ((w) == 11 -> 10 : NO_WORD))
#define AFTER_S_READY(w) ((w) == 3 -> 5 : ((w) == 4 -> 7 : NO_WORD))
#ifdef GRAMMAR
byte word = 0;
#endif

#ifdef COVERAGE
c_decl {
  \#include <stdio.h>
  static unsigned char taken[2][126];
};
#define TAKEN(side, move) c_code { if (!taken[side][move]) { taken[side][move] = 1; printf("= %d %d\n", side, move); } }
#else
#define TAKEN(side, move) skip
#endif

active proctype client_machine() {
end:
  do
  :: false
  /* start */
  :: d_step { client_0 ->
      /* downgrade */
      printf("@ client 0\n");
      TAKEN(0, 0);
      client_minor = 0;
      skip
    }
  :: d_step { client_1 && SPACE(to_server, 1) ->
      /* connected */
      printf("@ client 1\n");
      TAKEN(0, 1);
      to_server ! GREETING, client_minor;
      look_server();
      client = client_greeting;
      skip
    }
  :: d_step { client_2 ->
      /* expired */
      printf("@ client 2\n");
      TAKEN(0, 2);
      skip
    }
  :: d_step { client_3 ->
      /* malformed */
      printf("@ client 3\n");
      TAKEN(0, 3);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_4 ->
      /* unknown */
      printf("@ client 4\n");
      TAKEN(0, 4);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_5 ->
      /* disconnected */
      printf("@ client 5\n");
      TAKEN(0, 5);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_6 && SPACE(to_server, 1) ->
      /* GREETING refused: refused */
      printf("@ client 6\n");
      TAKEN(0, 6);
      to_server ! GREETING, client_minor;
      look_server();
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_8 && SPACE(to_server, 1) ->
      /* GREETING [message.minor <= 2] */
      printf("@ client 8\n");
      TAKEN(0, 8);
      to_server ! GREETING, client_minor;
      client_peer_minor = client_field_1;
      look_server();
      client = client_introducing;
      take_client();
      skip
    }
  :: d_step { client_9 ->
      /* READY */
      printf("@ client 9\n");
      TAKEN(0, 9);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_10 ->
      /* ERROR */
      printf("@ client 10\n");
      TAKEN(0, 10);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_11 ->
      /* PING */
      printf("@ client 11\n");
      TAKEN(0, 11);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_12 ->
      /* PONG */
      printf("@ client 12\n");
      TAKEN(0, 12);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  /* greeting */
  :: d_step { client_13 ->
      /* expired */
      printf("@ client 13\n");
      TAKEN(0, 13);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_14 ->
      /* malformed */
      printf("@ client 14\n");
      TAKEN(0, 14);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_15 ->
      /* unknown */
      printf("@ client 15\n");
      TAKEN(0, 15);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_16 ->
      /* disconnected */
      printf("@ client 16\n");
      TAKEN(0, 16);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_17 ->
      /* GREETING refused: refused */
      printf("@ client 17\n");
      TAKEN(0, 17);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_19 ->
      /* GREETING [message.minor <= 2] */
      printf("@ client 19\n");
      TAKEN(0, 19);
      client_peer_minor = client_field_1;
      client = client_introducing;
      take_client();
      skip
    }
  :: d_step { client_20 ->
      /* READY */
      printf("@ client 20\n");
      TAKEN(0, 20);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_21 ->
      /* ERROR */
      printf("@ client 21\n");
      TAKEN(0, 21);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_22 ->
      /* PING */
      printf("@ client 22\n");
      TAKEN(0, 22);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_23 ->
      /* PONG */
      printf("@ client 23\n");
      TAKEN(0, 23);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  /* introducing */
  :: d_step { client_24 && SPACE(to_server, 1) ->
      /* introduce */
      printf("@ client 24\n");
      TAKEN(0, 24);
      to_server ! READY, 0;
      look_server();
      client = client_handshake;
      skip
    }
  :: d_step { client_25 ->
      /* expired */
      printf("@ client 25\n");
      TAKEN(0, 25);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_26 ->
      /* malformed */
      printf("@ client 26\n");
      TAKEN(0, 26);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_27 ->
      /* unknown */
      printf("@ client 27\n");
      TAKEN(0, 27);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_28 ->
      /* disconnected */
      printf("@ client 28\n");
      TAKEN(0, 28);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_29 ->
      /* GREETING */
      printf("@ client 29\n");
      TAKEN(0, 29);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_30 && SPACE(to_server, 1) ->
      /* READY refused: refused */
      printf("@ client 30\n");
      TAKEN(0, 30);
      to_server ! ERROR, 0;
      look_server();
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_31 ->
      /* READY */
      printf("@ client 31\n");
      TAKEN(0, 31);
      client = client_answering;
      take_client();
      skip
    }
  :: d_step { client_32 ->
      /* ERROR */
      printf("@ client 32\n");
      TAKEN(0, 32);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_33 ->
      /* PING */
      printf("@ client 33\n");
      TAKEN(0, 33);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_34 ->
      /* PONG */
      printf("@ client 34\n");
      TAKEN(0, 34);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  /* answering */
  :: d_step { client_35 && SPACE(to_server, 1) ->
      /* introduce */
      printf("@ client 35\n");
      TAKEN(0, 35);
      to_server ! READY, 0;
      look_server();
      client = client_open;
      skip
    }
  :: d_step { client_36 ->
      /* expired */
      printf("@ client 36\n");
      TAKEN(0, 36);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_37 ->
      /* malformed */
      printf("@ client 37\n");
      TAKEN(0, 37);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_38 ->
      /* unknown */
      printf("@ client 38\n");
      TAKEN(0, 38);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_39 ->
      /* disconnected */
      printf("@ client 39\n");
      TAKEN(0, 39);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_40 ->
      /* GREETING */
      printf("@ client 40\n");
      TAKEN(0, 40);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_41 ->
      /* READY */
      printf("@ client 41\n");
      TAKEN(0, 41);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_42 ->
      /* ERROR */
      printf("@ client 42\n");
      TAKEN(0, 42);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_43 ->
      /* PING */
      printf("@ client 43\n");
      TAKEN(0, 43);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_44 ->
      /* PONG */
      printf("@ client 44\n");
      TAKEN(0, 44);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  /* handshake */
  :: d_step { client_45 ->
      /* expired */
      printf("@ client 45\n");
      TAKEN(0, 45);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_46 ->
      /* malformed */
      printf("@ client 46\n");
      TAKEN(0, 46);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_47 ->
      /* unknown */
      printf("@ client 47\n");
      TAKEN(0, 47);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_48 ->
      /* disconnected */
      printf("@ client 48\n");
      TAKEN(0, 48);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_49 ->
      /* GREETING */
      printf("@ client 49\n");
      TAKEN(0, 49);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_50 && SPACE(to_server, 1) ->
      /* READY refused: refused */
      printf("@ client 50\n");
      TAKEN(0, 50);
      to_server ! ERROR, 0;
      look_server();
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_51 ->
      /* READY */
      printf("@ client 51\n");
      TAKEN(0, 51);
      client = client_open;
      take_client();
      skip
    }
  :: d_step { client_52 ->
      /* ERROR */
      printf("@ client 52\n");
      TAKEN(0, 52);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_53 ->
      /* PING */
      printf("@ client 53\n");
      TAKEN(0, 53);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_54 ->
      /* PONG */
      printf("@ client 54\n");
      TAKEN(0, 54);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  /* open */
  :: d_step { client_55 ->
      /* heartbeat [unanswered >= unanswered_max] */
      printf("@ client 55\n");
      TAKEN(0, 55);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_56 && SPACE(to_server, 1) ->
      /* heartbeat [unanswered < unanswered_max] */
      printf("@ client 56\n");
      TAKEN(0, 56);
      client_unanswered = LEAST(ADD(client_unanswered, 1), 1);
      to_server ! PING, 0;
      look_server();
      skip
    }
  :: d_step { client_57 ->
      /* expired */
      printf("@ client 57\n");
      TAKEN(0, 57);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_58 ->
      /* malformed */
      printf("@ client 58\n");
      TAKEN(0, 58);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_59 ->
      /* unknown */
      printf("@ client 59\n");
      TAKEN(0, 59);
      client_unanswered = 0;
      skip
    }
  :: d_step { client_60 ->
      /* disconnected */
      printf("@ client 60\n");
      TAKEN(0, 60);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      skip
    }
  :: d_step { client_61 && SPACE(to_server, 1) ->
      /* subscribe [minor >= 1 and peer_minor >= 1] */
      printf("@ client 61\n");
      TAKEN(0, 61);
      to_server ! SUBSCRIBE, 0;
      look_server();
      skip
    }
  :: d_step { client_62 && SPACE(to_server, 1) ->
      /* subscribe [not (minor >= 1 and peer_minor >= 1)] */
      printf("@ client 62\n");
      TAKEN(0, 62);
      to_server ! SUBSCRIPTION, 0;
      look_server();
      skip
    }
  :: d_step { client_63 && SPACE(to_server, 1) ->
      /* unsubscribe [minor >= 1 and peer_minor >= 1] */
      printf("@ client 63\n");
      TAKEN(0, 63);
      to_server ! CANCEL, 0;
      look_server();
      skip
    }
  :: d_step { client_64 && SPACE(to_server, 1) ->
      /* unsubscribe [not (minor >= 1 and peer_minor >= 1)] */
      printf("@ client 64\n");
      TAKEN(0, 64);
      to_server ! CANCELLATION, 0;
      look_server();
      skip
    }
  :: d_step { client_65 && SPACE(to_server, 1) ->
      /* subscribe_filter [minor >= 1 and peer_minor >= 1] */
      printf("@ client 65\n");
      TAKEN(0, 65);
      to_server ! SUBSCRIBE_X, 0;
      look_server();
      skip
    }
  :: d_step { client_66 && SPACE(to_server, 1) ->
      /* subscribe_filter [not (minor >= 1 and peer_minor >= 1)] */
      printf("@ client 66\n");
      TAKEN(0, 66);
      to_server ! SUBSCRIPTION_X, 0;
      look_server();
      skip
    }
  :: d_step { client_67 && SPACE(to_server, 1) ->
      /* unsubscribe_filter [minor >= 1 and peer_minor >= 1] */
      printf("@ client 67\n");
      TAKEN(0, 67);
      to_server ! CANCEL_X, 0;
      look_server();
      skip
    }
  :: d_step { client_68 && SPACE(to_server, 1) ->
      /* unsubscribe_filter [not (minor >= 1 and peer_minor >= 1)] */
      printf("@ client 68\n");
      TAKEN(0, 68);
      to_server ! CANCELLATION_X, 0;
      look_server();
      skip
    }
  :: d_step { client_69 ->
      /* GREETING */
      printf("@ client 69\n");
      TAKEN(0, 69);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_70 ->
      /* READY */
      printf("@ client 70\n");
      TAKEN(0, 70);
      assert(unexpected);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_71 ->
      /* ERROR */
      printf("@ client 71\n");
      TAKEN(0, 71);
      client = client_closed;
      client_terminated = true;
      client_minor = 1;
      client_peer_minor = 0;
      client_unanswered = 0;
      client_unanswered_max = 1;
      take_client();
      skip
    }
  :: d_step { client_72 && SPACE(to_server, 1) ->
      /* PING */
      printf("@ client 72\n");
      TAKEN(0, 72);
      client_unanswered = 0;
      to_server ! PONG, 0;
      look_server();
      take_client();
      skip
    }
  :: d_step { client_73 ->
      /* PONG */
      printf("@ client 73\n");
      TAKEN(0, 73);
      client_unanswered = 0;
      take_client();
      skip
    }
  /* closed */
  :: d_step { client_74 ->
      /* malformed */
      printf("@ client 74\n");
      TAKEN(0, 74);
      skip
    }
  :: d_step { client_75 ->
      /* GREETING */
      printf("@ client 75\n");
      TAKEN(0, 75);
      take_client();
      skip
    }
  :: d_step { client_76 ->
      /* READY */
      printf("@ client 76\n");
      TAKEN(0, 76);
      take_client();
      skip
    }
  :: d_step { client_77 ->
      /* ERROR */
      printf("@ client 77\n");
      TAKEN(0, 77);
      take_client();
      skip
    }
  :: d_step { client_78 ->
      /* PING */
      printf("@ client 78\n");
      TAKEN(0, 78);
      take_client();
      skip
    }
  :: d_step { client_79 ->
      /* PONG */
      printf("@ client 79\n");
      TAKEN(0, 79);
      take_client();
      skip
    }
  /* terminated: messages are dropped */
  :: d_step { client_terminated && client_head != 0 ->
      printf("@ client -1\n");
      take_client()
    }
  od
}

active proctype server_machine() {
end:
  do
  :: false
  /* start */
  :: d_step { server_0 ->
      /* downgrade */
      printf("@ server 0\n");
      TAKEN(1, 0);
      server_minor = 0;
      skip
    }
  :: d_step { server_1 && SPACE(to_client, 1) ->
      /* connected */
      printf("@ server 1\n");
      TAKEN(1, 1);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_GREETING(word)));
      word = AFTER_S_GREETING(word);
#endif
      to_client ! GREETING, server_minor;
      look_client();
      server = server_greeting;
      server_minor = 1;
      skip
    }
  :: d_step { server_2 ->
      /* expired */
      printf("@ server 2\n");
      TAKEN(1, 2);
      skip
    }
  :: d_step { server_3 ->
      /* malformed */
      printf("@ server 3\n");
      TAKEN(1, 3);
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_4 ->
      /* unknown */
      printf("@ server 4\n");
      TAKEN(1, 4);
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_5 ->
      /* disconnected */
      printf("@ server 5\n");
      TAKEN(1, 5);
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_6 && SPACE(to_client, 1) ->
      /* GREETING refused: refused */
      printf("@ server 6\n");
      TAKEN(1, 6);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_GREETING(AFTER_C_GREETING(word))));
      word = AFTER_S_GREETING(AFTER_C_GREETING(word));
#endif
      to_client ! GREETING, server_minor;
      look_client();
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_7 && SPACE(to_client, 1) ->
      /* GREETING */
      printf("@ server 7\n");
      TAKEN(1, 7);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_GREETING(AFTER_C_GREETING(word))));
      word = AFTER_S_GREETING(AFTER_C_GREETING(word));
#endif
      to_client ! GREETING, server_minor;
      look_client();
      server = server_introducing;
      server_minor = 1;
      take_server();
      skip
    }
  :: d_step { server_8 ->
      /* READY */
      printf("@ server 8\n");
      TAKEN(1, 8);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_READY(word)));
      word = AFTER_C_READY(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_9 ->
      /* ERROR */
      printf("@ server 9\n");
      TAKEN(1, 9);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ERROR(word)));
      word = AFTER_C_ERROR(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_10 ->
      /* PING */
      printf("@ server 10\n");
      TAKEN(1, 10);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING(word)));
      word = AFTER_C_PING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_11 ->
      /* PONG */
      printf("@ server 11\n");
      TAKEN(1, 11);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PONG(word)));
      word = AFTER_C_PONG(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_12 ->
      /* SUBSCRIBE */
      printf("@ server 12\n");
      TAKEN(1, 12);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_13 ->
      /* CANCEL */
      printf("@ server 13\n");
      TAKEN(1, 13);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL(word)));
      word = AFTER_C_CANCEL(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_14 ->
      /* SUBSCRIPTION */
      printf("@ server 14\n");
      TAKEN(1, 14);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION(word)));
      word = AFTER_C_SUBSCRIPTION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_15 ->
      /* CANCELLATION */
      printf("@ server 15\n");
      TAKEN(1, 15);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION(word)));
      word = AFTER_C_CANCELLATION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_16 ->
      /* SUBSCRIBE-X */
      printf("@ server 16\n");
      TAKEN(1, 16);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE_X(word)));
      word = AFTER_C_SUBSCRIBE_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_17 ->
      /* CANCEL-X */
      printf("@ server 17\n");
      TAKEN(1, 17);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL_X(word)));
      word = AFTER_C_CANCEL_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_18 ->
      /* SUBSCRIPTION-X */
      printf("@ server 18\n");
      TAKEN(1, 18);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION_X(word)));
      word = AFTER_C_SUBSCRIPTION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_19 ->
      /* CANCELLATION-X */
      printf("@ server 19\n");
      TAKEN(1, 19);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION_X(word)));
      word = AFTER_C_CANCELLATION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_minor = 1;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  /* greeting */
  :: d_step { server_20 ->
      /* expired */
      printf("@ server 20\n");
      TAKEN(1, 20);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_21 ->
      /* malformed */
      printf("@ server 21\n");
      TAKEN(1, 21);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_22 ->
      /* unknown */
      printf("@ server 22\n");
      TAKEN(1, 22);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_23 ->
      /* disconnected */
      printf("@ server 23\n");
      TAKEN(1, 23);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_24 ->
      /* GREETING refused: refused */
      printf("@ server 24\n");
      TAKEN(1, 24);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_GREETING(word)));
      word = AFTER_C_GREETING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_25 ->
      /* GREETING */
      printf("@ server 25\n");
      TAKEN(1, 25);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_GREETING(word)));
      word = AFTER_C_GREETING(word);
#endif
      server = server_introducing;
      take_server();
      skip
    }
  :: d_step { server_26 ->
      /* READY */
      printf("@ server 26\n");
      TAKEN(1, 26);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_READY(word)));
      word = AFTER_C_READY(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_27 ->
      /* ERROR */
      printf("@ server 27\n");
      TAKEN(1, 27);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ERROR(word)));
      word = AFTER_C_ERROR(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_28 ->
      /* PING */
      printf("@ server 28\n");
      TAKEN(1, 28);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING(word)));
      word = AFTER_C_PING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_29 ->
      /* PONG */
      printf("@ server 29\n");
      TAKEN(1, 29);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PONG(word)));
      word = AFTER_C_PONG(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_30 ->
      /* SUBSCRIBE */
      printf("@ server 30\n");
      TAKEN(1, 30);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_31 ->
      /* CANCEL */
      printf("@ server 31\n");
      TAKEN(1, 31);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL(word)));
      word = AFTER_C_CANCEL(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_32 ->
      /* SUBSCRIPTION */
      printf("@ server 32\n");
      TAKEN(1, 32);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION(word)));
      word = AFTER_C_SUBSCRIPTION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_33 ->
      /* CANCELLATION */
      printf("@ server 33\n");
      TAKEN(1, 33);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION(word)));
      word = AFTER_C_CANCELLATION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_34 ->
      /* SUBSCRIBE-X */
      printf("@ server 34\n");
      TAKEN(1, 34);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE_X(word)));
      word = AFTER_C_SUBSCRIBE_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_35 ->
      /* CANCEL-X */
      printf("@ server 35\n");
      TAKEN(1, 35);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL_X(word)));
      word = AFTER_C_CANCEL_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_36 ->
      /* SUBSCRIPTION-X */
      printf("@ server 36\n");
      TAKEN(1, 36);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION_X(word)));
      word = AFTER_C_SUBSCRIPTION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_37 ->
      /* CANCELLATION-X */
      printf("@ server 37\n");
      TAKEN(1, 37);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION_X(word)));
      word = AFTER_C_CANCELLATION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  /* introducing */
  :: d_step { server_38 && SPACE(to_client, 1) ->
      /* introduce */
      printf("@ server 38\n");
      TAKEN(1, 38);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_READY(word)));
      word = AFTER_S_READY(word);
#endif
      to_client ! READY, 0;
      look_client();
      server = server_handshake;
      skip
    }
  :: d_step { server_39 ->
      /* expired */
      printf("@ server 39\n");
      TAKEN(1, 39);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_40 ->
      /* malformed */
      printf("@ server 40\n");
      TAKEN(1, 40);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_41 ->
      /* unknown */
      printf("@ server 41\n");
      TAKEN(1, 41);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_42 ->
      /* disconnected */
      printf("@ server 42\n");
      TAKEN(1, 42);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_43 ->
      /* GREETING */
      printf("@ server 43\n");
      TAKEN(1, 43);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_GREETING(word)));
      word = AFTER_C_GREETING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_44 && SPACE(to_client, 1) ->
      /* READY refused: refused */
      printf("@ server 44\n");
      TAKEN(1, 44);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_ERROR(AFTER_C_READY(word))));
      word = AFTER_S_ERROR(AFTER_C_READY(word));
#endif
      to_client ! ERROR, 0;
      look_client();
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_45 ->
      /* READY */
      printf("@ server 45\n");
      TAKEN(1, 45);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_READY(word)));
      word = AFTER_C_READY(word);
#endif
      server = server_answering;
      take_server();
      skip
    }
  :: d_step { server_46 ->
      /* ERROR */
      printf("@ server 46\n");
      TAKEN(1, 46);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ERROR(word)));
      word = AFTER_C_ERROR(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_47 ->
      /* PING */
      printf("@ server 47\n");
      TAKEN(1, 47);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING(word)));
      word = AFTER_C_PING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_48 ->
      /* PONG */
      printf("@ server 48\n");
      TAKEN(1, 48);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PONG(word)));
      word = AFTER_C_PONG(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_49 ->
      /* SUBSCRIBE */
      printf("@ server 49\n");
      TAKEN(1, 49);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_50 ->
      /* CANCEL */
      printf("@ server 50\n");
      TAKEN(1, 50);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL(word)));
      word = AFTER_C_CANCEL(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_51 ->
      /* SUBSCRIPTION */
      printf("@ server 51\n");
      TAKEN(1, 51);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION(word)));
      word = AFTER_C_SUBSCRIPTION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_52 ->
      /* CANCELLATION */
      printf("@ server 52\n");
      TAKEN(1, 52);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION(word)));
      word = AFTER_C_CANCELLATION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_53 ->
      /* SUBSCRIBE-X */
      printf("@ server 53\n");
      TAKEN(1, 53);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE_X(word)));
      word = AFTER_C_SUBSCRIBE_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_54 ->
      /* CANCEL-X */
      printf("@ server 54\n");
      TAKEN(1, 54);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL_X(word)));
      word = AFTER_C_CANCEL_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_55 ->
      /* SUBSCRIPTION-X */
      printf("@ server 55\n");
      TAKEN(1, 55);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION_X(word)));
      word = AFTER_C_SUBSCRIPTION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_56 ->
      /* CANCELLATION-X */
      printf("@ server 56\n");
      TAKEN(1, 56);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION_X(word)));
      word = AFTER_C_CANCELLATION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  /* answering */
  :: d_step { server_57 && SPACE(to_client, 1) ->
      /* introduce */
      printf("@ server 57\n");
      TAKEN(1, 57);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_READY(word)));
      word = AFTER_S_READY(word);
#endif
      to_client ! READY, 0;
      look_client();
      server = server_open;
      skip
    }
  :: d_step { server_58 ->
      /* expired */
      printf("@ server 58\n");
      TAKEN(1, 58);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_59 ->
      /* malformed */
      printf("@ server 59\n");
      TAKEN(1, 59);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_60 ->
      /* unknown */
      printf("@ server 60\n");
      TAKEN(1, 60);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_61 ->
      /* disconnected */
      printf("@ server 61\n");
      TAKEN(1, 61);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_62 ->
      /* GREETING */
      printf("@ server 62\n");
      TAKEN(1, 62);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_GREETING(word)));
      word = AFTER_C_GREETING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_63 ->
      /* READY */
      printf("@ server 63\n");
      TAKEN(1, 63);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_READY(word)));
      word = AFTER_C_READY(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_64 ->
      /* ERROR */
      printf("@ server 64\n");
      TAKEN(1, 64);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ERROR(word)));
      word = AFTER_C_ERROR(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_65 ->
      /* PING */
      printf("@ server 65\n");
      TAKEN(1, 65);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING(word)));
      word = AFTER_C_PING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_66 ->
      /* PONG */
      printf("@ server 66\n");
      TAKEN(1, 66);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PONG(word)));
      word = AFTER_C_PONG(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_67 ->
      /* SUBSCRIBE */
      printf("@ server 67\n");
      TAKEN(1, 67);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_68 ->
      /* CANCEL */
      printf("@ server 68\n");
      TAKEN(1, 68);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL(word)));
      word = AFTER_C_CANCEL(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_69 ->
      /* SUBSCRIPTION */
      printf("@ server 69\n");
      TAKEN(1, 69);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION(word)));
      word = AFTER_C_SUBSCRIPTION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_70 ->
      /* CANCELLATION */
      printf("@ server 70\n");
      TAKEN(1, 70);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION(word)));
      word = AFTER_C_CANCELLATION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_71 ->
      /* SUBSCRIBE-X */
      printf("@ server 71\n");
      TAKEN(1, 71);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE_X(word)));
      word = AFTER_C_SUBSCRIBE_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_72 ->
      /* CANCEL-X */
      printf("@ server 72\n");
      TAKEN(1, 72);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL_X(word)));
      word = AFTER_C_CANCEL_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_73 ->
      /* SUBSCRIPTION-X */
      printf("@ server 73\n");
      TAKEN(1, 73);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION_X(word)));
      word = AFTER_C_SUBSCRIPTION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_74 ->
      /* CANCELLATION-X */
      printf("@ server 74\n");
      TAKEN(1, 74);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION_X(word)));
      word = AFTER_C_CANCELLATION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  /* handshake */
  :: d_step { server_75 ->
      /* expired */
      printf("@ server 75\n");
      TAKEN(1, 75);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_76 ->
      /* malformed */
      printf("@ server 76\n");
      TAKEN(1, 76);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_77 ->
      /* unknown */
      printf("@ server 77\n");
      TAKEN(1, 77);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_78 ->
      /* disconnected */
      printf("@ server 78\n");
      TAKEN(1, 78);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_79 ->
      /* GREETING */
      printf("@ server 79\n");
      TAKEN(1, 79);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_GREETING(word)));
      word = AFTER_C_GREETING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_80 && SPACE(to_client, 1) ->
      /* READY refused: refused */
      printf("@ server 80\n");
      TAKEN(1, 80);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_ERROR(AFTER_C_READY(word))));
      word = AFTER_S_ERROR(AFTER_C_READY(word));
#endif
      to_client ! ERROR, 0;
      look_client();
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_81 ->
      /* READY */
      printf("@ server 81\n");
      TAKEN(1, 81);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_READY(word)));
      word = AFTER_C_READY(word);
#endif
      server = server_open;
      take_server();
      skip
    }
  :: d_step { server_82 ->
      /* ERROR */
      printf("@ server 82\n");
      TAKEN(1, 82);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ERROR(word)));
      word = AFTER_C_ERROR(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_83 ->
      /* PING */
      printf("@ server 83\n");
      TAKEN(1, 83);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING(word)));
      word = AFTER_C_PING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_84 ->
      /* PONG */
      printf("@ server 84\n");
      TAKEN(1, 84);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PONG(word)));
      word = AFTER_C_PONG(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_85 ->
      /* SUBSCRIBE */
      printf("@ server 85\n");
      TAKEN(1, 85);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_86 ->
      /* CANCEL */
      printf("@ server 86\n");
      TAKEN(1, 86);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL(word)));
      word = AFTER_C_CANCEL(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_87 ->
      /* SUBSCRIPTION */
      printf("@ server 87\n");
      TAKEN(1, 87);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION(word)));
      word = AFTER_C_SUBSCRIPTION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_88 ->
      /* CANCELLATION */
      printf("@ server 88\n");
      TAKEN(1, 88);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION(word)));
      word = AFTER_C_CANCELLATION(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_89 ->
      /* SUBSCRIBE-X */
      printf("@ server 89\n");
      TAKEN(1, 89);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE_X(word)));
      word = AFTER_C_SUBSCRIBE_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_90 ->
      /* CANCEL-X */
      printf("@ server 90\n");
      TAKEN(1, 90);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL_X(word)));
      word = AFTER_C_CANCEL_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_91 ->
      /* SUBSCRIPTION-X */
      printf("@ server 91\n");
      TAKEN(1, 91);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION_X(word)));
      word = AFTER_C_SUBSCRIPTION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_92 ->
      /* CANCELLATION-X */
      printf("@ server 92\n");
      TAKEN(1, 92);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION_X(word)));
      word = AFTER_C_CANCELLATION_X(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  /* open */
  :: d_step { server_93 ->
      /* heartbeat [unanswered >= unanswered_max] */
      printf("@ server 93\n");
      TAKEN(1, 93);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_94 && SPACE(to_client, 1) ->
      /* heartbeat [unanswered < unanswered_max] */
      printf("@ server 94\n");
      TAKEN(1, 94);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_PING(word)));
      word = AFTER_S_PING(word);
#endif
      server_unanswered = LEAST(ADD(server_unanswered, 1), 1);
      to_client ! PING, 0;
      look_client();
      skip
    }
  :: d_step { server_95 ->
      /* expired */
      printf("@ server 95\n");
      TAKEN(1, 95);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_96 ->
      /* malformed */
      printf("@ server 96\n");
      TAKEN(1, 96);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_97 ->
      /* unknown */
      printf("@ server 97\n");
      TAKEN(1, 97);
      server_unanswered = 0;
      skip
    }
  :: d_step { server_98 ->
      /* disconnected */
      printf("@ server 98\n");
      TAKEN(1, 98);
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      skip
    }
  :: d_step { server_99 ->
      /* GREETING */
      printf("@ server 99\n");
      TAKEN(1, 99);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_GREETING(word)));
      word = AFTER_C_GREETING(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_100 ->
      /* READY */
      printf("@ server 100\n");
      TAKEN(1, 100);
      assert(unexpected);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_READY(word)));
      word = AFTER_C_READY(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_101 ->
      /* ERROR */
      printf("@ server 101\n");
      TAKEN(1, 101);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ERROR(word)));
      word = AFTER_C_ERROR(word);
#endif
      server = server_closed;
      server_terminated = true;
      server_unanswered = 0;
      server_unanswered_max = 1;
      take_server();
      skip
    }
  :: d_step { server_102 && SPACE(to_client, 1) ->
      /* PING */
      printf("@ server 102\n");
      TAKEN(1, 102);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_PONG(AFTER_C_PING(word))));
      word = AFTER_S_PONG(AFTER_C_PING(word));
#endif
      server_unanswered = 0;
      to_client ! PONG, 0;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_103 ->
      /* PONG */
      printf("@ server 103\n");
      TAKEN(1, 103);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PONG(word)));
      word = AFTER_C_PONG(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_104 ->
      /* SUBSCRIBE */
      printf("@ server 104\n");
      TAKEN(1, 104);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_105 ->
      /* CANCEL */
      printf("@ server 105\n");
      TAKEN(1, 105);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL(word)));
      word = AFTER_C_CANCEL(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_106 ->
      /* SUBSCRIPTION */
      printf("@ server 106\n");
      TAKEN(1, 106);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION(word)));
      word = AFTER_C_SUBSCRIPTION(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_107 ->
      /* CANCELLATION */
      printf("@ server 107\n");
      TAKEN(1, 107);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION(word)));
      word = AFTER_C_CANCELLATION(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_108 ->
      /* SUBSCRIBE-X */
      printf("@ server 108\n");
      TAKEN(1, 108);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE_X(word)));
      word = AFTER_C_SUBSCRIBE_X(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_109 ->
      /* CANCEL-X */
      printf("@ server 109\n");
      TAKEN(1, 109);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL_X(word)));
      word = AFTER_C_CANCEL_X(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_110 ->
      /* SUBSCRIPTION-X */
      printf("@ server 110\n");
      TAKEN(1, 110);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION_X(word)));
      word = AFTER_C_SUBSCRIPTION_X(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  :: d_step { server_111 ->
      /* CANCELLATION-X */
      printf("@ server 111\n");
      TAKEN(1, 111);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION_X(word)));
      word = AFTER_C_CANCELLATION_X(word);
#endif
      server_unanswered = 0;
      take_server();
      skip
    }
  /* closed */
  :: d_step { server_112 ->
      /* malformed */
      printf("@ server 112\n");
      TAKEN(1, 112);
      skip
    }
  :: d_step { server_113 ->
      /* GREETING */
      printf("@ server 113\n");
      TAKEN(1, 113);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_GREETING(word)));
      word = AFTER_C_GREETING(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_114 ->
      /* READY */
      printf("@ server 114\n");
      TAKEN(1, 114);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_READY(word)));
      word = AFTER_C_READY(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_115 ->
      /* ERROR */
      printf("@ server 115\n");
      TAKEN(1, 115);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ERROR(word)));
      word = AFTER_C_ERROR(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_116 ->
      /* PING */
      printf("@ server 116\n");
      TAKEN(1, 116);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING(word)));
      word = AFTER_C_PING(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_117 ->
      /* PONG */
      printf("@ server 117\n");
      TAKEN(1, 117);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PONG(word)));
      word = AFTER_C_PONG(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_118 ->
      /* SUBSCRIBE */
      printf("@ server 118\n");
      TAKEN(1, 118);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_119 ->
      /* CANCEL */
      printf("@ server 119\n");
      TAKEN(1, 119);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL(word)));
      word = AFTER_C_CANCEL(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_120 ->
      /* SUBSCRIPTION */
      printf("@ server 120\n");
      TAKEN(1, 120);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION(word)));
      word = AFTER_C_SUBSCRIPTION(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_121 ->
      /* CANCELLATION */
      printf("@ server 121\n");
      TAKEN(1, 121);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION(word)));
      word = AFTER_C_CANCELLATION(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_122 ->
      /* SUBSCRIBE-X */
      printf("@ server 122\n");
      TAKEN(1, 122);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE_X(word)));
      word = AFTER_C_SUBSCRIBE_X(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_123 ->
      /* CANCEL-X */
      printf("@ server 123\n");
      TAKEN(1, 123);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCEL_X(word)));
      word = AFTER_C_CANCEL_X(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_124 ->
      /* SUBSCRIPTION-X */
      printf("@ server 124\n");
      TAKEN(1, 124);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIPTION_X(word)));
      word = AFTER_C_SUBSCRIPTION_X(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_125 ->
      /* CANCELLATION-X */
      printf("@ server 125\n");
      TAKEN(1, 125);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CANCELLATION_X(word)));
      word = AFTER_C_CANCELLATION_X(word);
#endif
      take_server();
      skip
    }
  /* terminated: messages are dropped */
  :: d_step { server_terminated && server_head != 0 ->
      printf("@ server -1\n");
      take_server()
    }
  od
}

/* No step changes the situation, is cut, or is a fault */
#define NOTHING_CHANGES (!client_changes && !server_changes && !client_cut && !server_cut && !client_faulty && !server_faulty)

/* Reports faults of a whole situation */
active proctype judge() {
end:
  do
  :: false
#ifdef DEADLOCK
  :: d_step { NOTHING_CHANGES && !client_waits && !server_waits && !(client_may_end && server_may_end) ->
      printf("@ judge deadlock\n");
      assert(deadlock)
    }
#endif
#ifdef STANDSTILL
  :: d_step { NOTHING_CHANGES && (client_waits || server_waits) ->
      printf("@ judge standstill\n");
      assert(standstill)
    }
#endif
#ifdef GRAMMAR
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 1 && !(server_1) ->
      printf("@ judge owed\n");
      assert(owed)
    }
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 9 && !(false) ->
      printf("@ judge owed\n");
      assert(owed)
    }
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 11 && !(false) ->
      printf("@ judge owed\n");
      assert(owed)
    }
#endif
  od
}
