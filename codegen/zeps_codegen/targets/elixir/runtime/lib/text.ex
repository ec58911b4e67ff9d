defmodule ZepsWire.Text do
  @moduledoc "What text may hold."

  @type class :: :octets | :utf8 | :printable | :vchar

  @doc "Whether `text` is of the class: any bytes, UTF-8, UTF-8 without control characters, or visible ASCII."
  @spec valid?(binary, class | nil) :: boolean
  def valid?(text, :printable), do: printable?(text)
  def valid?(text, :utf8), do: String.valid?(text)
  def valid?(text, :vchar), do: visible?(text)
  def valid?(_text, _any), do: true

  defp printable?(<<octet, rest::binary>>) when octet in 0x20..0x7E, do: printable?(rest)
  defp printable?(<<character::utf8, rest::binary>>) when character > 0x9F, do: printable?(rest)
  defp printable?(rest), do: rest == ""

  defp visible?(<<octet, rest::binary>>) when octet in 0x21..0x7E, do: visible?(rest)
  defp visible?(rest), do: rest == ""

  @doc "Whether `value` is in an enumeration: any, one of a list, or no other bits than a mask's."
  @spec member?(integer | binary, nil | [integer | binary] | {:mask, integer}) :: boolean
  def member?(_value, nil), do: true
  def member?(value, {:mask, mask}), do: Bitwise.band(value, Bitwise.bnot(mask)) == 0
  def member?(value, members), do: value in members

  @doc "Whether a relation holds between numbers, by name; its right side may be a number."
  @spec holds?({atom, String.t(), String.t() | integer}, %{String.t() => integer}) :: boolean
  def holds?({operator, left, right}, numbers) do
    right = if is_integer(right), do: right, else: Map.fetch!(numbers, right)
    apply(Kernel, operator, [Map.fetch!(numbers, left), right])
  end
end
