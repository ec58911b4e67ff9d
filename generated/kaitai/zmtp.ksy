# Generated from the models: change the models. Compile it with kaitai-struct-compiler 0.11 or later.
meta:
  id: zmtp
  title: "ZMTP 3, publish-subscribe"
  endian: be
doc: |
  What two ZMTP peers say to each other on one connection: a greeting, which stands by itself, and
  then what frames hold, the body of a command or of a message. A publisher takes a message for what
  it begins with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands SUBSCRIBE
  and CANCEL of version 3.1. An extension of ours, ZMTP-E, lets a subscriber ask by filters of other
  kinds than the beginning of a message. A filter has a kind, one octet, whose meaning publishers
  and subscribers agree on elsewhere, and any octets. A publisher that does not know the kind of a
  filter sends everything, which is always right: a filter only saves traffic.
seq:
  - id: greeting
    type: greeting
    if: is_greeting
  - id: ready
    type: ready
    if: is_ready
  - id: error
    type: error
    if: is_error
  - id: ping
    type: ping
    if: is_ping
  - id: pong
    type: pong
    if: is_pong
  - id: subscribe
    type: subscribe
    if: is_subscribe
  - id: cancel
    type: cancel
    if: is_cancel
  - id: subscription
    type: subscription
    if: is_subscription
  - id: cancellation
    type: cancellation
    if: is_cancellation
  - id: subscribe_x
    type: subscribe_x
    if: is_subscribe_x
  - id: cancel_x
    type: cancel_x
    if: is_cancel_x
  - id: subscription_x
    type: subscription_x
    if: is_subscription_x
  - id: cancellation_x
    type: cancellation_x
    if: is_cancellation_x
  - id: known
    size: 0
    valid:
      expr: "is_greeting or is_ready or is_error or is_ping or is_pong or is_subscribe or is_cancel or is_subscription or is_cancellation or is_subscribe_x or is_cancel_x or is_subscription_x or is_cancellation_x"
    doc: "One of them must match."
  - id: end
    size: 0
    valid:
      expr: _io.eof
    doc: "The frame ends after the last field."
instances:
  begins_greeting:
    pos: 0
    size: 1
    if: "_io.size >= 1"
  is_greeting:
    value: "_io.size >= 1 and begins_greeting == [0xff].as<bytes>"
  begins_ready:
    pos: 0
    size: 6
    if: "_io.size >= 6"
  is_ready:
    value: "_io.size >= 6 and begins_ready == [0x05, 0x52, 0x45, 0x41, 0x44, 0x59].as<bytes>"
  begins_error:
    pos: 0
    size: 6
    if: "_io.size >= 6"
  is_error:
    value: "_io.size >= 6 and begins_error == [0x05, 0x45, 0x52, 0x52, 0x4f, 0x52].as<bytes>"
  begins_ping:
    pos: 0
    size: 5
    if: "_io.size >= 5"
  is_ping:
    value: "_io.size >= 5 and begins_ping == [0x04, 0x50, 0x49, 0x4e, 0x47].as<bytes>"
  begins_pong:
    pos: 0
    size: 5
    if: "_io.size >= 5"
  is_pong:
    value: "_io.size >= 5 and begins_pong == [0x04, 0x50, 0x4f, 0x4e, 0x47].as<bytes>"
  begins_subscribe:
    pos: 0
    size: 10
    if: "_io.size >= 10"
  is_subscribe:
    value: "_io.size >= 10 and begins_subscribe == [0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45].as<bytes>"
  begins_cancel:
    pos: 0
    size: 7
    if: "_io.size >= 7"
  is_cancel:
    value: "_io.size >= 7 and begins_cancel == [0x06, 0x43, 0x41, 0x4e, 0x43, 0x45, 0x4c].as<bytes>"
  begins_subscription:
    pos: 0
    size: 1
    if: "_io.size >= 1"
  is_subscription:
    value: "_io.size >= 1 and begins_subscription == [0x01].as<bytes>"
  begins_cancellation:
    pos: 0
    size: 1
    if: "_io.size >= 1"
  is_cancellation:
    value: "_io.size >= 1 and begins_cancellation == [0x00].as<bytes>"
  begins_subscribe_x:
    pos: 0
    size: 12
    if: "_io.size >= 12"
  is_subscribe_x:
    value: "_io.size >= 12 and begins_subscribe_x == [0x0b, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45, 0x2d, 0x58].as<bytes>"
  begins_cancel_x:
    pos: 0
    size: 9
    if: "_io.size >= 9"
  is_cancel_x:
    value: "_io.size >= 9 and begins_cancel_x == [0x08, 0x43, 0x41, 0x4e, 0x43, 0x45, 0x4c, 0x2d, 0x58].as<bytes>"
  begins_subscription_x:
    pos: 0
    size: 1
    if: "_io.size >= 1"
  is_subscription_x:
    value: "_io.size >= 1 and begins_subscription_x == [0x02].as<bytes>"
  begins_cancellation_x:
    pos: 0
    size: 1
    if: "_io.size >= 1"
  is_cancellation_x:
    value: "_io.size >= 1 and begins_cancellation_x == [0x03].as<bytes>"
