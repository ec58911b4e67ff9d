defmodule ZepsWire.DecodeError do
  @moduledoc """
  Bytes that are not a message.

  `message` and `field` are the model's names, as far as they are known; `offset` is where the field begins, in bytes of the
  first frame. Codes have the same names in every language.
  """

  defexception [:code, :message, :field, offset: 0]

  @type code ::
          (:truncated | :trailing | :bad_signature | :unknown_message)
          | :bad_constant
          | :bad_text
          | :too_long
          | :bad_relation
  @type t :: %__MODULE__{code: code, message: String.t() | nil, field: String.t() | nil, offset: non_neg_integer}

  @impl true
  def message(error) do
    place = [error.message, error.field] |> Enum.reject(&is_nil/1) |> Enum.join(".")
    "#{error.code} at byte #{error.offset} #{place}"
  end
end

defmodule ZepsWire.EncodeError do
  @moduledoc """
  A message that its format cannot carry. `code` is one of `ZepsWire.DecodeError`, or `:not_set` if a machine sends a
  message with a field that the host has not filled.
  """

  defexception [:code, :message, :field]
  @type t :: %__MODULE__{code: ZepsWire.DecodeError.code() | :not_set, message: String.t(), field: String.t()}

  @impl true
  def message(error), do: "#{error.code} #{error.message}.#{error.field}"
end

defmodule ZepsWire.EventError do
  @moduledoc """
  An event that a machine does not take.

  The reason is `:unexpected` for a message that arrived, `:unhandled` for an event of the host's or the application's, or one
  that an action failed with or raised; `:inside_action` for one that came while another was handled; `:too_many` if actions
  fail or raise too often in turn.
  """

  defexception [:reason, :event, :state]
  @type reason :: :unexpected | :unhandled | :inside_action | :too_many
  @type t :: %__MODULE__{reason: reason, event: String.t(), state: atom}

  @impl true
  def message(error), do: "#{error.reason} #{error.event} in state #{error.state}"
end
