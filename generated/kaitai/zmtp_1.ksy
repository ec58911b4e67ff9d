# Generated from the models: change the models. Compile it with kaitai-struct-compiler 0.11 or later.
meta:
  id: zmtp_1
  title: "ZMTP 1.0"
  endian: be
doc: |
  A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the
  identity, which is mostly empty; a subscriber says nothing after it.
seq:
  - id: frame
    type: frame
  - id: end
    size: 0
    valid:
      expr: _io.eof
    doc: "The frame ends after the last field."
types:
  frame:
    doc: |
      Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets of
      length.
    seq:
      - id: len_content
        type: u1
        valid:
          max: 254
      - id: content
        size: len_content
        doc: "One octet of flags, zero or one, and the body"
