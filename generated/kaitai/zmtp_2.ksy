# Generated from the models: change the models. Compile it with kaitai-struct-compiler 0.11 or later.
meta:
  id: zmtp_2
  title: "ZMTP 2.0"
  endian: be
doc: "What opens a connection of version 2.0."
seq:
  - id: greeting
    type: greeting
    if: is_greeting
  - id: known
    size: 0
    valid:
      expr: is_greeting
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
types:
  greeting:
    doc: |
      The signature, the version, the socket's type, and a frame with an identity that subscribers
      leave empty.
    seq:
      - id: signature
        type: u1
        valid: 255
        doc: "First octet of the signature"
      - id: padding
        size: 8
        doc: |
          The length of an identity of version 1.0, and one. Reserved: zero when sent, ignored when
          received
      - id: signature_end
        type: u1
        valid: 127
        doc: "Last octet of the signature"
      - id: revision
        type: u1
        valid: 1
        doc: "Version 2.0"
      - id: socket_type
        type: u1
        enum: socket_type
        valid:
          in-enum: true
        doc: "What the sender is"
      - id: final_short
        type: u1
        valid: 0
        doc: "Flags of the identity's frame"
      - id: len_identity
        type: u1
      - id: identity
        size: len_identity
        doc: "Nothing, for publishers and subscribers"
enums:
  socket_type:
    "0": pair
    "1":
      id: pub
      doc: "XPUB too"
    "2":
      id: sub
      doc: "XSUB too"
    "3": req
    "4": rep
    "5": dealer
    "6": router
    "7": pull
    "8": push
