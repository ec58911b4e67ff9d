/*
 * ZeroMQ Enterprise Publish-Subscribe: client and server together, for the model checker spin.
 * Generated from the models: change the models. `zeps-codegen spin` runs it, and docs/checks.md explains it.
 *
 *   spin -DN=3 -a zeps.pml && gcc -O2 -DNOREDUCE -DCOLLAPSE -o pan pan.c && ./pan -m4000000
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

/* Relevant texts */
#define TEXT 0    /* '' */
#define TEXT_A 1    /* 'a' */
#define TEXT_ENDED 2    /* 'ended' */
#define TEXT_ 3    /* 'subscribe_refused' */

mtype = { ATTACH, ATTACH_OK, SUBSCRIBE, SUBSCRIBE_OK, CREDIT, PUBLISH, DELIVER, PING, PING_OK, DETACH, DETACH_OK, INVALID };
mtype:client_state = { client_start, client_attaching, client_leaving, client_open, client_detaching };
mtype:server_state = { server_start, server_open, server_detaching };

chan to_client = [CAPACITY] of { mtype, int };
chan to_server = [CAPACITY] of { mtype, int };

/* ZEPS client session */
mtype:client_state client = client_start;
int client_credit = 0;    /* Octets of DELIVER frames that the broker may still send */
int client_pending = 0;    /* SUBSCRIBE commands without an answer */
int client_unanswered = 0;    /* PING commands without an answer */
int client_unanswered_max = 3;    /* PING commands without an answer that mean the broker is gone */
int client_stale = 0;    /* 1 while INVALIDs may still arrive that answer commands of a session that is over */
byte client_stream = TEXT;    /* The stream to attach to */
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
#define client_0 (client == client_start)
#define client_1 (client == client_start)
#define client_2 (client == client_start && MALFORMED)
#define client_3 (client == client_start)
#define client_4 (client == client_start)
#define client_5 (client == client_start && client_head == ATTACH_OK)
#define client_6 (client == client_start && client_head == SUBSCRIBE_OK)
#define client_7 (client == client_start && client_head == DELIVER)
#define client_8 (client == client_start && client_head == PING)
#define client_9 (client == client_start && client_head == PING_OK)
#define client_10 (client == client_start && client_head == DETACH)
#define client_11 (client == client_start && client_head == DETACH_OK)
#define client_12 (client == client_start && client_head == INVALID)
#define client_13 (client == client_attaching)
#define client_14 (client == client_attaching && GIVE_UP)
#define client_15 (client == client_attaching && MALFORMED)
#define client_16 (client == client_attaching)
#define client_17 (client == client_attaching && client_head == ATTACH_OK)
#define client_18 (client == client_attaching && client_head == SUBSCRIBE_OK)
#define client_19 (client == client_attaching && client_head == DELIVER)
#define client_20 (client == client_attaching && client_head == PING)
#define client_21 (client == client_attaching && client_head == PING_OK)
#define client_22 (client == client_attaching && client_head == DETACH)
#define client_23 (client == client_attaching && client_head == DETACH_OK)
#define client_24 (client == client_attaching && client_head == INVALID && (client_stale == 1))
#define client_25 (client == client_attaching && client_head == INVALID && (client_stale != 1))
#define client_26 (client == client_leaving)
#define client_27 (client == client_leaving && GIVE_UP)
#define client_28 (client == client_leaving && MALFORMED)
#define client_29 (client == client_leaving && client_head == ATTACH_OK)
#define client_30 (client == client_leaving && client_head == SUBSCRIBE_OK)
#define client_31 (client == client_leaving && client_head == DELIVER)
#define client_32 (client == client_leaving && client_head == PING)
#define client_33 (client == client_leaving && client_head == PING_OK)
#define client_34 (client == client_leaving && client_head == DETACH)
#define client_35 (client == client_leaving && client_head == DETACH_OK)
#define client_36 (client == client_leaving && client_head == INVALID && (client_stale == 1))
#define client_37 (client == client_leaving && client_head == INVALID && (client_stale != 1))
#define client_38 (client == client_open && GIVE_UP && (client_unanswered >= client_unanswered_max))
#define client_39 (client == client_open && (client_unanswered < client_unanswered_max))
#define client_40 (client == client_open)
#define client_41 (client == client_open && MALFORMED)
#define client_43 (client == client_open && (ADD(client_pending, 1) <= 2))
#define client_45 (client == client_open && (ADD(client_credit, 1) <= 2))
#define client_46 (client == client_open)
#define client_47 (client == client_open)
#define client_48 (client == client_open)
#define client_49 (client == client_open && client_head == ATTACH_OK)
#define client_51 (client == client_open && client_head == SUBSCRIBE_OK && (client_pending > 0) && (SUBTRACT(client_pending, 1) <= 2))
#define client_52 (client == client_open && client_head == SUBSCRIBE_OK && (client_pending <= 0))
#define client_54 (client == client_open && client_head == DELIVER && (client_credit >= 1) && (SUBTRACT(client_credit, 1) <= 2))
#define client_55 (client == client_open && client_head == DELIVER && (client_credit < 1))
#define client_56 (client == client_open && client_head == PING)
#define client_57 (client == client_open && client_head == PING_OK)
#define client_58 (client == client_open && client_head == DETACH)
#define client_59 (client == client_open && client_head == DETACH_OK)
#define client_60 (client == client_open && client_head == INVALID && (client_field_1 == TEXT_ENDED))
#define client_62 (client == client_open && client_head == INVALID && (client_field_1 == TEXT_) && (client_pending > 0) && (SUBTRACT(client_pending, 1) <= 2))
#define client_63 (client == client_open && client_head == INVALID && (client_field_1 == TEXT_) && (client_pending <= 0))
#define client_64 (client == client_open && client_head == INVALID && (client_field_1 != TEXT_ENDED) && (client_field_1 != TEXT_))
#define client_65 (client == client_detaching)
#define client_66 (client == client_detaching && GIVE_UP)
#define client_67 (client == client_detaching && MALFORMED)
#define client_68 (client == client_detaching && client_head == ATTACH_OK)
#define client_69 (client == client_detaching && client_head == SUBSCRIBE_OK)
#define client_70 (client == client_detaching && client_head == DELIVER)
#define client_71 (client == client_detaching && client_head == PING)
#define client_72 (client == client_detaching && client_head == PING_OK)
#define client_73 (client == client_detaching && client_head == DETACH)
#define client_74 (client == client_detaching && client_head == DETACH_OK)
#define client_75 (client == client_detaching && client_head == INVALID && (client_field_1 == TEXT_ENDED))
#define client_76 (client == client_detaching && client_head == INVALID && (client_field_1 == TEXT_))
#define client_77 (client == client_detaching && client_head == INVALID && (client_field_1 != TEXT_ENDED) && (client_field_1 != TEXT_))

