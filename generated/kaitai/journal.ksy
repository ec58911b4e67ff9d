# Generated from the models: change the models. Compile it with kaitai-struct-compiler 0.11 or later.
meta:
  id: journal
  title: "ZEPS journal"
  endian: be
doc: |
  A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then BLOCKs
  back to back. A block holds the messages that were written together, as the DELIVER frames that
  subscribers receive, so that replay is slicing. An index with checksums of its own precedes the
  frames: a reader of some keys only reads the index, and of the frames no more than the pages that
  hold those messages. All numbers are unsigned and in network byte order.
seq:
  - id: segment
    type: segment
    if: is_segment
  - id: block
    type: block
    if: is_block
  - id: known
    size: 0
    valid:
      expr: "is_segment or is_block"
    doc: "One of them must match."
  - id: end
    size: 0
    valid:
      expr: _io.eof
    doc: "The frame ends after the last field."
instances:
  begins_segment:
    pos: 0
    size: 8
    if: "_io.size >= 8"
  is_segment:
    value: "_io.size >= 8 and begins_segment == [0x5a, 0x45, 0x50, 0x53, 0x4a, 0x52, 0x4e, 0x4c].as<bytes>"
  begins_block:
    pos: 0
    size: 4
    if: "_io.size >= 4"
  is_block:
    value: "_io.size >= 4 and begins_block == [0x5a, 0x42, 0x4c, 0x4b].as<bytes>"
types:
  segment:
    doc: "The head of a segment file."
    seq:
      - id: magic
        contents: [0x5a, 0x45, 0x50, 0x53, 0x4a, 0x52, 0x4e, 0x4c]
        doc: "Names the file type"
      - id: version
        type: u2
        valid: 1
        doc: "Version of this format"
      - id: first_sequence
        type: u8
        doc: "Sequence of the segment's first message"
      - id: created
        type: u8
        doc: "Time of creation, in microseconds since 1970-01-01T00:00:00Z"
      - id: len_stream
        type: u1
      - id: stream
        type: str
        size: len_stream
        encoding: UTF-8
        doc: |
          The stream's name. Must not hold control characters (Unicode category Cc); Kaitai cannot
          check this
  block:
    doc: |
      Messages that were written together.

      JOURNAL-BLOCK-1: A reader MUST NOT serve an octet of a block unless a checksum that covers it
      holds: the one of the block, or that of the index and those of the pages on which the frame
      lies.

      JOURNAL-BLOCK-2: A writer MUST write at least one message into a block.

      JOURNAL-BLOCK-6: A writer MUST write ends that ascend to frames_size.

      JOURNAL-BLOCK-7: A writer MUST write a checksum for each page that frames_size fills or
      begins, and no other.

      JOURNAL-BLOCK-8: A writer MUST write key numbers that each name one of the block's keys.

      JOURNAL-BLOCK-3: A writer that opens a journal MUST cut off an incomplete block at the end of
      the last segment.

      JOURNAL-BLOCK-9: A writer MUST report a torn tail that it cuts off.

      JOURNAL-BLOCK-4: A reader MUST report damage other than a torn tail, with its range of
      sequences and octets.

      JOURNAL-BLOCK-10: A reader MUST serve the blocks that follow damage.

      JOURNAL-BLOCK-5: A reader MUST serve, of a block whose own checksum fails and whose index
      checksum holds, the messages whose frames lie wholly in pages whose checksums hold.

      JOURNAL-BLOCK-11: A reader MUST take as lost, of a block whose own checksum fails and whose
      index checksum holds, only the messages that it does not serve.
    seq:
      - id: magic
        contents: [0x5a, 0x42, 0x4c, 0x4b]
        doc: "Names the block"
      - id: checksum
        type: u4
        doc: "CRC-32C of everything in the block that follows this field"
      - id: index_checksum
        type: u4
        doc: "CRC-32C of everything between this field and the frames"
      - id: first_sequence
        type: u8
        doc: "Sequence of the first message; the others follow without gaps"
      - id: first_time
        type: u8
        doc: "Earliest of the times, in microseconds since 1970-01-01T00:00:00Z"
      - id: last_time
        type: u8
        doc: "Latest of the times"
      - id: count
        type: u4
        valid:
          max: 65536
        doc: "Messages in the block. Derived from the field that it counts or measures"
      - id: frames_size
        type: u4
        valid:
          max: 268435456
        doc: "Octets of all the frames. Derived from the field that it counts or measures"
      - id: page_count
        type: u4
        valid:
          max: 65536
        doc: |
          Pages that the frames take; the last may be shorter. Derived from the field that it counts
          or measures
      - id: key_count
        type: u4
        valid:
          max: 65536
        doc: "Distinct keys in the block. Derived from the field that it counts or measures"
      - id: keys_size
        type: u4
        valid:
          max: 16711680
        doc: "Octets of all the distinct keys. Derived from the field that it counts or measures"
      - id: times
        type: u8
        repeat: expr
        repeat-expr: count
        doc: "When each message was stored"
      - id: ends
        type: u4
        repeat: expr
        repeat-expr: count
        doc: "Where each frame ends, counted from the start of the first"
      - id: key_numbers
        type: u2
        repeat: expr
        repeat-expr: count
        doc: "Which of the distinct keys each message has, from 0"
      - id: page_checksums
        type: u4
        repeat: expr
        repeat-expr: page_count
        doc: "CRC-32C of each page: 4,096 octets of the frames, counted from the start of the first"
      - id: key_ends
        type: u4
        repeat: expr
        repeat-expr: key_count
        doc: "Where each distinct key ends, counted from the start of the first"
      - id: limit_keys
        size: 0
        valid:
          expr: "keys_size <= _io.size - _io.pos"
      - id: keys
        size: keys_size
        doc: "The distinct keys, back to back, in the order in which they first occur"
      - id: limit_frames
        size: 0
        valid:
          expr: "frames_size <= _io.size - _io.pos"
      - id: frames
        size: frames_size
        doc: "The DELIVER frames, back to back"
