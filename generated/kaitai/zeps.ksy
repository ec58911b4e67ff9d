# Generated from the models: change the models. Compile it with kaitai-struct-compiler 0.11 or later.
meta:
  id: zeps
  title: "ZeroMQ Enterprise Publish-Subscribe"
  endian: be
doc: |
  ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a broker,
  publishes messages to it, and receives those that match its subscriptions, from any point of the
  stream's history on.
seq:
  - id: signature
    contents: [0xaa, 0xa5]
  - id: message_id
    type: u1
    enum: message
    valid:
      in-enum: true
  - id: body
    type:
      switch-on: message_id
      cases:
        message::attach: attach
        message::attach_ok: attach_ok
        message::subscribe: subscribe
        message::subscribe_ok: subscribe_ok
        message::credit: credit
        message::publish: publish
        message::deliver: deliver
        message::ping: ping
        message::ping_ok: ping_ok
        message::detach: detach
        message::detach_ok: detach_ok
        message::invalid: invalid
  - id: end
    size: 0
    valid:
      expr: _io.eof
    doc: "The frame ends after the last field."
types:
  attach:
    doc: |
      Client opens stream

      ZEPS-ATTACH-1: A broker MUST answer an ATTACH that it grants by ATTACH-OK.

      ZEPS-ATTACH-7: A client MUST begin a session by ATTACH.

      ZEPS-ATTACH-2: A broker MUST refuse an ATTACH with another protocol name, with the code
      unsupported-protocol.

      ZEPS-ATTACH-3: A broker MUST refuse an ATTACH with a version that it does not speak, with the
      code unsupported-version.

      ZEPS-ATTACH-4: A broker MUST start a new session, without the subscriptions and the credit of
      the old one, when ATTACH arrives in an open session.

      ZEPS-ATTACH-5: A broker MUST refuse an ATTACH with an empty stream name, with the code
      stream-name.

      ZEPS-ATTACH-6: A broker MUST refuse an ATTACH that it cannot grant for a cause of its own with
      the code stream-unavailable, too-many-sessions or stopping.
    seq:
      - id: protocol
        contents: [0x04, ZEPS]
        doc: "Constant \"ZEPS\""
      - id: version
        type: u2
        valid: 1
        doc: "Protocol version 1"
      - id: len_stream
        type: u1
      - id: stream
        type: str
        size: len_stream
        encoding: UTF-8
        doc: |
          Stream name. Must not hold control characters (Unicode category Cc); Kaitai cannot check
          this
  attach_ok:
    doc: "Server grants the client access"
  subscribe:
    doc: |
      Client subscribes to a set of topics

      ZEPS-SUBSCRIBE-1: A broker MUST answer a valid SUBSCRIBE by SUBSCRIBE-OK before it delivers a
      message that the subscription brings.

      ZEPS-SUBSCRIBE-2: A broker MUST take a `latest` of 0 as a request for every message that the
      stream retains.

      ZEPS-SUBSCRIBE-3: A broker MUST take a `latest` of n as a request for the messages that follow
      sequence n.

      ZEPS-SUBSCRIBE-4: A broker MUST take a `latest` of 2^64-1 as a request for only the messages
      that are published from then on.

      ZEPS-SUBSCRIBE-5: A broker MUST refuse a SUBSCRIBE whose `latest` is beyond the end of the
      stream and is not 2^64-1, with the code beyond-end, the sequence after the end, and `latest`.

      ZEPS-SUBSCRIBE-6: A broker MUST deliver a message once to a session, however many
      subscriptions of the session match.

      ZEPS-SUBSCRIBE-7: A broker MUST deliver for a new subscription with an older `latest` only
      messages that the session has not received.

      ZEPS-SUBSCRIBE-8: A broker MUST take the matching style of a pattern from the stream, and not
      from the text of the pattern.

      ZEPS-SUBSCRIBE-15: A broker MUST match a pattern with the keys that begin with its octets, on
      a stream without another configured style.

      ZEPS-SUBSCRIBE-9: A broker MUST match the empty pattern with every key.

      ZEPS-SUBSCRIBE-10: A broker MUST NOT deliver a message to a session without a subscription.

      ZEPS-SUBSCRIBE-11: A broker MUST refuse a pattern outside the syntax of the matching style of
      the stream, with the code bad-pattern.

      ZEPS-SUBSCRIBE-12: A broker MUST deliver every message that a new subscription adds from the
      past before it continues with later messages.

      ZEPS-SUBSCRIBE-16: A broker MUST deliver what several new subscriptions add from the past in
      the order in which it received their SUBSCRIBEs.

      ZEPS-SUBSCRIBE-13: A broker that refuses a SUBSCRIBE MUST leave the session, its subscriptions
      and its credit unchanged.

      ZEPS-SUBSCRIBE-14: A broker MUST refuse a SUBSCRIBE beyond the number of subscriptions that it
      allows a session, with the code too-many-subscriptions.
    seq:
      - id: len_pattern
        type: u1
      - id: pattern
        type: str
        size: len_pattern
        encoding: UTF-8
        doc: |
          Subscription pattern. Must not hold control characters (Unicode category Cc); Kaitai
          cannot check this
      - id: latest
        type: u8
        doc: "Last known sequence"
  subscribe_ok:
    doc: "Server confirms the subscription"
  credit:
    doc: |
      Client sends credit to the server

      ZEPS-CREDIT-1: A broker MUST start a session with a credit of 0.

      ZEPS-CREDIT-2: A broker MUST subtract the octets of each encoded DELIVER frame from the credit
      of the session.

      ZEPS-CREDIT-3: A broker MUST add the credit of each CREDIT to the credit that is left.

      ZEPS-CREDIT-4: A broker MUST limit the credit of a session to 2^64-1, without an overflow.

      ZEPS-CREDIT-5: A broker MUST NOT send a DELIVER that is larger than the credit of the session.

      ZEPS-CREDIT-6: A broker MUST keep a message that is larger than the credit of the session
      until the credit covers it.

      ZEPS-CREDIT-7: A broker MUST NOT let a later message overtake a message that waits for credit.
    seq:
      - id: credit
        type: u8
        doc: "Credit, in octets"
  publish:
    doc: |
      Client publishes a new message to the open stream

      ZEPS-PUBLISH-1: A broker MUST NOT answer a valid PUBLISH in an open session.

      ZEPS-PUBLISH-2: A broker MUST deliver a message to the session that published it as to any
      other session with a matching subscription.

      ZEPS-PUBLISH-3: A broker MUST keep the messages of one publisher in the order in which it
      published them.

      ZEPS-PUBLISH-4: A broker MUST deliver the key and the body of a message octet for octet as
      they were published.

      ZEPS-PUBLISH-5: A broker MUST accept PUBLISH from a session without a subscription and without
      credit.

      ZEPS-PUBLISH-6: A client that cannot send MUST block or report the failure to its user.

      ZEPS-PUBLISH-9: A client MUST NOT drop a message that its user did not drop.

      ZEPS-PUBLISH-7: A broker MUST refuse a PUBLISH whose body has more than 16,777,216 octets.

      ZEPS-PUBLISH-8: A broker MUST store each PUBLISH of an open session exactly once.
    seq:
      - id: len_key
        type: u1
      - id: key
        type: str
        size: len_key
        encoding: UTF-8
        doc: |
          Message routing key. Must not hold control characters (Unicode category Cc); Kaitai cannot
          check this
      - id: len_body
        type: u4
        valid:
          max: 16777216
      - id: body
        size: len_body
        doc: "Message contents"
  deliver:
    doc: |
      Server delivers a message to the client

      ZEPS-DELIVER-1: A broker MUST deliver the messages that one subscription brings in ascending
      sequence.

      ZEPS-DELIVER-2: A broker MUST deliver the same key and body for a sequence to every session,
      live or replayed.
    seq:
      - id: sequence
        type: u8
        doc: "Sequenced per stream"
      - id: len_key
        type: u1
      - id: key
        type: str
        size: len_key
        encoding: UTF-8
        doc: |
          Message routing key. Must not hold control characters (Unicode category Cc); Kaitai cannot
          check this
      - id: len_body
        type: u4
        valid:
          max: 16777216
      - id: body
        size: len_body
        doc: "Message contents"
  ping:
    doc: |
      Client or server sends a heartbeat

      ZEPS-PING-1: A broker MUST answer PING in an open session by PING-OK.

      ZEPS-PING-2: A client that has not sent DETACH MUST answer PING by PING-OK.

      ZEPS-PING-3: A broker MUST serve the commands of a session in the order in which they arrive.

      ZEPS-PING-12: A broker MUST give a sequence to everything that a session published before a
      PING, before it sends the PING-OK.

      ZEPS-PING-4: A client SHOULD send PING when it has nothing else to send.

      ZEPS-PING-5: A client MUST stop sending PING after a few unanswered ones, three unless it is
      configured otherwise.

      ZEPS-PING-13: A client MUST attach again after it has stopped for unanswered PINGs.

      ZEPS-PING-14: A client that attaches again MUST resume its subscriptions at the last sequence
      that it received.

      ZEPS-PING-6: A broker MUST end a session that has been silent for longer than its timeout.

      ZEPS-PING-7: A broker MUST take any valid command as a sign of life.

      ZEPS-PING-15: A broker MUST take a command that is under way, in either direction, as a sign
      of life while it advances by at least 65,536 octets per second.

      ZEPS-PING-16: A broker MAY be configured to another rate than 65,536 octets per second for a
      command that is under way.

      ZEPS-PING-17: A broker that sees only whole commands MUST add to its timeout the time that the
      longest command takes at 65,536 octets per second, or at the rate that it is configured to.

      ZEPS-PING-8: A broker SHOULD use a timeout of 10 to 30 seconds.

      ZEPS-PING-9: A broker SHOULD send PING to a silent session before it ends the session.

      ZEPS-PING-10: A broker that has sent PING-OK MUST keep what the session published before the
      PING through a crash of its process.

      ZEPS-PING-11: A client that sees only whole commands MUST NOT give up its broker before the
      credit that it has granted and not received, and the PUBLISHes that it has sent and no PING-OK
      covers, could have passed at 65,536 octets per second.

      ZEPS-PING-18: A client MAY be configured to another rate than 65,536 octets per second for
      what is under way.
  ping_ok:
    doc: |
      Client or server answers a heartbeat

      ZEPS-PING-OK-1: A broker MUST NOT answer a PING-OK in an open session.
  detach:
    doc: |
      Client or server closes the peering

      ZEPS-DETACH-1: A broker MUST answer DETACH in a session by DETACH-OK.

      ZEPS-DETACH-2: A broker MUST end the session when it answers DETACH.

      ZEPS-DETACH-6: A broker MUST NOT deliver a message after DETACH-OK.

      ZEPS-DETACH-3: A client MUST answer the broker's DETACH by DETACH-OK, unless its own DETACH is
      on its way.

      ZEPS-DETACH-4: A broker that stops SHOULD detach its sessions first.

      ZEPS-DETACH-5: A broker that has sent DETACH MUST store what the client published before the
      DETACH reached it.
  detach_ok:
    doc: |
      Client or server confirms the close

      ZEPS-DETACH-OK-1: A broker MUST refuse a DETACH-OK in an open session, with the code
      unexpected.
  invalid:
    doc: |
      Server tells client it sent an invalid message

      ZEPS-INVALID-1: A broker MUST answer bad input by INVALID.

      ZEPS-INVALID-7: A broker that has not sent DETACH MUST answer a command that only a broker may
      send by INVALID.

      ZEPS-INVALID-8: A broker MUST give INVALID a reason of the form `code [SP first SP last] SP
      text`.

      ZEPS-INVALID-2: A broker MUST end the session, with its subscriptions and its credit, when it
      sends INVALID with an ending code.

      ZEPS-INVALID-3: A broker MUST NOT let bad input change what is stored.

      ZEPS-INVALID-4: A broker MUST NOT let the bad input of one session affect another session.

      ZEPS-INVALID-5: A broker MUST leave the session, its subscriptions and its credit unchanged
      when it sends INVALID with an open code.

      ZEPS-INVALID-9: A broker MUST NOT answer a command that it can decode, other than ATTACH, with
      an ending code in an open session.

      ZEPS-INVALID-6: A client MUST take an INVALID with a code that it does not know as the end of
      its session.
    seq:
      - id: len_reason
        type: u1
      - id: reason
        type: str
        size: len_reason
        encoding: UTF-8
        doc: |
          Printable explanation. Must not hold control characters (Unicode category Cc); Kaitai
          cannot check this
enums:
  message:
    "1": attach
    "2": attach_ok
    "3": subscribe
    "4": subscribe_ok
    "5": credit
    "6": publish
    "7": deliver
    "8": ping
    "9": ping_ok
    "10": detach
    "11": detach_ok
    "12": invalid