types:
  greeting:
    doc: |
      Opens a connection, in either direction.

      ZMTP-G-1: A peer MUST send a greeting of 64 octets: a signature of %xFF, eight octets of
      padding and %x7F, the version in two octets, the mechanism in 20, as-server in one, and 31
      octets of filler that are zero.

      ZMTP-G-2: A peer MUST announce the major version 3 and the minor version 0 or 1.

      ZMTP-G-5: A peer MUST NOT interpret the padding of a received signature.

      ZMTP-G-9: A peer MUST send its mechanism in ASCII, padded with zeros to 20 octets.

      ZMTP-G-22: A peer MUST form the name of a mechanism from capital letters, digits, hyphens and
      underscores only.

      ZMTP-G-10: A peer MUST announce exactly one mechanism.

      ZMTP-G-13: A peer with the NULL mechanism MUST send as-server as zero.

      ZMTP-G-23: A peer with the NULL mechanism MUST NOT interpret the as-server that it receives.
    seq:
      - id: signature
        type: u1
        valid: 255
        doc: "First octet of the signature"
      - id: padding
        size: 8
        doc: "Where older versions have a length. Reserved: zero when sent, ignored when received"
      - id: signature_end
        type: u1
        valid: 127
        doc: "Last octet of the signature"
      - id: major
        type: u1
        doc: "Major version"
      - id: minor
        type: u1
        doc: "Minor version"
      - id: mechanism
        size: 20
        doc: "Name of the security mechanism, padded with zeros"
      - id: as_server
        type: u1
        doc: "1 for the server of a mechanism that has one"
      - id: filler
        size: 31
        doc: "Fills the greeting to 64 octets. Reserved: zero when sent, ignored when received"
  ready:
    doc: |
      Command: the sender is ready, and this is what it is.

      ZMTP-N-3: A peer MUST encode READY as a command of that name and properties, each a name with
      one octet of length and a value with four.

      ZMTP-N-4: A peer MUST form the name of a property from 1 to 255 letters, digits, hyphens,
      underscores, dots and plus signs.

      ZMTP-N-5: A peer MUST encode the value of a property as its length, four octets in network
      byte order, and 0 to 2^31-1 octets.

      ZMTP-N-6: A peer MUST ignore the case of letters in the names of properties.

      ZMTP-N-7: A peer SHOULD send Socket-Type in READY.

      ZMTP-N-20: A peer MUST send as Socket-Type one of the socket types that RFC 37 lists.

      ZMTP-N-10: A peer of the type PUB, XPUB, SUB or XSUB MUST ignore Identity.

      ZMTP-N-11: A peer MUST NOT send an identity that begins with a zero octet.

      ZMTP-N-12: A peer MUST ignore properties that it does not know, those that begin with X- among
      them.

      ZMTP-N-13: A peer MUST accept a request for any resource.

      ZMTP-N-17: A peer MAY close a connection on which it receives a READY with malformed
      properties.
    seq:
      - id: name
        contents: [0x05, READY]
        doc: "The command's name"
      - id: properties
        type: pair
        repeat: eos
        doc: "Metadata of the connection: Socket-Type, Identity and others. May hold any bytes"
      - id: limit_properties
        size: 0
        valid:
          expr: "properties.size <= 255"
  error:
    doc: |
      Command: the sender refuses the peer.

      ZMTP-N-14: A peer MUST encode ERROR as a command of that name and a reason with one octet of
      length.

      ZMTP-N-21: A peer that receives ERROR MUST close the connection.

      ZMTP-N-22: A peer that has received ERROR MUST NOT connect again with the same credentials.

      ZMTP-N-16: A peer MUST NOT act on the text of the reason of ERROR.
    seq:
      - id: name
        contents: [0x05, ERROR]
        doc: "The command's name"
      - id: len_reason
        type: u1
      - id: reason
        size: len_reason
        doc: "Says why, to people. May hold any bytes"
  ping:
    doc: |
      Command: asks for a sign of life.

      ZMTP-H-1: A peer MAY send PING at any time after the handshake.

      ZMTP-H-2: A peer MUST encode the time to live of PING in two octets in network byte order, in
      tenths of a second.

      ZMTP-H-10: A peer MUST take a time to live of zero as no limit.

      ZMTP-H-4: A peer MUST NOT send a context of more than 16 octets.

      ZMTP-H-8: The source does not say what a peer does with a PING that is too short for its time
      to live.

      ZMTP-H-9: The source does not say what a peer does with a PING on a connection of version 3.0.
    seq:
      - id: name
        contents: [0x04, PING]
        doc: "The command's name"
      - id: ttl
        type: u2
        doc: "Tenths of a second after which silence means that the sender is gone; 0 for none"
      - id: context
        size-eos: true
        valid:
          expr: "_.length <= 16"
        doc: "Comes back in PONG"
  pong:
    doc: |
      Command: answers PING.

      ZMTP-H-3: A peer MUST answer PING by PONG with the same context.
    seq:
      - id: name
        contents: [0x04, PONG]
        doc: "The command's name"
      - id: context
        size-eos: true
        valid:
          expr: "_.length <= 16"
        doc: "What came with PING"
  subscribe:
    doc: |
      Command of version 3.1: asks for the messages that begin with a topic.

      ZMTP-S-3: A subscriber MUST send a subscription in version 3.1 as the command SUBSCRIBE with
      the topic.
    seq:
      - id: name
        contents: [0x09, SUBSCRIBE]
        doc: "The command's name"
      - id: topic
        size-eos: true
        doc: "Any octets, or none"
  cancel:
    doc: |
      Command of version 3.1: takes one subscription back.

      ZMTP-S-4: A subscriber MUST send a cancellation in version 3.1 as the command CANCEL with the
      topic.
    seq:
      - id: name
        contents: [0x06, CANCEL]
        doc: "The command's name"
      - id: topic
        size-eos: true
        doc: "Any octets, or none"
  subscription:
    doc: |
      Message of version 3.0: asks for the messages that begin with a topic.

      ZMTP-S-1: A subscriber MUST send a subscription in version 3.0 as a message of one frame: %x01
      and the topic.
    seq:
      - id: form
        type: u1
        valid: 1
        doc: "Tells a subscription from a cancellation"
      - id: topic
        size-eos: true
        doc: "Any octets, or none"
  cancellation:
    doc: |
      Message of version 3.0: takes one subscription back.

      ZMTP-S-2: A subscriber MUST send a cancellation in version 3.0 as a message of one frame: %x00
      and the topic.
    seq:
      - id: form
        type: u1
        valid: 0
        doc: "Tells a cancellation from a subscription"
      - id: topic
        size-eos: true
        doc: "Any octets, or none"
  subscribe_x:
    doc: |
      Command of our extension, for version 3.1: asks for the messages that a filter of some kind
      lets pass.

      ZMTP-E-1: A subscriber MUST ask for a filter by kind in version 3.1 by the command SUBSCRIBE-X
      with the kind and the filter.

      ZMTP-E-10: A subscriber MUST take back a filter by kind in version 3.1 by the command CANCEL-X
      with the kind and the filter.
    seq:
      - id: name
        contents: [0x0b, SUBSCRIBE-X]
        doc: "The command's name"
      - id: kind
        type: u1
        doc: "What the filter means; 255 is not a kind"
      - id: filter
        size-eos: true
        doc: "Any octets, or none"
  cancel_x:
    doc: "Command of our extension, for version 3.1: takes one filter back."
    seq:
      - id: name
        contents: [0x08, CANCEL-X]
        doc: "The command's name"
      - id: kind
        type: u1
        doc: "What the filter means; 255 is not a kind"
      - id: filter
        size-eos: true
        doc: "Any octets, or none"
  subscription_x:
    doc: |
      Message of our extension, for version 3.0: asks for the messages that a filter of some kind
      lets pass.

      ZMTP-E-2: A subscriber MUST ask for a filter by kind in version 3.0 by a message of one frame:
      %x02, the kind and the filter.

      ZMTP-E-11: A subscriber MUST take back a filter by kind in version 3.0 by a message of one
      frame: %x03, the kind and the filter.
    seq:
      - id: form
        type: u1
        valid: 2
        doc: "Tells it from the other forms"
      - id: kind
        type: u1
        doc: "What the filter means; 255 is not a kind"
      - id: filter
        size-eos: true
        doc: "Any octets, or none"
  cancellation_x:
    doc: "Message of our extension, for version 3.0: takes one filter back."
    seq:
      - id: form
        type: u1
        valid: 3
        doc: "Tells it from the other forms"
      - id: kind
        type: u1
        doc: "What the filter means; 255 is not a kind"
      - id: filter
        size-eos: true
        doc: "Any octets, or none"
  short_text:
    doc: "Text after a length of one byte."
    seq:
      - id: len_value
        type: u1
      - id: value
        type: str
        size: len_value
        encoding: UTF-8
  long_text:
    doc: "Text after a length of four bytes."
    seq:
      - id: len_value
        type: u4
      - id: value
        type: str
        size: len_value
        encoding: UTF-8
  pair:
    doc: "A name and its value."
    seq:
      - id: key
        type: short_text
      - id: value
        type: long_text