/* Steps beyond the limit of a number are not explored */
#define client_cut ((client == client_open && (ADD(client_pending, 1) > 2)) || (client == client_open && (ADD(client_credit, 1) > 2)) || (client == client_open && client_head == SUBSCRIBE_OK && (client_pending > 0) && (SUBTRACT(client_pending, 1) > 2)) || (client == client_open && client_head == DELIVER && (client_credit >= 1) && (SUBTRACT(client_credit, 1) > 2)) || (client == client_open && client_head == INVALID && (client_field_1 == TEXT_) && (client_pending > 0) && (SUBTRACT(client_pending, 1) > 2)))
#define client_changes ((client_3 && SPACE(to_server, 1)) || (client_4 && SPACE(to_server, 1)) || (client_5) || (client_6) || (client_7) || (client_8) || (client_9) || (client_10 && SPACE(to_server, 1)) || (client_11) || (client_12) || (client_14) || (client_15) || (client_16) || (client_17) || (client_18) || (client_19) || (client_20 && SPACE(to_server, 1)) || (client_21) || (client_22 && SPACE(to_server, 1)) || (client_23) || (client_24) || (client_25) || (client_27) || (client_29 && SPACE(to_server, 1)) || (client_30) || (client_31) || (client_32 && SPACE(to_server, 1)) || (client_33) || (client_34 && SPACE(to_server, 1)) || (client_35) || (client_36) || (client_37) || (client_38) || (client_39 && SPACE(to_server, 1)) || (client_41) || (client_43 && SPACE(to_server, 1)) || (client_45 && SPACE(to_server, 1)) || (client_46 && SPACE(to_server, 1)) || (client_47 && SPACE(to_server, 1)) || (client_48 && SPACE(to_server, 1)) || (client_49) || (client_51) || (client_52) || (client_54) || (client_55) || (client_56 && SPACE(to_server, 1)) || (client_57) || (client_58 && SPACE(to_server, 1)) || (client_59) || (client_60 && SPACE(to_server, 1)) || (client_62) || (client_63) || (client_64) || (client_66) || (client_68) || (client_69) || (client_70) || (client_71) || (client_72) || (client_73) || (client_74) || (client_75) || (client_76) || (client_77) || false)
#define client_waits ((client_3 && !SPACE(to_server, 1)) || (client_4 && !SPACE(to_server, 1)) || (client_10 && !SPACE(to_server, 1)) || (client_20 && !SPACE(to_server, 1)) || (client_22 && !SPACE(to_server, 1)) || (client_29 && !SPACE(to_server, 1)) || (client_32 && !SPACE(to_server, 1)) || (client_34 && !SPACE(to_server, 1)) || (client_39 && !SPACE(to_server, 1)) || (client_43 && !SPACE(to_server, 1)) || (client_45 && !SPACE(to_server, 1)) || (client_46 && !SPACE(to_server, 1)) || (client_47 && !SPACE(to_server, 1)) || (client_48 && !SPACE(to_server, 1)) || (client_56 && !SPACE(to_server, 1)) || (client_58 && !SPACE(to_server, 1)) || (client_60 && !SPACE(to_server, 1)))
#define client_faulty (false)
#define client_may_end (false)

/* ZEPS server session */
mtype:server_state server = server_start;
int server_credit = 0;    /* Octets of DELIVER frames that the client still accepts */
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
#define server_0 (server == server_start && MALFORMED)
#define server_1 (server == server_start && server_head == ATTACH && (server_field_1 == TEXT))
#define server_2 (server == server_start && server_head == ATTACH && REFUSE && (server_field_1 != TEXT))
#define server_3 (server == server_start && server_head == ATTACH && (server_field_1 != TEXT))
#define server_4 (server == server_start && server_head == SUBSCRIBE)
#define server_5 (server == server_start && server_head == CREDIT)
#define server_6 (server == server_start && server_head == PUBLISH)
#define server_7 (server == server_start && server_head == PING)
#define server_8 (server == server_start && server_head == PING_OK)
#define server_9 (server == server_start && server_head == DETACH)
#define server_10 (server == server_start && server_head == DETACH_OK)
#define server_11 (server == server_open && MALFORMED)
#define server_12 (server == server_open)
#define server_13 (server == server_open && GIVE_UP)
#define server_14 (server == server_open)
#define server_15 (server == server_open)
#define server_17 (server == server_open && (server_credit >= 1) && (SUBTRACT(server_credit, 1) <= 2))
#define server_18 (server == server_open && server_head == ATTACH && (server_field_1 == TEXT))
#define server_19 (server == server_open && server_head == ATTACH && REFUSE && (server_field_1 != TEXT))
#define server_20 (server == server_open && server_head == ATTACH && (server_field_1 != TEXT))
#define server_21 (server == server_open && server_head == SUBSCRIBE && REFUSE)
#define server_22 (server == server_open && server_head == SUBSCRIBE)
#define server_24 (server == server_open && server_head == CREDIT && (ADD(server_credit, server_field_1) <= 2))
#define server_25 (server == server_open && server_head == PUBLISH)
#define server_26 (server == server_open && server_head == PING)
#define server_27 (server == server_open && server_head == PING_OK)
#define server_28 (server == server_open && server_head == DETACH)
#define server_29 (server == server_open && server_head == DETACH_OK)
#define server_30 (server == server_detaching && MALFORMED)
#define server_31 (server == server_detaching && GIVE_UP)
#define server_32 (server == server_detaching && server_head == ATTACH)
#define server_33 (server == server_detaching && server_head == SUBSCRIBE)
#define server_34 (server == server_detaching && server_head == CREDIT)
#define server_35 (server == server_detaching && server_head == PUBLISH)
#define server_36 (server == server_detaching && server_head == PING)
#define server_37 (server == server_detaching && server_head == PING_OK)
#define server_38 (server == server_detaching && server_head == DETACH)
#define server_39 (server == server_detaching && server_head == DETACH_OK)

