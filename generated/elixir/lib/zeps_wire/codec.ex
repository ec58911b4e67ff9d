defmodule ZepsWire.Codec do
  @moduledoc """
  Decodes and encodes any message by walking its plan, in the order of the wire; the first fault ends it.

  A message's module has the plan as data: the bytes that begin its frame, and a `ZepsWire.Operation` for each field. To
  encode a value of another type than its field's raises ArgumentError or FunctionClauseError.
  """

  import Bitwise
  alias ZepsWire.{DecodeError, EncodeError, Operation}

  @number_max 0xFFFFFFFFFFFFFFFF

  @doc "The message in frames, of one of the modules `kinds`; `dispatch` is how the protocol tells its messages apart."
  @spec decode([module], atom, [binary]) :: {:ok, struct} | {:error, DecodeError.t()}
  def decode(_kinds, _dispatch, []), do: refuse(:truncated, 0)

  def decode(kinds, dispatch, [frame | others]) do
    fitting = Enum.filter(kinds, &String.starts_with?(frame, &1.plan().dispatch))

    case Enum.max_by(fitting, &byte_size(&1.plan().dispatch), fn -> nil end) do
      nil -> unknown(dispatch, frame, Enum.map(kinds, & &1.plan().dispatch))
      kind -> decode_message(kind, kind.plan(), frame, others)
    end
  end

  defp unknown(:name, <<size, name::binary>>, _beginnings) when byte_size(name) < size, do: refuse(:truncated, 0)

  defp unknown(dispatch, frame, beginnings) do
    signature = signature(dispatch, beginnings)
    offset = if String.starts_with?(frame, signature), do: byte_size(signature), else: 0

    cond do
      frame == "" or Enum.any?(beginnings, &String.starts_with?(&1, frame)) -> refuse(:truncated, offset)
      offset == byte_size(signature) -> refuse(:unknown_message, offset)
      true -> refuse(:bad_signature, offset)
    end
  end

  defp signature(:signature, [<<signature::binary-size(2), _number>> | _]), do: signature
  defp signature(_dispatch, _beginnings), do: ""

  defp refuse(code, offset, message \\ nil, field \\ nil),
    do: {:error, %DecodeError{code: code, message: message, field: field, offset: offset}}

  defp decode_message(kind, plan, frame, others) do
    {rest, values} = Enum.reduce(plan.operations, {frame, %{}}, &read/2)
    if rest != "" and not plan.extensible, do: throw({:trailing, nil, rest})
    {others, values} = Enum.reduce(plan.apart, {others, values}, &read_frame/2)
    if others != [], do: throw({:trailing, nil, ""})
    {:ok, struct(kind, values)}
  catch
    {code, field, rest} -> refuse(code, byte_size(frame) - byte_size(rest), kind.name(), field)
  end

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

  # --- decoding: each function takes the rest of the frame, and returns a value and what remains

  defp read(%Operation{optional: true} = one, {"", values}), do: {"", Map.put(values, one.key, one.default)}

  defp read(%Operation{} = one, {start, values}) do
    {value, rest} = part(one, start, values)
    values = Map.put(values, one.key, value)
    check(Enum.all?(one.relations, &holds?(&1, values)), :bad_relation, one, start)
    {rest, values}
  end

  defp part(%{kind: :constant, octets: octets} = one, start, _values) do
    check(String.starts_with?(start, octets) or String.starts_with?(octets, start), :bad_constant, one, start)
    take(byte_size(octets), start, one, start)
  end

  defp part(%{kind: :number} = one, start, _values) do
    {value, rest} = number(one.size, one.signed, one, start)
    check(value <= one.limit, :too_long, one, start)
    check(member?(value, one), :bad_constant, one, start)
    {value, rest}
  end

  defp part(%{kind: :items, prefix: 0, counted_by: nil} = one, start, values),
    do: items(one, :open, {start, values}, start, 0, [])

  defp part(%{kind: :items} = one, start, values) do
    {count, rest} = extent(one, start, values)
    check(count <= one.limit, :too_long, one, start)
    check(count * one.least <= byte_size(rest), :truncated, one, start)
    items(one, count, {start, values}, rest, 0, [])
  end

  defp part(one, start, values) do
    {size, rest} = extent(one, start, values)
    check(size <= one.limit, :too_long, one, start)
    {value, rest} = take(size, rest, one, start)
    check(text?(value, one), :bad_text, one, start)
    check(member?(value, one), :bad_constant, one, start)
    {value, if(one.kind == :topic, do: binary_part(rest, 1, byte_size(rest) - 1), else: rest)}
  end

  defp items(_one, count, _list, rest, count, found), do: {Enum.reverse(found), rest}
  defp items(_one, :open, _list, "", _number, found), do: {Enum.reverse(found), ""}

  defp items(one, count, {start, values} = list, rest, number, found) do
    check(number < one.limit, :too_long, one, start)
    {item, rest} = Enum.map_reduce(one.parts, rest, &part(&1, &2, values))
    item = if match?([_], item), do: hd(item), else: List.to_tuple(item)
    items(one, count, list, rest, number + 1, [item | found])
  end

  # How many bytes or items there are, and what is left after a number that says so.
  defp extent(%{kind: :topic} = one, start, _values) do
    zero = :binary.match(start, <<0>>)
    check(zero != :nomatch, :truncated, one, start)
    {elem(zero, 0), start}
  end

  defp extent(%{kind: :rest}, start, _values), do: {byte_size(start), start}
  defp extent(%{counted_by: key}, start, values) when key != nil, do: {Map.fetch!(values, key), start}
  defp extent(%{prefix: 0, size: size}, start, _values), do: {size, start}
  defp extent(one, start, _values), do: number(one.prefix, false, one, start)

  defp number(0, signed, one, start) do
    {value, rest} = varint(start, 0, 0, one, start)
    {if(signed, do: bxor(value >>> 1, -(value &&& 1)), else: value), rest}
  end

  defp number(size, signed, one, start) do
    {octets, rest} = take(size, start, one, start)
    <<unsigned::size(size)-unit(8)>> = octets
    <<value::signed-size(size)-unit(8)>> = octets
    {if(signed, do: value, else: unsigned), rest}
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

  defp read_frame(one, {frames, values}) do
    {value, frames} = if one.is_rest, do: {frames, []}, else: List.pop_at(frames, 0)
    frames(one, value)
    {frames, Map.put(values, one.key, value)}
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
    check(text?(value, one), :bad_text, one)
    if one.kind == :fixed, do: exact(byte_size(value), one.size, one)
    [prefix(one, byte_size(value)), value, if(one.kind == :topic, do: 0, else: [])]
  end

  defp item([part], value), do: octets(part, value)
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

  defp text?(text, %{kind: :topic}), do: String.valid?(text) and :binary.match(text, <<0>>) == :nomatch
  defp text?(text, %{text: :utf8}), do: String.valid?(text)
  defp text?(text, %{text: :printable}), do: String.valid?(text) and not String.match?(text, ~r/\p{Cc}/u)
  defp text?(text, %{text: :vchar}), do: not String.match?(text, ~r/[^!-~]/)
  defp text?(_text, _any), do: true
end
