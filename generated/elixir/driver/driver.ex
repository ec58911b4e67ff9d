defmodule ZepsWire.Driver do
  @moduledoc "Answers requests about the codecs and machines on stdin and stdout, for tests."

  alias ZepsWire.Machine

  @request_bytes_max 64 * 1024 * 1024

  @doc "Serves until the input ends; exit status 2 if a request is announced that is too large."
  def main, do: serve(Port.open({:fd, 0, 1}, [:binary, :eof]), "")

  # Answers leave when no whole request is left in the buffer.
  defp serve(port, buffer) do
    receive do
      {^port, :eof} ->
        System.halt(0)

      {^port, {:data, octets}} ->
        {answers, rest} = answers(buffer <> octets, [])
        if answers != [], do: Port.command(port, answers)
        serve(port, rest)
    end
  end

  @doc "The answers to the whole requests in a buffer, each after its length, and what is left of it."
  def answers(<<size::32, _::binary>>, _answers) when size > @request_bytes_max do
    IO.puts(:stderr, "a request of #{size} bytes is too large")
    System.halt(2)
  end

  def answers(<<size::32, request::binary-size(size), rest::binary>>, answers),
    do: answers(rest, [answers | blob(handle(request))])

  def answers(rest, answers), do: {answers, rest}

  @doc "The answer to one request."
  def handle(request) do
    answer(request)
  rescue
    error in [ZepsWire.DecodeError, ZepsWire.EncodeError] ->
      code = error.code |> Atom.to_string() |> String.replace("_", "-")
      ["-" | Enum.map([code, error.message || "", error.field || ""], &name/1)]

    error ->
      ["?", name(inspect(error.__struct__))]
  end

  # --- requests

  defp answer("I"),
    do: ["I", name("elixir"), many(ZepsWire.protocols() ++ ZepsWire.machines(), &name(elem(&1, 0)))]

  defp answer(<<kind, rest::binary>>) when kind in [?D, ?d] do
    {[name, frames], ""} = read_all(rest, [:name, if(kind == ?D, do: :frame, else: {:many, :blob})])
    protocol = named(ZepsWire.protocols(), name)
    %module{} = message = ok!(protocol.decode_frames(frames))
    values = many(shown(module), &tell(Map.fetch!(message, &1.key), &1))
    ["+", name(module.name()), values | frames(ok!(protocol.encode_frames(message)), kind == ?D)]
  end

  defp answer(<<kind, rest::binary>>) when kind in [?E, ?e] do
    {[name, message, values], ""} = read_all(rest, [:name, :name, {:many, :value}])
    protocol = named(ZepsWire.protocols(), name)
    module = named(Enum.map(protocol.messages(), &{&1.name(), &1}), message)
    ["+" | frames(ok!(protocol.encode_frames(build(module, values))), kind == ?E)]
  end

  defp answer(<<?b, rest::binary>>) do
    {[name, times, frames], ""} = read_all(rest, [:name, :octet, {:many, :blob}])
    protocol = named(ZepsWire.protocols(), name)
    words = reclaimed()
    start = System.monotonic_time(:nanosecond)
    Enum.each(1..times//1, fn _ -> protocol.decode_frames(frames) end)
    elapsed = System.monotonic_time(:nanosecond) - start
    allocated = 8 * (reclaimed() - words)
    # The frames are used once more: their memory must not be reclaimed before it is counted.
    [if(match?({:ok, _}, protocol.decode_frames(frames)), do: "+", else: "-"), <<elapsed::64, allocated::64>>]
  end

  defp answer(<<?M, rest::binary>>) do
    {[name, steps], ""} = read_all(rest, [:name, {:many, :step}])
    machine = named(ZepsWire.machines(), name).new(__MODULE__.Recorder, %{failed: %{}, raised: %{}})
    {answers, _machine} = Enum.map_reduce(steps, machine, &step/2)
    ["+" | answers]
  end

  # Words that were allocated and are no longer used, all of them after a collection.
  defp reclaimed do
    :erlang.garbage_collect()
    elem(:erlang.statistics(:garbage_collection), 1)
  end

  defp named(things, name), do: Map.fetch!(Map.new(things), name)

  defp frames([frame | _], true), do: blob(frame)
  defp frames(frames, false), do: many(frames, &blob/1)

  defp ok!({:ok, result}), do: result
  defp ok!({:error, error}), do: raise(error)

  # --- steps of a machine

  # The arguments of a step, as `read` names them.
  defp arguments(?m), do: [:frame]
  defp arguments(?a), do: [{:many, :blob}]
  defp arguments(?c), do: [:name, {:many, :value}]
  defp arguments(?v), do: [:name, :value]
  defp arguments(?w), do: [:name, :name, :value]
  defp arguments(?t), do: [:number]
  defp arguments(kind) when kind in [?f, ?n], do: [:name, :name]

  defp step({kind, arguments}, %module{data: data} = machine) do
    machine = %{machine | data: Map.merge(data, %{log: [], refused: false})}

    {outcome, machine} =
      case step(kind, arguments, machine, module.model()) do
        {:taken, machine} -> {?t, machine}
        {:declined, machine} -> {?n, machine}
        {:error, %{reason: reason}, machine} -> {if(reason == :unexpected, do: ?u, else: ?h), machine}
        {:set, machine} -> {?v, machine}
        _unknown -> {?x, machine}
      end

    %{engine: engine, data: data} = machine
    variables = many(module.model().variables, fn {_name, key, type} -> tell(Map.fetch!(machine, key), type) end)
    actions = many(Enum.reverse(data.log), fn {name, octets} -> [name(name), blob(octets)] end)
    due = Machine.deadline(machine)
    deadline = if kind == ?t and outcome != ?x, do: <<if(due, do: 1, else: 0), due || 0::64>>, else: []
    terminated = if engine.terminated, do: 1, else: 0
    outcome = if data.refused, do: ?e, else: outcome
    {[outcome, name(Atom.to_string(engine.state)), terminated, variables, actions | deadline], machine}
  end

  defp step(kind, [frames], %module{} = machine, model) when kind in [?m, ?a] do
    with {:ok, message} <- model.protocol.decode_frames(frames), do: module.handle(machine, message)
  end

  defp step(?c, [name, values], %module{} = machine, model) do
    with {_, function, message} <- List.keyfind(model.calls, name, 0),
         do: apply(module, function, [machine | if(message, do: [build(message, values)], else: values)])
  end

  defp step(?v, [name, value], machine, model) do
    with {_, key, type} <- List.keyfind(model.variables, name, 0),
         do: {:set, Map.replace!(machine, key, if(type == :boolean, do: value != 0, else: value))}
  end

  defp step(kind, [action, name], machine, model) when kind in [?f, ?n] do
    event = Enum.find(model.internal, &(Atom.to_string(&1) == name))

    if event && List.keymember?(model.actions, action, 0),
      do: {:set, put_in(machine.data[if(kind == ?f, do: :failed, else: :raised)][action], event)}
  end

  defp step(?w, [message, name, value], %module{} = machine, model) do
    with {kind, function, keys} <- Enum.find(model.fills, fn {kind, _, _} -> kind.name() == message end),
         %{key: key} <- Enum.find(shown(kind), &(&1.name == name and &1.key in keys)),
         do: {:set, apply(module, function, [machine, [{key, value}]])}
  end

  defp step(?t, [now], machine, model), do: if(model.timers != [], do: Machine.advance(machine, now))

  # --- values

  defp name(text), do: [byte_size(text), text]

  @doc "Bytes after their length."
  def blob(octets), do: [<<IO.iodata_length(octets)::32>>, octets]

  defp many(items, spelled), do: [<<length(items)::32>> | Enum.map(items, spelled)]

  defp read_all(octets, parts), do: Enum.map_reduce(parts, octets, &read/2)

  defp read(:octet, <<octet, rest::binary>>), do: {octet, rest}
  defp read(:name, <<size, name::binary-size(size), rest::binary>>), do: {name, rest}
  defp read(:blob, <<size::32, octets::binary-size(size), rest::binary>>), do: {octets, rest}
  defp read(:number, <<number::64, rest::binary>>), do: {number, rest}
  defp read(:frame, octets), do: read_all(octets, [:blob])
  defp read(:value, <<?u, rest::binary>>), do: read(:number, rest)
  defp read(:value, <<?i, number::signed-64, rest::binary>>), do: {number, rest}
  defp read(:value, <<letter, rest::binary>>) when letter in [?s, ?b], do: read(:blob, rest)
  defp read(:value, <<?l, rest::binary>>), do: read({:many, :value}, rest)
  defp read(:value, <<?h, rest::binary>>), do: read({:many, :pair}, rest)

  defp read(:pair, octets) do
    {[key, value], rest} = read_all(octets, [:value, :value])
    {{key, value}, rest}
  end

  defp read(:step, <<kind, rest::binary>>) do
    {arguments, rest} = read_all(rest, arguments(kind))
    {{kind, arguments}, rest}
  end

  defp read({:many, part}, <<count::32, rest::binary>>),
    do: Enum.map_reduce(1..count//1, rest, fn _number, rest -> read(part, rest) end)

  # A value of an operation, or of a variable's type.
  defp tell(value, %{kind: :items, parts: [part]}), do: [?l, many(value, &tell(&1, part))]
  defp tell(frames, %{kind: :apart, is_rest: true}), do: [?l, many(frames, &tell(&1, :octets))]

  defp tell(pairs, %{kind: :items, parts: [first, second]}),
    do: [?h, many(pairs, fn {key, value} -> [tell(key, first), tell(value, second)] end)]

  defp tell(true, type), do: tell(1, type)
  defp tell(false, type), do: tell(0, type)
  defp tell(number, %{signed: true}) when is_integer(number), do: [?i, <<number::64>>]
  defp tell(number, _type) when is_integer(number), do: [?u, <<number::64>>]

  defp tell(octets, type) when type == :octets or (is_map_key(type, :text) and type.text == nil),
    do: [?b, blob(octets)]

  defp tell(text, _type), do: [?s, blob(text)]

  # The operations on what a message shows, in the order of the wire.
  defp shown(module) do
    %{operations: operations, apart: apart} = module.plan()
    Enum.filter(operations ++ apart, &is_map_key(module.__struct__(), &1.key))
  end

  defp build(module, values), do: struct!(module, :lists.zip(Enum.map(shown(module), & &1.key), values))
end

defmodule ZepsWire.Driver.Recorder do
  @moduledoc "A host that writes down what it is asked for."
  alias ZepsWire.{Driver, Machine}

  def send(_message, frames, machine),
    do: log(machine, "send", if(match?([_], frames), do: frames, else: Enum.map(frames, &Driver.blob/1)))

  def unsendable(_error, machine), do: log(put_in(machine.data.refused, true), "send", "")

  # Erlang calls it for every other function: an action, which does what the driver has kept for it.
  def unquote(:"$handle_undefined_function")(function, [_carried, %module{} = machine]) do
    {action, _function} = List.keyfind(module.model().actions, function, 1)

    Enum.reduce([:raised, :failed], log(machine, action, ""), fn kind, machine ->
      {event, machine} = pop_in(machine.data[kind][action])
      if event, do: Machine.keep(machine, kind, event), else: machine
    end)
  end

  defp log(machine, name, octets), do: update_in(machine.data.log, &[{name, octets} | &1])
end