/* Steps beyond the limit of a number are not explored */
#define server_cut ((server == server_open && (server_credit >= 1) && (SUBTRACT(server_credit, 1) > 2)) || (server == server_open && server_head == CREDIT && (ADD(server_credit, server_field_1) > 2)))
#define server_changes ((server_0 && SPACE(to_client, 1)) || (server_1 && SPACE(to_client, 1)) || (server_2 && SPACE(to_client, 1)) || (server_3 && SPACE(to_client, 1)) || (server_4 && SPACE(to_client, 1)) || (server_5 && SPACE(to_client, 1)) || (server_6 && SPACE(to_client, 1)) || (server_7 && SPACE(to_client, 1)) || (server_8 && SPACE(to_client, 1)) || (server_9 && SPACE(to_client, 1)) || (server_10 && SPACE(to_client, 1)) || (server_11 && SPACE(to_client, 1)) || (server_12 && SPACE(to_client, 1)) || (server_13) || (server_14 && SPACE(to_client, 1)) || (server_15 && SPACE(to_client, 1)) || (server_17 && SPACE(to_client, 1)) || (server_18 && SPACE(to_client, 1)) || (server_19 && SPACE(to_client, 1)) || (server_20 && SPACE(to_client, 1)) || (server_21 && SPACE(to_client, 1)) || (server_22 && SPACE(to_client, 1)) || (server_24) || (server_25) || (server_26 && SPACE(to_client, 1)) || (server_27) || (server_28 && SPACE(to_client, 1)) || (server_29 && SPACE(to_client, 1)) || (server_30 && SPACE(to_client, 1)) || (server_31) || (server_32) || (server_33) || (server_34) || (server_35) || (server_36) || (server_37) || (server_38 && SPACE(to_client, 1)) || (server_39) || false)
#define server_waits ((server_0 && !SPACE(to_client, 1)) || (server_1 && !SPACE(to_client, 1)) || (server_2 && !SPACE(to_client, 1)) || (server_3 && !SPACE(to_client, 1)) || (server_4 && !SPACE(to_client, 1)) || (server_5 && !SPACE(to_client, 1)) || (server_6 && !SPACE(to_client, 1)) || (server_7 && !SPACE(to_client, 1)) || (server_8 && !SPACE(to_client, 1)) || (server_9 && !SPACE(to_client, 1)) || (server_10 && !SPACE(to_client, 1)) || (server_11 && !SPACE(to_client, 1)) || (server_12 && !SPACE(to_client, 1)) || (server_14 && !SPACE(to_client, 1)) || (server_15 && !SPACE(to_client, 1)) || (server_17 && !SPACE(to_client, 1)) || (server_18 && !SPACE(to_client, 1)) || (server_19 && !SPACE(to_client, 1)) || (server_20 && !SPACE(to_client, 1)) || (server_21 && !SPACE(to_client, 1)) || (server_22 && !SPACE(to_client, 1)) || (server_26 && !SPACE(to_client, 1)) || (server_28 && !SPACE(to_client, 1)) || (server_29 && !SPACE(to_client, 1)) || (server_30 && !SPACE(to_client, 1)) || (server_38 && !SPACE(to_client, 1)))
#define server_faulty (false)
#define server_may_end (false)

