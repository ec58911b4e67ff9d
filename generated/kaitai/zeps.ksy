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

      ZEPS-ATTACH-1: The first command of a session is ATTACH, and the broker grants it with
      ATTACH-OK.

      ZEPS-ATTACH-2: An ATTACH with another protocol name gets INVALID with the code
      unsupported-protocol.

      ZEPS-ATTACH-3: An ATTACH with a version that the broker does not speak gets INVALID with the
      code unsupported-version.

      ZEPS-ATTACH-4: ATTACH in an open session starts a new session: the old subscriptions and the
      old credit are gone.

      ZEPS-ATTACH-5: An ATTACH with an empty stream name gets INVALID with the code stream-name.

      ZEPS-ATTACH-6: An ATTACH that the broker cannot grant for a cause of its own MUST get INVALID
      with the code stream-unavailable, too-many-sessions or stopping.
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

      ZEPS-SUBSCRIBE-1: A valid SUBSCRIBE is answered by SUBSCRIBE-OK, before any message that the
      subscription brings.

      ZEPS-SUBSCRIBE-2: A `latest` of 0 asks for everything that the stream retains.

      ZEPS-SUBSCRIBE-3: A `latest` of n asks for what follows sequence n.

      ZEPS-SUBSCRIBE-4: A `latest` of 2^64-1 asks only for what is published from now on.

      ZEPS-SUBSCRIBE-5: A `latest` beyond the stream's end, other than 2^64-1, MUST be answered by
      INVALID with the code beyond-end, the sequence after the end, and `latest`; it subscribes to
      nothing.

      ZEPS-SUBSCRIBE-6: Several subscriptions are a union: a message goes out once, however many of
      them match.

      ZEPS-SUBSCRIBE-7: A new pattern with an older `latest` brings only what it adds to what the
      session has had.

      ZEPS-SUBSCRIBE-8: The matching style belongs to the stream, never to a pattern's text; unless
      configured otherwise a pattern matches the keys that begin with its octets.

      ZEPS-SUBSCRIBE-9: The empty pattern matches every key.

      ZEPS-SUBSCRIBE-10: A session without a subscription receives no message, whatever its credit.

      ZEPS-SUBSCRIBE-11: On a stream whose style has a syntax, a pattern outside that syntax gets
      INVALID with the code bad-pattern.

      ZEPS-SUBSCRIBE-12: What a new subscription adds to what the session has had MUST be delivered
      completely before later messages go on; of several such subscriptions, in the order in which
      they were made.

      ZEPS-SUBSCRIBE-13: A refused SUBSCRIBE MUST leave the session, its subscriptions and its
      credit as they were.

      ZEPS-SUBSCRIBE-14: A SUBSCRIBE beyond the number of subscriptions that the broker allows a
      session MUST get INVALID with the code too-many-subscriptions.
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

      ZEPS-CREDIT-1: Credit starts at 0: a session that has granted none receives no message.

      ZEPS-CREDIT-2: Credit counts the octets of encoded DELIVER frames.

      ZEPS-CREDIT-3: Credit adds up.

      ZEPS-CREDIT-4: Credit saturates at 2^64-1; it does not wrap.

      ZEPS-CREDIT-5: The broker never sends beyond the credit it was granted.

      ZEPS-CREDIT-6: A message larger than the credit left waits until the credit covers it, and
      none overtakes it.
    seq:
      - id: credit
        type: u8
        doc: "Credit, in octets"
  publish:
    doc: |
      Client publishes a new message to the open stream

      ZEPS-PUBLISH-1: PUBLISH has no answer.

      ZEPS-PUBLISH-2: A publisher receives what it publishes if it has subscribed to it.

      ZEPS-PUBLISH-3: The messages of one publisher keep their order in the stream.

      ZEPS-PUBLISH-4: Key and body are delivered octet for octet as they were published.

      ZEPS-PUBLISH-5: Publishing needs neither a subscription nor credit.

      ZEPS-PUBLISH-6: A client that cannot send blocks or tells its user; it drops no message that
      its user did not drop.

      ZEPS-PUBLISH-7: A body of more than 16,777,216 octets is invalid.

      ZEPS-PUBLISH-8: A PUBLISH in an open session MUST be stored exactly once.
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

      ZEPS-DELIVER-1: The messages that one subscription brings arrive in ascending sequence.

      ZEPS-DELIVER-2: Every session that receives a sequence receives the same key and body, live or
      replayed.
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

      ZEPS-PING-1: The broker answers PING with PING-OK.

      ZEPS-PING-2: The client answers PING with PING-OK, until it has sent DETACH.

      ZEPS-PING-3: Commands are served in order: PING-OK follows once everything that the session
      published before PING has its sequence.

      ZEPS-PING-4: A client that has nothing else to send pings.

      ZEPS-PING-5: A client stops after a few unanswered PINGs and attaches again, resuming at its
      own last sequence.

      ZEPS-PING-6: The broker forgets a session that has been silent for longer than its timeout.

      ZEPS-PING-7: Any valid command is a sign of life. A command that is under way, in either
      direction, is one for as long as it advances by at least 65,536 octets per second; a broker
      MAY be configured to a lower or higher rate. A broker that sees only whole commands MUST add
      to its timeout the time that the longest command takes at that rate.

      ZEPS-PING-8: The timeout is 10 to 30 seconds.

      ZEPS-PING-9: A broker SHOULD send PING to a silent session before it forgets it.

      ZEPS-PING-10: What a session published before a PING MUST survive a crash of the broker's
      process once the PING-OK was sent.

      ZEPS-PING-11: A client that sees only whole commands MUST NOT give up its broker before the
      credit that it has granted and not received, and the PUBLISHes that it has sent and no PING-OK
      covers, could have passed at 65,536 octets per second; a client MAY be configured to a lower
      or higher rate.
  ping_ok:
    doc: |
      Client or server answers a heartbeat

      ZEPS-PING-OK-1: PING-OK in an open session has no answer.
  detach:
    doc: |
      Client or server closes the peering

      ZEPS-DETACH-1: The broker answers DETACH with DETACH-OK.

      ZEPS-DETACH-2: DETACH ends the session: nothing is delivered after DETACH-OK.

      ZEPS-DETACH-3: The client answers the broker's DETACH with DETACH-OK, unless its own DETACH is
      on its way.

      ZEPS-DETACH-4: A broker that stops detaches its sessions first.

      ZEPS-DETACH-5: What a client published before it heard of the broker's DETACH is stored.
  detach_ok:
    doc: |
      Client or server confirms the close

      ZEPS-DETACH-OK-1: DETACH-OK in an open session MUST get INVALID with the code unexpected.
  invalid:
    doc: |
      Server tells client it sent an invalid message

      ZEPS-INVALID-1: Bad input, and a command that only the broker may send, gets INVALID whose
      reason has the form `code [SP first SP last] SP text`.

      ZEPS-INVALID-2: INVALID with an ending code ends the session: its subscriptions and credit are
      gone.

      ZEPS-INVALID-3: Bad input harms nothing that is stored.

      ZEPS-INVALID-4: No other session notices a session's bad input.

      ZEPS-INVALID-5: INVALID with any other code MUST leave the session, its subscriptions and its
      credit as they were; only what cannot be decoded, and ATTACH, end a session in which they
      come.

      ZEPS-INVALID-6: A client MUST take a code that it does not know for one that ends the session.
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
