defmodule ZepsWire.Decoder do
  @moduledoc """
  Decodes frames of any message by walking its plan, in the order of the wire; the first fault ends it.

  A message's module has its `plan/0` as data, and `match/1`, which decodes by one pattern what is right, or returns nil.
  """

  alias ZepsWire.{DecodeError, Text}

  @type result :: {:ok, struct} | {:error, DecodeError.t()}

  @doc "The message of the module `kind` in frames, which begin with what names it."
  @spec decode(module, [binary, ...]) :: result
  def decode(kind, [frame | others]) do
    case others == [] && kind.match(frame) do
      %{} = message -> {:ok, message}
      _ -> walk(kind, kind.plan(), frame, others)
    end
  end

  defp walk(kind, plan, frame, others) do
    rest = binary_part(frame, plan.seen, byte_size(frame) - plan.seen)
    state = Enum.reduce(plan.constants ++ plan.operations, {rest, [], %{}}, &read/2)
    {rest, values, _numbers} = Enum.reduce(plan.tail, state, &read_or_default/2)
    if rest != "" and not plan.extensible, do: throw({:trailing, nil, rest})
    {:ok, struct!(kind, apart(plan.apart, others, values))}
  catch
    {code, name, rest} -> error(code, byte_size(frame) - byte_size(rest), kind.name(), name)
  end

  @doc false
  @spec error(DecodeError.code(), non_neg_integer, String.t() | nil, String.t() | nil) :: {:error, DecodeError.t()}
  def error(code, offset, message \\ nil, field \\ nil),
    do: {:error, %DecodeError{code: code, message: message, field: field, offset: offset}}

  @doc "The error of a frame that does not begin with `signature` and a byte that numbers a message."
  @spec unknown_number(binary, binary) :: {:error, DecodeError.t()}
  def unknown_number(frame, signature) do
    size = byte_size(signature)

    cond do
      frame == signature -> error(:truncated, size)
      String.starts_with?(frame, signature) -> error(:unknown_message, size)
      String.starts_with?(signature, frame) -> error(:truncated, 0)
      true -> error(:bad_signature, 0)
    end
  end

  @doc "The error of a frame that does not begin with a byte of length and a message's name."
  @spec unknown_name(binary) :: {:error, DecodeError.t()}
  def unknown_name(<<size, rest::binary>>) when byte_size(rest) >= size, do: error(:unknown_message, 0)
  def unknown_name(_frame), do: error(:truncated, 0)

  @doc "The error of a frame that begins with none of `beginnings`."
  @spec unknown_beginning(binary, [binary]) :: {:error, DecodeError.t()}
  def unknown_beginning(frame, beginnings) do
    short = Enum.any?(beginnings, &String.starts_with?(&1, frame))
    error(if(short, do: :truncated, else: :unknown_message), 0)
  end

  # --- operations: the state is what is left of the frame, the values so far, and numbers by name

  defp read_or_default({key, _name, _part, options}, {"", values, numbers}),
    do: {"", if(key, do: [{key, options.default} | values], else: values), numbers}

  defp read_or_default(operation, state), do: read(operation, state)

  defp read({key, name, part, options}, {start, values, numbers}) do
    {value, rest} = part(part, start, name, numbers)
    numbers = if is_integer(value), do: Map.put(numbers, name, value), else: numbers
    related = Enum.all?(Map.get(options, :relations, []), &Text.holds?(&1, numbers))
    unless related, do: throw({:bad_relation, name, start})
    {rest, if(key, do: [{key, value} | values], else: values), numbers}
  end

  # A limit that is an atom is greater than any number.
  defp part({:number, size, signed, limit, members}, start, name, _numbers) do
    {value, rest} = number(size, signed, start, name)
    if value > limit, do: throw({:too_long, name, start})
    unless Text.member?(value, members), do: throw({:bad_constant, name, start})
    {value, rest}
  end

  defp part({:content, prefix, limit, text, members}, start, name, numbers) do
    {length, rest} = count(prefix, start, name, numbers)
    if length > limit, do: throw({:too_long, name, start})
    {content, rest} = take(rest, length, name, start)
    unless Text.valid?(content, text), do: throw({:bad_text, name, start})
    unless Text.member?(content, members), do: throw({:bad_constant, name, start})
    {content, rest}
  end

  defp part({:items, prefix, limit, parts, least}, start, name, numbers) do
    {count, rest} = count(prefix, start, name, numbers)
    if is_integer(count) and count > limit, do: throw({:too_long, name, start})
    if is_integer(count) and count * least > byte_size(rest), do: throw({:truncated, name, start})
    items(count, rest, parts, limit, {name, start, numbers}, 0, [])
  end

  defp part({kind, size}, start, name, _numbers) when kind in [:fixed, :reserved], do: take(start, size, name, start)

  defp part({:rest, limit}, start, name, _numbers) do
    if byte_size(start) > limit, do: throw({:too_long, name, start})
    {start, ""}
  end

  defp part({:constant, octets}, start, name, _numbers) do
    case {String.starts_with?(start, octets), String.starts_with?(octets, start)} do
      {true, _} -> {nil, binary_part(start, byte_size(octets), byte_size(start) - byte_size(octets))}
      {false, true} -> throw({:truncated, name, start})
      {false, false} -> throw({:bad_constant, name, start})
    end
  end

  defp part(:topic, start, name, _numbers) do
    case :binary.split(start, <<0>>) do
      [topic, rest] -> if String.valid?(topic), do: {topic, rest}, else: throw({:bad_text, name, start})
      _ -> throw({:truncated, name, start})
    end
  end

  # Items until there are so many, or until the frame ends.
  defp items(count, rest, _parts, _limit, _place, count, found), do: {Enum.reverse(found), rest}
  defp items(:rest, "", _parts, _limit, _place, _number, found), do: {Enum.reverse(found), ""}

  defp items(count, rest, parts, limit, {name, start, numbers} = place, number, found) do
    if number >= limit, do: throw({:too_long, name, start})

    {values, rest} = Enum.map_reduce(parts, rest, fn part, rest -> part(part, rest, name, numbers) end)

    item = if match?([_], values), do: hd(values), else: List.to_tuple(values)
    items(count, rest, parts, limit, place, number + 1, [item | found])
  end

  defp count(:rest, rest, _name, _numbers), do: {:rest, rest}
  defp count(sibling, rest, _name, numbers) when is_binary(sibling), do: {Map.fetch!(numbers, sibling), rest}
  defp count(size, rest, name, _numbers), do: number(size, false, rest, name)

  defp number(0, signed, start, name) do
    {value, rest} = varint(start, 0, 0, {name, start})
    zigzag = Bitwise.bxor(Bitwise.bsr(value, 1), -Bitwise.band(value, 1))
    {if(signed, do: zigzag, else: value), rest}
  end

  defp number(size, signed, start, name) do
    case {signed, start} do
      {false, <<value::size(size)-unit(8), rest::binary>>} -> {value, rest}
      {true, <<value::signed-size(size)-unit(8), rest::binary>>} -> {value, rest}
      _ -> throw({:truncated, name, start})
    end
  end

  defp varint(rest, shift, _value, {name, start}) when shift == 70 or rest == "",
    do: throw({if(shift == 70, do: :too_long, else: :truncated), name, start})

  defp varint(<<more::1, septet::7, rest::binary>>, shift, value, {name, start} = place) do
    value = value + Bitwise.bsl(septet, shift)

    cond do
      more == 1 -> varint(rest, shift + 7, value, place)
      value > 0xFFFFFFFFFFFFFFFF -> throw({:too_long, name, start})
      true -> {value, rest}
    end
  end

  defp take(rest, size, name, start) do
    if size > byte_size(rest), do: throw({:truncated, name, start})
    <<taken::binary-size(size), rest::binary>> = rest
    {taken, rest}
  end

  # --- the frames after the first

  defp apart([], [], values), do: values
  defp apart([], _frames, _values), do: throw({:trailing, nil, ""})
  defp apart([{_key, name, _part, _options} | _more], [], _values), do: throw({:truncated, name, ""})

  defp apart([{key, name, {kind, limit}, _options} | more], frames, values) do
    {found, frames} = if kind == :frames, do: {frames, []}, else: Enum.split(frames, 1)
    if Enum.any?(found, &(byte_size(&1) > limit)), do: throw({:too_long, name, ""})
    apart(more, frames, [{key, if(kind == :frames, do: found, else: hd(found))} | values])
  end
end