/* The session grammar, as an automaton that watches the server */
#define NO_WORD 255
#define AFTER_C_ATTACH(w) ((w) == 0 -> 1 : ((w) == 3 -> 1 : ((w) == 8 -> 9 : ((w) == 9 -> 9 : NO_WORD))))
#define AFTER_C_CREDIT(w) ((w) == 0 -> 2 : ((w) == 3 -> 3 : ((w) == 8 -> 8 : ((w) == 9 -> 8 : NO_WORD))))
#define AFTER_C_DETACH(w) ((w) == 0 -> 2 : ((w) == 3 -> 4 : ((w) == 8 -> 4 : ((w) == 9 -> 4 : NO_WORD))))
#define AFTER_C_DETACH_OK(w) ((w) == 0 -> 2 : ((w) == 3 -> 5 : ((w) == 8 -> 0 : ((w) == 9 -> 0 : NO_WORD))))
#define AFTER_C_PING(w) ((w) == 0 -> 2 : ((w) == 3 -> 6 : ((w) == 8 -> 8 : ((w) == 9 -> 8 : NO_WORD))))
#define AFTER_C_PING_OK(w) ((w) == 0 -> 2 : ((w) == 3 -> 3 : ((w) == 8 -> 8 : ((w) == 9 -> 8 : NO_WORD))))
#define AFTER_C_PUBLISH(w) ((w) == 0 -> 2 : ((w) == 3 -> 3 : ((w) == 8 -> 8 : ((w) == 9 -> 8 : NO_WORD))))
#define AFTER_C_SUBSCRIBE(w) ((w) == 0 -> 2 : ((w) == 3 -> 7 : ((w) == 8 -> 8 : ((w) == 9 -> 8 : NO_WORD))))
#define AFTER_S_ATTACH_OK(w) ((w) == 1 -> 3 : ((w) == 9 -> 3 : NO_WORD))
#define AFTER_S_DELIVER(w) ((w) == 3 -> 3 : NO_WORD)
#define AFTER_S_DETACH(w) ((w) == 3 -> 8 : NO_WORD)
#define AFTER_S_DETACH_OK(w) ((w) == 4 -> 0 : NO_WORD)
#define AFTER_S_INVALID(w) ((w) == 0 -> 0 : ((w) == 1 -> 0 : ((w) == 2 -> 0 : ((w) == 3 -> 3 : ((w) == 4 -> 0 : ((w) == 5 -> 3 : ((w) == 6 -> 0 : ((w) == 7 -> 3 : ((w) == 8 -> 0 : ((w) == 9 -> 0 : NO_WORD))))))))))
#define AFTER_S_PING(w) ((w) == 3 -> 3 : NO_WORD)
#define AFTER_S_PING_OK(w) ((w) == 6 -> 3 : NO_WORD)
#define AFTER_S_SUBSCRIBE_OK(w) ((w) == 7 -> 3 : NO_WORD)
#ifdef GRAMMAR
byte word = 0;
#endif

