defmodule ZepsWire.DecodeError do
  @moduledoc """
  Bytes that are not a message.

  `message` and `field` are the model's names, as far as they are known; `offset` is where the field begins, in bytes of the
  first frame.
  """

  @typedoc "What is wrong, with the same names in every language."
  @type code ::
          :truncated
          | :trailing
          | :bad_signature
          | :unknown_message
          | :bad_constant
          | :bad_text
          | :too_long
          | :bad_relation

  defexception [:code, :message, :field, offset: 0]

  @type t :: %__MODULE__{
          code: code,
          message: String.t() | nil,
          field: String.t() | nil,
          offset: non_neg_integer
        }

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

  @type t :: %__MODULE__{
          code: ZepsWire.DecodeError.code() | :not_set,
          message: String.t(),
          field: String.t()
        }

  @impl true
  def message(error), do: "#{error.code} #{error.message}.#{error.field}"
end

defmodule ZepsWire.UnexpectedEvent do
  @moduledoc "A message arrived that the machine's state does not take."
  defexception [:event, :state]
  @type t :: %__MODULE__{event: String.t(), state: atom}

  @impl true
  def message(error), do: "unexpected #{error.event} in state #{error.state}"
end

defmodule ZepsWire.UnhandledEvent do
  @moduledoc """
  The host or the application raised an event that the machine's state does not take, or not from inside an action.
  """
  defexception [:event, :state, reason: "no row takes it"]
  @type t :: %__MODULE__{event: atom, state: atom, reason: String.t()}

  @impl true
  def message(error), do: "unhandled #{error.event} in state #{error.state}: #{error.reason}"
end
