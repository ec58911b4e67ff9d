defmodule ZepsWire.Codec do
  @moduledoc """
  Decodes and encodes any message by walking its plan, in the order of the wire; the first fault ends it.

  A message's module has the plan as data, a `ZepsWire.Operation` for each field. To encode a value of another type than its
  field's raises ArgumentError or FunctionClauseError.
  """

  import Bitwise
  alias ZepsWire.{DecodeError, EncodeError, Operation}

  @number_max 0xFFFFFFFFFFFFFFFF

  @doc "The message of the module `kind` in frames of which the first begins as its frames do."
  @spec decode(module, [binary, ...]) :: {:ok, struct} | {:error, DecodeError.t()}
  def decode(kind, [frame | others]) do
    %{operations: operations, apart: apart, extensible: extensible} = kind.plan()
    new = kind.__struct__()
    {rest, message} = Enum.reduce(operations, {frame, new}, &read/2)
    if rest != "" and not extensible, do: throw({:trailing, nil, rest})
    {others, message} = Enum.reduce(apart, {others, message}, &read_frame/2)
    if others != [], do: throw({:trailing, nil, ""})
    {:ok, Map.take(message, Map.keys(new))}
  catch
    {code, field, rest} -> refuse(code, byte_size(frame) - byte_size(rest), kind.name(), field)
  end

  @doc "What is wrong with frames that begin like no message. `dispatch` is how the protocol tells its messages apart."
  @spec unknown(atom, [binary], [binary]) :: {:error, DecodeError.t()}
  def unknown(_dispatch, _beginnings, []), do: refuse(:truncated, 0)

  def unknown(:name, _beginnings, [<<size, name::binary>> | _]) when byte_size(name) < size, do: refuse(:truncated, 0)

  def unknown(dispatch, beginnings, [frame | _]) do
    known = beginnings |> Enum.map(&:binary.longest_common_prefix([frame, &1])) |> Enum.max(fn -> 0 end)
    offset = if dispatch == :signature and known >= 2, do: 2, else: 0

    cond do
      known == byte_size(frame) -> refuse(:truncated, offset)
      dispatch == :signature and offset == 0 -> refuse(:bad_signature, 0)
      true -> refuse(:unknown_message, offset)
    end
  end

  defp refuse(code, offset, message \\ nil, field \\ nil),
    do: {:error, %DecodeError{code: code, message: message, field: field, offset: offset}}

  @doc "The frames of a message."
  @spec encode(struct) :: {:ok, [binary, ...]} | {:error, EncodeError.t()}
  def encode(%kind{} = message) do
    plan = kind.plan()
    values = Enum.reduce(plan.operations, Map.from_struct(message), &measure/2)
    octets = Enum.map(plan.operations, &write(&1, values))
    {:ok, [IO.iodata_to_binary(octets) | Enum.flat_map(plan.apart, &frames(&1, Map.fetch!(values, &1.key)))]}
  catch
    {code, field, _rest} -> {:error, %EncodeError{code: code, message: kind.name(), field: field}}
  end

  # --- decoding: a message has its defaults, and numbers that it does not show until it is complete

  defp read(%Operation{optional: true}, {"", message}), do: {"", message}

  defp read(one, {start, message}) do
    {value, rest} = part(one, start, message)
    message = if one.key, do: Map.put(message, one.key, value), else: message
    check(Enum.all?(one.relations, &holds?(&1, message)), :bad_relation, one, start)
    {rest, message}
  end

  # Functions from here on take the rest of the frame, and return a value and what remains.
  defp part(%{kind: :constant, octets: octets} = one, start, _message) do
    check(String.starts_with?(start, octets) or String.starts_with?(octets, start), :bad_constant, one, start)
    take(byte_size(octets), start, one, start)
  end

  defp part(%{kind: :number} = one, start, _message) do
    {value, rest} = number(one.size, one.signed, one, start)
    check(value <= one.limit, :too_long, one, start)
    check(member?(value, one), :bad_constant, one, start)
    {value, rest}
  end

  defp part(%{kind: :items, prefix: 0, counted_by: nil} = one, start, message),
    do: items(one, :open, {start, message}, start, 0, [])

  defp part(%{kind: :items} = one, start, message) do
    {count, rest} = extent(one, start, message)
    check(count <= one.limit, :too_long, one, start)
    check(count * one.least <= byte_size(rest), :truncated, one, start)
    items(one, count, {start, message}, rest, 0, [])
  end

  defp part(one, start, message) do
    {size, rest} = extent(one, start, message)
    check(size <= one.limit, :too_long, one, start)
    {value, rest} = take(size, rest, one, start)
    check(text?(value, one.text), :bad_text, one, start)
    check(member?(value, one), :bad_constant, one, start)
    {value, rest}
  end

  defp items(_one, count, _list, rest, number, found) when count == number or (count == :open and rest == ""),
    do: {Enum.reverse(found), rest}

  defp items(one, count, {start, message} = list, rest, number, found) do
    check(number < one.limit, :too_long, one, start)
    {item, rest} = item(one.parts, rest, message)
    items(one, count, list, rest, number + 1, [item | found])
  end

  defp item([part], rest, message), do: part(part, rest, message)

  defp item([first, second], rest, message) do
    {key, rest} = part(first, rest, message)
    {value, rest} = part(second, rest, message)
    {{key, value}, rest}
  end

  # How many bytes or items there are, and what is left after a number that says so.
  defp extent(%{kind: :topic} = one, start, _message) do
    zero = :binary.match(start, <<0>>)
    check(zero != :nomatch, :truncated, one, start)
    {elem(zero, 0), start}
  end

  defp extent(%{kind: :rest}, start, _message), do: {byte_size(start), start}
  defp extent(%{counted_by: key}, start, message) when key != nil, do: {Map.fetch!(message, key), start}
  defp extent(%{prefix: 0, size: size}, start, _message), do: {size, start}
  defp extent(one, start, _message), do: number(one.prefix, false, one, start)

  defp number(0, signed, one, start) do
    {value, rest} = varint(start, 0, 0, one, start)
    {if(signed, do: bxor(value >>> 1, -(value &&& 1)), else: value), rest}
  end

  defp number(size, signed, one, start) do
    case start do
      <<value::signed-size(size)-unit(8), rest::binary>> when signed -> {value, rest}
      <<value::size(size)-unit(8), rest::binary>> -> {value, rest}
      _short -> throw({:truncated, one.name, start})
    end
  end

  defp varint(rest, shift, value, one, start) do
    {<<more::1, septet::7>>, rest} = take(1, rest, one, start)
    value = value + (septet <<< shift)
    check(value <= @number_max and (more == 0 or shift < 63), :too_long, one, start)
    if more == 1, do: varint(rest, shift + 7, value, one, start), else: {value, rest}
  end

  defp take(size, rest, one, start) do
    check(size <= byte_size(rest), :truncated, one, start)
    <<taken::binary-size(size), rest::binary>> = rest
    {taken, rest}
  end

  defp read_frame(one, {frames, message}) do
    {value, frames} = if one.is_rest, do: {frames, []}, else: List.pop_at(frames, 0)
    frames(one, value)
    {frames, Map.put(message, one.key, value)}
  end

  # --- encoding

  # A number that measures others is as great as the first of them is long.
  defp measure(%{measures: [{key, _name} | _]} = one, values), do: Map.put(values, one.key, count(values[key]))
  defp measure(_one, values), do: values

  defp count(value), do: if(is_list(value), do: length(value), else: byte_size(value))

  defp write(%{kind: :constant} = one, _values), do: one.octets
  defp write(%{kind: :reserved} = one, _values), do: :binary.copy(<<0>>, one.size)

  defp write(one, values) do
    value = Map.fetch!(values, one.key)
    for {key, name} <- one.measures, do: exact(count(values[key]), value, %{one | name: name})
    [{_key, shown} | _] = one.measures ++ [{one.key, one.name}]
    octets = octets(%{one | name: shown}, value)
    check(Enum.all?(one.relations, &holds?(&1, values)), :bad_relation, one)
    octets
  end

  defp octets(%{kind: :number} = one, value) when is_integer(value) do
    bits = if one.size == 0, do: 64, else: 8 * one.size
    least = if one.signed, do: -(1 <<< (bits - 1)), else: 0
    check(value <= one.limit, :too_long, one)
    check(member?(value, one), :bad_constant, one)
    check(value >= least and value < least + (1 <<< bits), :too_long, one)

    cond do
      one.size > 0 -> <<value::size(bits)>>
      one.signed -> varint(bxor(value <<< 1, value >>> 63))
      true -> varint(value)
    end
  end

  defp octets(%{kind: :items} = one, items), do: [prefix(one, length(items)) | Enum.map(items, &item(one.parts, &1))]

  defp octets(one, value) when is_binary(value) do
    check(member?(value, one), :bad_constant, one)
    check(text?(value, one.text), :bad_text, one)
    if one.kind == :fixed, do: exact(byte_size(value), one.size, one)
    [prefix(one, byte_size(value)), value]
  end

  defp item([part], item), do: octets(part, item)
  defp item([first, second], {key, value}), do: [octets(first, key), octets(second, value)]

  # The count or length before items or content: empty if `prefix` is 0.
  defp prefix(%{prefix: size} = one, count) do
    check(count <= one.limit and (size == 0 or count < 1 <<< (8 * size)), :too_long, one)
    <<count::size(size)-unit(8)>>
  end

  defp exact(size, wanted, one) do
    check(size <= wanted, :too_long, one)
    check(size >= wanted, :truncated, one)
  end

  defp varint(value) when value < 0x80, do: [value]
  defp varint(value), do: [(value &&& 0x7F) + 0x80 | varint(value >>> 7)]

  # The frames of a field, which decoder and encoder look at alike.
  defp frames(one, value) do
    frames = List.wrap(value)
    check(frames != [], :truncated, one)
    check(Enum.all?(frames, &(byte_size(&1) <= one.limit)), :too_long, one)
    frames
  end

  # --- checks; a limit that is an atom is greater than any number

  defp check(right, code, one, rest \\ ""), do: right || throw({code, one.name, rest})

  defp holds?({operator, left, right}, values) do
    right = if is_atom(right), do: Map.fetch!(values, right), else: right
    apply(Kernel, operator, [Map.fetch!(values, left), right])
  end

  defp member?(_value, %{members: nil}), do: true
  defp member?(value, %{members: members, flags: false}), do: value in members
  defp member?(value, %{members: members}), do: (value &&& bnot(Enum.reduce(members, 0, &|||/2))) == 0

  defp text?(text, :topic), do: String.valid?(text) and :binary.match(text, <<0>>) == :nomatch
  defp text?(text, :utf8), do: String.valid?(text)
  defp text?(text, :printable), do: printable?(text)
  defp text?(text, :vchar), do: for(<<octet <- text>>, octet not in ?!..?~, do: octet) == []
  defp text?(_text, _any), do: true

  defp printable?(<<one::utf8, rest::binary>>) when one >= 0x20 and one not in 0x7F..0x9F, do: printable?(rest)
  defp printable?(rest), do: rest == ""
end