#ifdef COVERAGE
c_decl {
  \#include <stdio.h>
  static unsigned char taken[2][78];
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
      /* heartbeat */
      printf("@ client 0\n");
      TAKEN(0, 0);
      skip
    }
  :: d_step { client_1 ->
      /* expired */
      printf("@ client 1\n");
      TAKEN(0, 1);
      skip
    }
  :: d_step { client_2 ->
      /* malformed */
      printf("@ client 2\n");
      TAKEN(0, 2);
      skip
    }
  :: d_step { client_3 && SPACE(to_server, 1) ->
      /* open(stream = '') */
      printf("@ client 3\n");
      TAKEN(0, 3);
      client_stream = TEXT;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      to_server ! ATTACH, client_stream;
      look_server();
      client = client_attaching;
      skip
    }
  :: d_step { client_4 && SPACE(to_server, 1) ->
      /* open(stream = 'a') */
      printf("@ client 4\n");
      TAKEN(0, 4);
      client_stream = TEXT_A;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      to_server ! ATTACH, client_stream;
      look_server();
      client = client_attaching;
      skip
    }
  :: d_step { client_5 ->
      /* ATTACH-OK */
      printf("@ client 5\n");
      TAKEN(0, 5);
      take_client();
      skip
    }
  :: d_step { client_6 ->
      /* SUBSCRIBE-OK */
      printf("@ client 6\n");
      TAKEN(0, 6);
      take_client();
      skip
    }
  :: d_step { client_7 ->
      /* DELIVER */
      printf("@ client 7\n");
      TAKEN(0, 7);
      take_client();
      skip
    }
  :: d_step { client_8 ->
      /* PING */
      printf("@ client 8\n");
      TAKEN(0, 8);
      take_client();
      skip
    }
  :: d_step { client_9 ->
      /* PING-OK */
      printf("@ client 9\n");
      TAKEN(0, 9);
      take_client();
      skip
    }
  :: d_step { client_10 && SPACE(to_server, 1) ->
      /* DETACH */
      printf("@ client 10\n");
      TAKEN(0, 10);
      to_server ! DETACH_OK, 0;
      look_server();
      take_client();
      skip
    }
  :: d_step { client_11 ->
      /* DETACH-OK */
      printf("@ client 11\n");
      TAKEN(0, 11);
      take_client();
      skip
    }
  :: d_step { client_12 ->
      /* INVALID */
      printf("@ client 12\n");
      TAKEN(0, 12);
      take_client();
      skip
    }
  /* attaching */
  :: d_step { client_13 ->
      /* heartbeat */
      printf("@ client 13\n");
      TAKEN(0, 13);
      skip
    }
  :: d_step { client_14 ->
      /* expired */
      printf("@ client 14\n");
      TAKEN(0, 14);
      client_stale = 0;
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      skip
    }
  :: d_step { client_15 ->
      /* malformed */
      printf("@ client 15\n");
      TAKEN(0, 15);
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      skip
    }
  :: d_step { client_16 ->
      /* close */
      printf("@ client 16\n");
      TAKEN(0, 16);
      client = client_leaving;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      skip
    }
  :: d_step { client_17 ->
      /* ATTACH-OK */
      printf("@ client 17\n");
      TAKEN(0, 17);
      client_stale = 0;
      client = client_open;
      take_client();
      skip
    }
  :: d_step { client_18 ->
      /* SUBSCRIBE-OK */
      printf("@ client 18\n");
      TAKEN(0, 18);
      take_client();
      skip
    }
  :: d_step { client_19 ->
      /* DELIVER */
      printf("@ client 19\n");
      TAKEN(0, 19);
      take_client();
      skip
    }
  :: d_step { client_20 && SPACE(to_server, 1) ->
      /* PING */
      printf("@ client 20\n");
      TAKEN(0, 20);
      to_server ! PING_OK, 0;
      look_server();
      take_client();
      skip
    }
  :: d_step { client_21 ->
      /* PING-OK */
      printf("@ client 21\n");
      TAKEN(0, 21);
      take_client();
      skip
    }
  :: d_step { client_22 && SPACE(to_server, 1) ->
      /* DETACH */
      printf("@ client 22\n");
      TAKEN(0, 22);
      to_server ! DETACH_OK, 0;
      look_server();
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      take_client();
      skip
    }
  :: d_step { client_23 ->
      /* DETACH-OK */
      printf("@ client 23\n");
      TAKEN(0, 23);
      take_client();
      skip
    }
  :: d_step { client_24 ->
      /* INVALID [stale == 1] */
      printf("@ client 24\n");
      TAKEN(0, 24);
      take_client();
      skip
    }
  :: d_step { client_25 ->
      /* INVALID [stale != 1] */
      printf("@ client 25\n");
      TAKEN(0, 25);
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      take_client();
      skip
    }
  /* leaving */
  :: d_step { client_26 ->
      /* heartbeat */
      printf("@ client 26\n");
      TAKEN(0, 26);
      skip
    }
  :: d_step { client_27 ->
      /* expired */
      printf("@ client 27\n");
      TAKEN(0, 27);
      client_stale = 0;
      client = client_start;
      skip
    }
  :: d_step { client_28 ->
      /* malformed */
      printf("@ client 28\n");
      TAKEN(0, 28);
      skip
    }
  :: d_step { client_29 && SPACE(to_server, 1) ->
      /* ATTACH-OK */
      printf("@ client 29\n");
      TAKEN(0, 29);
      to_server ! DETACH, 0;
      look_server();
      client = client_detaching;
      client_stale = 0;
      take_client();
      skip
    }
  :: d_step { client_30 ->
      /* SUBSCRIBE-OK */
      printf("@ client 30\n");
      TAKEN(0, 30);
      take_client();
      skip
    }
  :: d_step { client_31 ->
      /* DELIVER */
      printf("@ client 31\n");
      TAKEN(0, 31);
      take_client();
      skip
    }
  :: d_step { client_32 && SPACE(to_server, 1) ->
      /* PING */
      printf("@ client 32\n");
      TAKEN(0, 32);
      to_server ! PING_OK, 0;
      look_server();
      take_client();
      skip
    }
  :: d_step { client_33 ->
      /* PING-OK */
      printf("@ client 33\n");
      TAKEN(0, 33);
      take_client();
      skip
    }
  :: d_step { client_34 && SPACE(to_server, 1) ->
      /* DETACH */
      printf("@ client 34\n");
      TAKEN(0, 34);
      to_server ! DETACH_OK, 0;
      look_server();
      client = client_start;
      take_client();
      skip
    }
  :: d_step { client_35 ->
      /* DETACH-OK */
      printf("@ client 35\n");
      TAKEN(0, 35);
      take_client();
      skip
    }
  :: d_step { client_36 ->
      /* INVALID [stale == 1] */
      printf("@ client 36\n");
      TAKEN(0, 36);
      take_client();
      skip
    }
  :: d_step { client_37 ->
      /* INVALID [stale != 1] */
      printf("@ client 37\n");
      TAKEN(0, 37);
      client = client_start;
      take_client();
      skip
    }
  /* open */
  :: d_step { client_38 ->
      /* heartbeat [unanswered >= unanswered_max] */
      printf("@ client 38\n");
      TAKEN(0, 38);
      client_stale = 1;
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      skip
    }
  :: d_step { client_39 && SPACE(to_server, 1) ->
      /* heartbeat [unanswered < unanswered_max] */
      printf("@ client 39\n");
      TAKEN(0, 39);
      client_unanswered = LEAST(ADD(client_unanswered, 1), 3);
      to_server ! PING, 0;
      look_server();
      skip
    }
  :: d_step { client_40 ->
      /* expired */
      printf("@ client 40\n");
      TAKEN(0, 40);
      skip
    }
  :: d_step { client_41 ->
      /* malformed */
      printf("@ client 41\n");
      TAKEN(0, 41);
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      skip
    }
  :: d_step { client_43 && SPACE(to_server, 1) ->
      /* follow [pending + 1 <= 2] */
      printf("@ client 43\n");
      TAKEN(0, 43);
      client_pending = ADD(client_pending, 1);
      to_server ! SUBSCRIBE, 0;
      look_server();
      skip
    }
  :: d_step { client_45 && SPACE(to_server, 1) ->
      /* grant(octets = 1) [credit + 1 <= 2] */
      printf("@ client 45\n");
      TAKEN(0, 45);
      client_credit = ADD(client_credit, 1);
      to_server ! CREDIT, 1;
      look_server();
      skip
    }
  :: d_step { client_46 && SPACE(to_server, 1) ->
      /* post */
      printf("@ client 46\n");
      TAKEN(0, 46);
      to_server ! PUBLISH, 0;
      look_server();
      skip
    }
  :: d_step { client_47 && SPACE(to_server, 1) ->
      /* probe */
      printf("@ client 47\n");
      TAKEN(0, 47);
      client_unanswered = LEAST(ADD(client_unanswered, 1), 3);
      to_server ! PING, 0;
      look_server();
      skip
    }
  :: d_step { client_48 && SPACE(to_server, 1) ->
      /* close */
      printf("@ client 48\n");
      TAKEN(0, 48);
      to_server ! DETACH, 0;
      look_server();
      client = client_detaching;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stale = 0;
      client_stream = TEXT;
      skip
    }
  :: d_step { client_49 ->
      /* ATTACH-OK */
      printf("@ client 49\n");
      TAKEN(0, 49);
      assert(unexpected);
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      take_client();
      skip
    }
  :: d_step { client_51 ->
      /* SUBSCRIBE-OK [pending > 0 and pending - 1 <= 2] */
      printf("@ client 51\n");
      TAKEN(0, 51);
      client_pending = SUBTRACT(client_pending, 1);
      take_client();
      skip
    }
  :: d_step { client_52 ->
      /* SUBSCRIBE-OK [pending <= 0] */
      printf("@ client 52\n");
      TAKEN(0, 52);
      assert(unexpected);
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      take_client();
      skip
    }
  :: d_step { client_54 ->
      /* DELIVER [credit >= 1 and credit - 1 <= 2] */
      printf("@ client 54\n");
      TAKEN(0, 54);
      client_credit = SUBTRACT(client_credit, 1);
      take_client();
      skip
    }
  :: d_step { client_55 ->
      /* DELIVER [credit < 1] */
      printf("@ client 55\n");
      TAKEN(0, 55);
      assert(unexpected);
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      take_client();
      skip
    }
  :: d_step { client_56 && SPACE(to_server, 1) ->
      /* PING */
      printf("@ client 56\n");
      TAKEN(0, 56);
      to_server ! PING_OK, 0;
      look_server();
      take_client();
      skip
    }
  :: d_step { client_57 ->
      /* PING-OK */
      printf("@ client 57\n");
      TAKEN(0, 57);
      client_unanswered = 0;
      take_client();
      skip
    }
  :: d_step { client_58 && SPACE(to_server, 1) ->
      /* DETACH */
      printf("@ client 58\n");
      TAKEN(0, 58);
      to_server ! DETACH_OK, 0;
      look_server();
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      take_client();
      skip
    }
  :: d_step { client_59 ->
      /* DETACH-OK */
      printf("@ client 59\n");
      TAKEN(0, 59);
      assert(unexpected);
      client = client_start;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      client_stream = TEXT;
      take_client();
      skip
    }
  :: d_step { client_60 && SPACE(to_server, 1) ->
      /* INVALID [message.read as == 'ended'] refused: ended */
      printf("@ client 60\n");
      TAKEN(0, 60);
      client_stale = 1;
      client_credit = 0;
      client_pending = 0;
      client_unanswered = 0;
      to_server ! ATTACH, client_stream;
      look_server();
      client = client_attaching;
      take_client();
      skip
    }
  :: d_step { client_62 ->
      /* INVALID [message.read as == 'subscribe_refused' and pending > 0 and pending - 1 <= 2] refused: subscribe_refused */
      printf("@ client 62\n");
      TAKEN(0, 62);
      client_pending = SUBTRACT(client_pending, 1);
      take_client();
      skip
    }
  :: d_step { client_63 ->
      /* INVALID [message.read as == 'subscribe_refused' and pending <= 0] refused: subscribe_refused */
      printf("@ client 63\n");
      TAKEN(0, 63);
      take_client();
      skip
    }
  :: d_step { client_64 ->
      /* INVALID [message.read as != 'ended' and message.read as != 'subscribe_refused'] */
      printf("@ client 64\n");
      TAKEN(0, 64);
      take_client();
      skip
    }
  /* detaching */
  :: d_step { client_65 ->
      /* heartbeat */
      printf("@ client 65\n");
      TAKEN(0, 65);
      skip
    }
  :: d_step { client_66 ->
      /* expired */
      printf("@ client 66\n");
      TAKEN(0, 66);
      client_stale = 0;
      client = client_start;
      skip
    }
  :: d_step { client_67 ->
      /* malformed */
      printf("@ client 67\n");
      TAKEN(0, 67);
      skip
    }
  :: d_step { client_68 ->
      /* ATTACH-OK */
      printf("@ client 68\n");
      TAKEN(0, 68);
      take_client();
      skip
    }
  :: d_step { client_69 ->
      /* SUBSCRIBE-OK */
      printf("@ client 69\n");
      TAKEN(0, 69);
      take_client();
      skip
    }
  :: d_step { client_70 ->
      /* DELIVER */
      printf("@ client 70\n");
      TAKEN(0, 70);
      take_client();
      skip
    }
  :: d_step { client_71 ->
      /* PING */
      printf("@ client 71\n");
      TAKEN(0, 71);
      take_client();
      skip
    }
  :: d_step { client_72 ->
      /* PING-OK */
      printf("@ client 72\n");
      TAKEN(0, 72);
      take_client();
      skip
    }
  :: d_step { client_73 ->
      /* DETACH */
      printf("@ client 73\n");
      TAKEN(0, 73);
      take_client();
      skip
    }
  :: d_step { client_74 ->
      /* DETACH-OK */
      printf("@ client 74\n");
      TAKEN(0, 74);
      client_stale = 0;
      client = client_start;
      take_client();
      skip
    }
  :: d_step { client_75 ->
      /* INVALID [message.read as == 'ended'] refused: ended */
      printf("@ client 75\n");
      TAKEN(0, 75);
      client_stale = 1;
      client = client_start;
      take_client();
      skip
    }
  :: d_step { client_76 ->
      /* INVALID [message.read as == 'subscribe_refused'] refused: subscribe_refused */
      printf("@ client 76\n");
      TAKEN(0, 76);
      take_client();
      skip
    }
  :: d_step { client_77 ->
      /* INVALID [message.read as != 'ended' and message.read as != 'subscribe_refused'] */
      printf("@ client 77\n");
      TAKEN(0, 77);
      take_client();
      skip
    }
  od
}

