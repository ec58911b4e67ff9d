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
    case kind.build(message) do
      nil -> walk(kind, message)
      frame -> {:ok, [frame]}
    end
  end

  defp walk(kind, message) do
    plan = kind.plan()
    operations = plan.operations ++ plan.tail
    numbers = for {_, name, _, _} = one <- operations, value = number(one, message), into: %{}, do: {name, value}
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
  defp number({key, _, {:number, _, _, _, _}, _}, message), do: Map.fetch!(message, key)
  defp number(_operation, _message), do: nil

  defp count(value) when is_list(value), do: length(value)
  defp count(value), do: byte_size(value)

  # What one number counts or measures has to be as long as the first of them.
  defp agree({_, _, _, %{measures: [{first, _} | others]}}, message) do
    for {key, name} <- others do
      fixed(count(Map.fetch!(message, key)), count(Map.fetch!(message, first)), name)
    end
  end

  defp agree(_operation, _message), do: []

  defp fixed(size, wanted, name) when size > wanted, do: throw({:too_long, name})
  defp fixed(size, wanted, name) when size < wanted, do: throw({:truncated, name})
  defp fixed(_size, _wanted, _name), do: :ok

  defp write({key, name, {:number, _, _, _, _} = part, options}, message, numbers) do
    {value, shown} =
      case options do
        %{measures: [{first, shown} | _]} -> {count(Map.fetch!(message, first)), shown}
        _ -> {Map.fetch!(message, key), name}
      end

    octets = part(part, value, shown)

    for relation <- Map.get(options, :relations, []), not Text.holds?(relation, numbers) do
      throw({:bad_relation, name})
    end

    octets
  end

  defp write({_key, _name, {:constant, octets}, _options}, _message, _numbers), do: octets
  defp write({_key, _name, {:reserved, size}, _options}, _message, _numbers), do: <<0::size(size)-unit(8)>>

  defp write({key, name, part, _options}, message, _numbers),
    do: part(part, Map.fetch!(message, key), name)

  defp part({:number, size, signed, limit, members}, value, name) when is_integer(value) do
    bits = if size == 0, do: 64, else: 8 * size
    least = if signed, do: -Bitwise.bsl(1, bits - 1), else: 0
    if value > limit, do: throw({:too_long, name})
    unless Text.member?(value, members), do: throw({:bad_constant, name})
    if value < least or value >= least + Bitwise.bsl(1, bits), do: throw({:too_long, name})

    cond do
      size > 0 -> <<value::size(bits)>>
      signed and value < 0 -> varint(-2 * value - 1)
      signed -> varint(2 * value)
      true -> varint(value)
    end
  end

  defp part({:content, prefix, limit, text, members}, value, name) when is_binary(value) do
    unless Text.member?(value, members), do: throw({:bad_constant, name})
    unless Text.valid?(value, text), do: throw({:bad_text, name})
    [counted(prefix, byte_size(value), limit, name), value]
  end

  defp part({:items, prefix, limit, parts, _least}, value, name) do
    head = counted(prefix, length(value), limit, name)
    [head | Enum.map(value, &item(parts, &1, name))]
  end

  defp part({:fixed, size}, value, name) do
    fixed(byte_size(value), size, name)
    value
  end

  defp part({:rest, limit}, value, name), do: [counted(:rest, byte_size(value), limit, name), value]

  defp part(:topic, value, name) do
    valid = String.valid?(value) and :binary.match(value, <<0>>) == :nomatch
    unless valid, do: throw({:bad_text, name})
    [value, 0]
  end

  defp item([part], value, name), do: part(part, value, name)
  defp item([first, second], {key, value}, name), do: [part(first, key, name), part(second, value, name)]

  # The octets of a count or a length: none if a sibling has it, or nothing. An atom is greater than any number.
  defp counted(prefix, count, limit, name) when is_integer(prefix) do
    if count > min(limit, Bitwise.bsl(1, 8 * prefix) - 1), do: throw({:too_long, name})
    <<count::size(prefix)-unit(8)>>
  end

  defp counted(_prefix, count, limit, name) do
    if count > limit, do: throw({:too_long, name})
    []
  end

  defp varint(value) when value < 0x80, do: [value]

  defp varint(value),
    do: [Bitwise.bor(Bitwise.band(value, 0x7F), 0x80) | varint(Bitwise.bsr(value, 7))]

  defp frames({key, name, {kind, limit}, _options}, message) do
    found = List.wrap(Map.fetch!(message, key))
    if kind == :frames and found == [], do: throw({:truncated, name})
    if Enum.any?(found, &(byte_size(&1) > limit)), do: throw({:too_long, name})
    found
  end
end
