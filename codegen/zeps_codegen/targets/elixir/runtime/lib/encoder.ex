defmodule ZepsWire.Encoder do
  @moduledoc """
  Encodes any message by walking its plan, in the order of the wire; the first fault ends it.

  A message's module has `build/1`, which encodes by one pattern what is right, or returns nil. A value of another type than
  its field's raises ArgumentError or FunctionClauseError.
  """

  alias ZepsWire.{EncodeError, Text}

  @doc "The frames of a message."
  @spec encode(struct) :: {:ok, [binary, ...]} | {:error, EncodeError.t()}
  def encode(%kind{} = message) do
    frame = kind.build(message)
    if frame, do: {:ok, [frame]}, else: walk(kind, kind.plan(), message)
  end

  defp walk(kind, plan, message) do
    operations = plan.operations ++ plan.tail
    numbers = for {_, name, {:number, _, _, _, _}, _} = one <- operations, into: %{}, do: {name, number(one, message)}
    Enum.each(operations, &agree(&1, message))
    octets = [plan.head | Enum.map(operations, &write(&1, message, numbers))]
    {:ok, [IO.iodata_to_binary(octets) | Enum.flat_map(plan.apart, &frames(&1, message))]}
  catch
    {code, name} -> {:error, %EncodeError{code: code, message: kind.name(), field: name}}
  end

  @doc "The number of bytes of a message's first frame; the greatest number if it cannot be encoded."
  @spec size(struct) :: non_neg_integer
  def size(message) do
    case encode(message) do
      {:ok, [frame | _]} -> byte_size(frame)
      {:error, _} -> 0xFFFFFFFFFFFFFFFF
    end
  end

  defp number({_, _, _, %{measures: [{key, _} | _]}}, message), do: count(Map.fetch!(message, key))
  defp number({key, _, _, _}, message), do: Map.fetch!(message, key)

  defp count(value), do: if(is_list(value), do: length(value), else: byte_size(value))

  # What one number counts or measures has to be as long as the first of them.
  defp agree({_, _, _, %{measures: [_ | [_ | _] = others]}} = operation, message) do
    for {key, name} <- others, do: exact(count(Map.fetch!(message, key)), number(operation, message), name)
  end

  defp agree(_operation, _message), do: []

  defp exact(size, wanted, name) when size > wanted, do: throw({:too_long, name})
  defp exact(size, wanted, name) when size < wanted, do: throw({:truncated, name})
  defp exact(_size, _wanted, _name), do: :ok

  defp write({_, name, {:number, _, _, _, _} = part, options}, _message, numbers) do
    shown = with %{measures: [{_key, shown} | _]} <- options, do: shown, else: (_ -> name)
    octets = part(part, Map.fetch!(numbers, name), shown)
    related = Enum.all?(Map.get(options, :relations, []), &Text.holds?(&1, numbers))
    if related, do: octets, else: throw({:bad_relation, name})
  end

  defp write({_, _, {:constant, octets}, _}, _message, _numbers), do: octets
  defp write({_, _, {:reserved, size}, _}, _message, _numbers), do: <<0::size(size)-unit(8)>>
  defp write({key, name, part, _}, message, _numbers), do: part(part, Map.fetch!(message, key), name)

  # A limit that is an atom is greater than any number.
  defp part({:number, size, signed, limit, members}, value, name) when is_integer(value) do
    bits = if size == 0, do: 64, else: 8 * size
    least = if signed, do: -Bitwise.bsl(1, bits - 1), else: 0
    if value > limit, do: throw({:too_long, name})
    unless Text.member?(value, members), do: throw({:bad_constant, name})
    if value < least or value >= least + Bitwise.bsl(1, bits), do: throw({:too_long, name})

    cond do
      size > 0 -> <<value::size(bits)>>
      signed -> varint(if value < 0, do: -2 * value - 1, else: 2 * value)
      true -> varint(value)
    end
  end

  defp part({:content, prefix, limit, text, members}, value, name) when is_binary(value) do
    unless Text.member?(value, members), do: throw({:bad_constant, name})
    unless Text.valid?(value, text), do: throw({:bad_text, name})
    [counted(prefix, byte_size(value), limit, name), value]
  end

  defp part({:items, prefix, limit, parts, _least}, values, name) do
    head = counted(prefix, length(values), limit, name)
    [head | for(value <- values, do: item(parts, value, name))]
  end

  defp part({:fixed, size}, value, name) do
    exact(byte_size(value), size, name)
    value
  end

  defp part({:rest, limit}, value, name), do: [counted(:rest, byte_size(value), limit, name), value]

  defp part(:topic, value, name) do
    valid = String.valid?(value) and :binary.match(value, <<0>>) == :nomatch
    if valid, do: [value, 0], else: throw({:bad_text, name})
  end

  defp item([part], value, name), do: part(part, value, name)
  defp item([first, second], {key, value}, name), do: [part(first, key, name), part(second, value, name)]

  # The bytes of a count or a length; none if a sibling has it, or nothing.
  defp counted(prefix, count, limit, name) do
    limit = if is_integer(prefix), do: min(limit, Bitwise.bsl(1, 8 * prefix) - 1), else: limit
    if count > limit, do: throw({:too_long, name})
    if is_integer(prefix), do: <<count::size(prefix)-unit(8)>>, else: []
  end

  defp varint(value) when value < 0x80, do: [value]
  defp varint(value), do: [Bitwise.bor(Bitwise.band(value, 0x7F), 0x80) | varint(Bitwise.bsr(value, 7))]

  defp frames({key, name, {kind, limit}, _options}, message) do
    found = List.wrap(Map.fetch!(message, key))
    if kind == :frames and found == [], do: throw({:truncated, name})
    if Enum.any?(found, &(byte_size(&1) > limit)), do: throw({:too_long, name})
    found
  end
end