active proctype server_machine() {
end:
  do
  :: false
  /* start */
  :: d_step { server_0 && SPACE(to_client, 1) ->
      /* malformed */
      printf("@ server 0\n");
      TAKEN(1, 0);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(word)));
      word = AFTER_S_INVALID(word);
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      skip
    }
  :: d_step { server_1 && SPACE(to_client, 1) ->
      /* ATTACH [message.stream == ''] */
      printf("@ server 1\n");
      TAKEN(1, 1);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_ATTACH(word))));
      word = AFTER_S_INVALID(AFTER_C_ATTACH(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_2 && SPACE(to_client, 1) ->
      /* ATTACH [message.stream != ''] refused: attach_refused */
      printf("@ server 2\n");
      TAKEN(1, 2);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_ATTACH(word))));
      word = AFTER_S_INVALID(AFTER_C_ATTACH(word));
#endif
      server_credit = 0;
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      server_credit = 0;
      take_server();
      skip
    }
  :: d_step { server_3 && SPACE(to_client, 1) ->
      /* ATTACH [message.stream != ''] */
      printf("@ server 3\n");
      TAKEN(1, 3);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_ATTACH_OK(AFTER_C_ATTACH(word))));
      word = AFTER_S_ATTACH_OK(AFTER_C_ATTACH(word));
