# Generated from the models: change the models. Compile it with kaitai-struct-compiler 0.11 or later.
meta:
  id: zmtp_frame
  title: "ZMTP frames"
  endian: be
doc: |
  A frame is its flags, the size of its body in one or in eight octets, and the body. The flags say
  what the frame is, so they are what a frame's number stands for here; flags that no frame has are
  refused.
seq:
  - id: message_id
    type: u1
    enum: message
    valid:
      in-enum: true
  - id: body
    type:
      switch-on: message_id
      cases:
        message::last: last
        message::more: more
        message::long_last: long_last
        message::long_more: long_more
        message::command: command
        message::long_command: long_command
  - id: end
    size: 0
    valid:
      expr: _io.eof
    doc: "The frame ends after the last field."
types:
  last:
    doc: "The last or only frame of a message, of up to 255 octets."
    seq:
      - id: len_body
        type: u1
      - id: body
        size: len_body
        doc: "The octets"
  more:
    doc: "A frame of a message that goes on, of up to 255 octets."
    seq:
      - id: len_body
        type: u1
      - id: body
        size: len_body
        doc: "The octets"
  long_last:
    doc: "The last or only frame of a message, of any size."
    seq:
      - id: len_body
        type: u8
        valid:
          max: 9223372036854775807
      - id: limit_body
        size: 0
        valid:
          expr: "len_body <= _io.size - _io.pos"
      - id: body
        size: len_body
        doc: "The octets"
  long_more:
    doc: "A frame of a message that goes on, of any size."
    seq:
      - id: len_body
        type: u8
        valid:
          max: 9223372036854775807
      - id: limit_body
        size: 0
        valid:
          expr: "len_body <= _io.size - _io.pos"
      - id: body
        size: len_body
        doc: "The octets"
  command:
    doc: "A command, of up to 255 octets."
    seq:
      - id: len_body
        type: u1
      - id: body
        size: len_body
        doc: "The command"
  long_command:
    doc: "A command, of any size."
    seq:
      - id: len_body
        type: u8
        valid:
          max: 9223372036854775807
      - id: limit_body
        size: 0
        valid:
          expr: "len_body <= _io.size - _io.pos"
      - id: body
        size: len_body
        doc: "The command"
enums:
  message:
    "0": last
    "1": more
    "2": long_last
    "3": long_more
    "4": command
    "6": long_command
