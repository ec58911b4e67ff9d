defmodule ZepsWire.Operation do
  @moduledoc """
  What the codec does with one field, as data. The `kind` is

  - `:constant`: the bytes `octets`
  - `:reserved`: `size` bytes, written as zeros and not looked at
  - `:topic`: all bytes before a zero byte
  - `:number`: `size` bytes, or LEB128 if `size` is 0
  - `:content`: bytes or text after `prefix` bytes of length
  - `:fixed`, `:rest`: `size` bytes, or all that are left in the frame
  - `:items`: a list after `prefix` bytes of count, or up to the end of the frame if `prefix` is 0
  - `:apart`: a frame of its own, or all that follow if `is_rest`

  `key` is the field's place among the values, and `name` is what errors call it. `counted_by` is the key of a number that
  holds the count or the length: it `measures` these fields, and a message does not show it. An item consists of `parts` and
  has at least `least` bytes. A frame may end before what is `optional`; then it has the value that new messages have.
  """

  defstruct [:kind, :key, :name, :counted_by, :text, :members, :octets, :least] ++
              [size: 0, prefix: 0, limit: :infinity, signed: false, flags: false, is_rest: false, optional: false] ++
              [parts: [], measures: [], relations: []]

  @type t :: %__MODULE__{}
end