#endif
      server_credit = 0;
      to_client ! ATTACH_OK, 0;
      look_client();
      server = server_open;
      take_server();
      skip
    }
  :: d_step { server_4 && SPACE(to_client, 1) ->
      /* SUBSCRIBE */
      printf("@ server 4\n");
      TAKEN(1, 4);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_SUBSCRIBE(word))));
      word = AFTER_S_INVALID(AFTER_C_SUBSCRIBE(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_5 && SPACE(to_client, 1) ->
      /* CREDIT */
      printf("@ server 5\n");
      TAKEN(1, 5);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_CREDIT(word))));
      word = AFTER_S_INVALID(AFTER_C_CREDIT(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_6 && SPACE(to_client, 1) ->
      /* PUBLISH */
      printf("@ server 6\n");
      TAKEN(1, 6);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_PUBLISH(word))));
      word = AFTER_S_INVALID(AFTER_C_PUBLISH(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_7 && SPACE(to_client, 1) ->
      /* PING */
      printf("@ server 7\n");
      TAKEN(1, 7);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_PING(word))));
      word = AFTER_S_INVALID(AFTER_C_PING(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_8 && SPACE(to_client, 1) ->
      /* PING-OK */
      printf("@ server 8\n");
      TAKEN(1, 8);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_PING_OK(word))));
      word = AFTER_S_INVALID(AFTER_C_PING_OK(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_9 && SPACE(to_client, 1) ->
      /* DETACH */
      printf("@ server 9\n");
      TAKEN(1, 9);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_DETACH(word))));
      word = AFTER_S_INVALID(AFTER_C_DETACH(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_10 && SPACE(to_client, 1) ->
      /* DETACH-OK */
      printf("@ server 10\n");
      TAKEN(1, 10);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_DETACH_OK(word))));
      word = AFTER_S_INVALID(AFTER_C_DETACH_OK(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      take_server();
      skip
    }
  /* open */
  :: d_step { server_11 && SPACE(to_client, 1) ->
      /* malformed */
      printf("@ server 11\n");
      TAKEN(1, 11);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(word)));
      word = AFTER_S_INVALID(word);
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      server = server_start;
      server_credit = 0;
      skip
    }
  :: d_step { server_12 && SPACE(to_client, 1) ->
      /* gap */
      printf("@ server 12\n");
      TAKEN(1, 12);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(word)));
      word = AFTER_S_INVALID(word);
#endif
      to_client ! INVALID, TEXT;
      look_client();
      skip
    }
  :: d_step { server_13 ->
      /* expired */
      printf("@ server 13\n");
      TAKEN(1, 13);
      server = server_start;
      server_credit = 0;
      skip
    }
  :: d_step { server_14 && SPACE(to_client, 1) ->
      /* heartbeat */
      printf("@ server 14\n");
      TAKEN(1, 14);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_PING(word)));
      word = AFTER_S_PING(word);
#endif
      to_client ! PING, 0;
      look_client();
      skip
    }
  :: d_step { server_15 && SPACE(to_client, 1) ->
      /* shutdown */
      printf("@ server 15\n");
      TAKEN(1, 15);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_DETACH(word)));
      word = AFTER_S_DETACH(word);
#endif
      to_client ! DETACH, 0;
      look_client();
      server = server_detaching;
      server_credit = 0;
      skip
    }
  :: d_step { server_17 && SPACE(to_client, 1) ->
      /* deliver [credit >= 1 and credit - 1 <= 2] */
      printf("@ server 17\n");
      TAKEN(1, 17);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_DELIVER(word)));
      word = AFTER_S_DELIVER(word);
#endif
      server_credit = SUBTRACT(server_credit, 1);
      to_client ! DELIVER, 0;
      look_client();
      skip
    }
  :: d_step { server_18 && SPACE(to_client, 1) ->
      /* ATTACH [message.stream == ''] */
      printf("@ server 18\n");
      TAKEN(1, 18);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_ATTACH(word))));
      word = AFTER_S_INVALID(AFTER_C_ATTACH(word));
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      server = server_start;
      server_credit = 0;
      take_server();
      skip
    }
  :: d_step { server_19 && SPACE(to_client, 1) ->
      /* ATTACH [message.stream != ''] refused: attach_refused */
      printf("@ server 19\n");
      TAKEN(1, 19);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_ATTACH(word))));
      word = AFTER_S_INVALID(AFTER_C_ATTACH(word));
#endif
      server_credit = 0;
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      server = server_start;
      server_credit = 0;
      take_server();
      skip
    }
  :: d_step { server_20 && SPACE(to_client, 1) ->
      /* ATTACH [message.stream != ''] */
      printf("@ server 20\n");
      TAKEN(1, 20);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_ATTACH_OK(AFTER_C_ATTACH(word))));
      word = AFTER_S_ATTACH_OK(AFTER_C_ATTACH(word));
#endif
      server_credit = 0;
      to_client ! ATTACH_OK, 0;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_21 && SPACE(to_client, 1) ->
      /* SUBSCRIBE refused: subscribe_refused */
      printf("@ server 21\n");
      TAKEN(1, 21);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_SUBSCRIBE(word))));
      word = AFTER_S_INVALID(AFTER_C_SUBSCRIBE(word));
#endif
      to_client ! INVALID, TEXT_;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_22 && SPACE(to_client, 1) ->
      /* SUBSCRIBE */
      printf("@ server 22\n");
      TAKEN(1, 22);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_SUBSCRIBE_OK(AFTER_C_SUBSCRIBE(word))));
      word = AFTER_S_SUBSCRIBE_OK(AFTER_C_SUBSCRIBE(word));
#endif
      to_client ! SUBSCRIBE_OK, 0;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_24 ->
      /* CREDIT [credit + message.credit <= 2] */
      printf("@ server 24\n");
      TAKEN(1, 24);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CREDIT(word)));
      word = AFTER_C_CREDIT(word);
#endif
      server_credit = ADD(server_credit, server_field_1);
      take_server();
      skip
    }
  :: d_step { server_25 ->
      /* PUBLISH */
      printf("@ server 25\n");
      TAKEN(1, 25);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PUBLISH(word)));
      word = AFTER_C_PUBLISH(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_26 && SPACE(to_client, 1) ->
      /* PING */
      printf("@ server 26\n");
      TAKEN(1, 26);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_PING_OK(AFTER_C_PING(word))));
      word = AFTER_S_PING_OK(AFTER_C_PING(word));
#endif
      to_client ! PING_OK, 0;
      look_client();
      take_server();
      skip
    }
  :: d_step { server_27 ->
      /* PING-OK */
      printf("@ server 27\n");
      TAKEN(1, 27);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING_OK(word)));
      word = AFTER_C_PING_OK(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_28 && SPACE(to_client, 1) ->
      /* DETACH */
      printf("@ server 28\n");
      TAKEN(1, 28);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_DETACH_OK(AFTER_C_DETACH(word))));
      word = AFTER_S_DETACH_OK(AFTER_C_DETACH(word));
#endif
      to_client ! DETACH_OK, 0;
      look_client();
      server = server_start;
      server_credit = 0;
      take_server();
      skip
    }
  :: d_step { server_29 && SPACE(to_client, 1) ->
      /* DETACH-OK */
      printf("@ server 29\n");
      TAKEN(1, 29);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(AFTER_C_DETACH_OK(word))));
      word = AFTER_S_INVALID(AFTER_C_DETACH_OK(word));
#endif
      to_client ! INVALID, TEXT;
      look_client();
      take_server();
      skip
    }
  /* detaching */
  :: d_step { server_30 && SPACE(to_client, 1) ->
      /* malformed */
      printf("@ server 30\n");
      TAKEN(1, 30);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_INVALID(word)));
      word = AFTER_S_INVALID(word);
#endif
      to_client ! INVALID, TEXT_ENDED;
      look_client();
      server = server_start;
      skip
    }
  :: d_step { server_31 ->
      /* expired */
      printf("@ server 31\n");
      TAKEN(1, 31);
      server = server_start;
      skip
    }
  :: d_step { server_32 ->
      /* ATTACH */
      printf("@ server 32\n");
      TAKEN(1, 32);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_ATTACH(word)));
      word = AFTER_C_ATTACH(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_33 ->
      /* SUBSCRIBE */
      printf("@ server 33\n");
      TAKEN(1, 33);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_SUBSCRIBE(word)));
      word = AFTER_C_SUBSCRIBE(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_34 ->
      /* CREDIT */
      printf("@ server 34\n");
      TAKEN(1, 34);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_CREDIT(word)));
      word = AFTER_C_CREDIT(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_35 ->
      /* PUBLISH */
      printf("@ server 35\n");
      TAKEN(1, 35);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PUBLISH(word)));
      word = AFTER_C_PUBLISH(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_36 ->
      /* PING */
      printf("@ server 36\n");
      TAKEN(1, 36);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING(word)));
      word = AFTER_C_PING(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_37 ->
      /* PING-OK */
      printf("@ server 37\n");
      TAKEN(1, 37);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_PING_OK(word)));
      word = AFTER_C_PING_OK(word);
#endif
      take_server();
      skip
    }
  :: d_step { server_38 && SPACE(to_client, 1) ->
      /* DETACH */
      printf("@ server 38\n");
      TAKEN(1, 38);
#ifdef GRAMMAR
      assert(no_word(AFTER_S_DETACH_OK(AFTER_C_DETACH(word))));
      word = AFTER_S_DETACH_OK(AFTER_C_DETACH(word));
#endif
      to_client ! DETACH_OK, 0;
      look_client();
      server = server_start;
      take_server();
      skip
    }
  :: d_step { server_39 ->
      /* DETACH-OK */
      printf("@ server 39\n");
      TAKEN(1, 39);
#ifdef GRAMMAR
      assert(no_word(AFTER_C_DETACH_OK(word)));
      word = AFTER_C_DETACH_OK(word);
#endif
      server = server_start;
      take_server();
      skip
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
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 1 && !(server_0 || server_11 || server_12 || server_30) ->
      printf("@ judge owed\n");
      assert(owed)
    }
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 2 && !(server_0 || server_11 || server_12 || server_30) ->
      printf("@ judge owed\n");
      assert(owed)
    }
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 4 && !(server_0 || server_11 || server_12 || server_30) ->
      printf("@ judge owed\n");
      assert(owed)
    }
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 5 && !(server_0 || server_11 || server_12 || server_30) ->
      printf("@ judge owed\n");
      assert(owed)
    }
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 6 && !(server_0 || server_11 || server_12 || server_30) ->
      printf("@ judge owed\n");
      assert(owed)
    }
  :: d_step { len(to_server) == 0 && len(to_client) == 0 && word == 7 && !(server_0 || server_11 || server_12 || server_30) ->
      printf("@ judge owed\n");
      assert(owed)
    }
#endif
  od
}
