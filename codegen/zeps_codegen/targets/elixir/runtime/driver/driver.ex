defmodule ZepsWire.Driver.Values do
  @moduledoc "Reads and writes the parts of requests and answers; what cannot be read raises."

  def name(text), do: [byte_size(text), text]
  def blob(octets), do: [<<IO.iodata_length(octets)::32>>, octets]
  def many(items, spelled), do: [<<length(items)::32>> | Enum.map(items, spelled)]

  def read_name(<<size, name::binary-size(size), rest::binary>>), do: {name, rest}
  def read_blob(<<size::32, octets::binary-size(size), rest::binary>>), do: {octets, rest}
  def read_many(<<count::32, rest::binary>>, read), do: read_items(count, rest, read, [])

  defp read_items(0, rest, _read, found), do: {Enum.reverse(found), rest}

  defp read_items(count, rest, read, found) do
    {item, rest} = read.(rest)
    read_items(count - 1, rest, read, [item | found])
  end

  def read_frames(rest, false), do: read_many(rest, &read_blob/1)
  def read_frames(rest, true), do: read_items(1, rest, &read_blob/1, [])

  def read_model(request, models) do
    {name, rest} = read_name(request)
    {^name, module} = List.keyfind(models, name, 0)
    {module, rest}
  end

  @doc "A value with the letter that it begins with."
  def read_value(<<letter, value::64, rest::binary>>) when letter == ?u, do: {{letter, value}, rest}
  def read_value(<<letter, value::signed-64, rest::binary>>) when letter == ?i, do: {{letter, value}, rest}
  def read_value(<<letter, rest::binary>>) when letter in 'sb', do: tagged(letter, read_blob(rest))
  def read_value(<<letter, rest::binary>>) when letter == ?l, do: tagged(letter, read_many(rest, &read_value/1))
  def read_value(<<letter, rest::binary>>) when letter == ?h, do: tagged(letter, read_many(rest, &read_pair/1))

  defp tagged(letter, {value, rest}), do: {{letter, value}, rest}

  defp read_pair(rest) do
    {[key, value], rest} = read_items(2, rest, &read_value/1, [])
    {{key, value}, rest}
  end

  @doc "What a request's value is for a part of a plan."
  def plain({?l, items}, {:items, _, _, [part], _}), do: Enum.map(items, &plain(&1, part))
  def plain({?l, items}, {:frames, _}), do: Enum.map(items, &plain(&1, :octets))

  def plain({?h, pairs}, {:items, _, _, [first, second], _}),
    do: Enum.map(pairs, fn {key, value} -> {plain(key, first), plain(value, second)} end)

  def plain({letter, value}, part) when letter not in 'lh' do
    ^letter = letter(part)
    value
  end

  @doc "A value of a part of a plan as answers have it."
  def tell(items, {:items, _, _, [part], _}), do: [?l, many(items, &tell(&1, part))]
  def tell(frames, {:frames, _}), do: [?l, many(frames, &tell(&1, :octets))]

  def tell(pairs, {:items, _, _, [first, second], _}),
    do: [?h, many(pairs, fn {key, value} -> [tell(key, first), tell(value, second)] end)]

  def tell(true, :boolean), do: tell(1, :number)
  def tell(false, :boolean), do: tell(0, :number)
  def tell(value, part) when is_integer(value), do: [letter(part), <<value::64>>]
  def tell(value, part), do: [letter(part), blob(value)]

  defp letter({:number, _, signed, _, _}), do: if(signed, do: ?i, else: ?u)
  defp letter({:content, _, _, text, _}), do: if(text, do: ?s, else: ?b)
  defp letter(part) when part in [:number, :boolean], do: ?u
  defp letter(part) when part in [:topic, :string], do: ?s
  defp letter(_part), do: ?b

  @doc "What a message shows in the order of the wire: key, name and part."
  def fields(module) do
    plan = module.plan()
    for {key, name, part, _} <- plan.operations ++ plan.tail ++ plan.apart, key != nil, do: {key, name, part}
  end

  @doc "The module of the message of that name."
  def message(protocol, name), do: Enum.find(protocol.messages(), &(&1.name() == name)) || raise(ArgumentError)

  @doc "A message of these values."
  def build(module, values), do: struct!(module, pairs(fields(module), values))

  @doc "The keys of fields with their values. Raises MatchError if there are not as many."
  def pairs(fields, values) do
    true = length(fields) == length(values)
    Enum.zip_with(fields, values, fn {key, _name, part}, value -> {key, plain(value, part)} end)
  end
end

defmodule ZepsWire.Driver.Session do
  @moduledoc "Takes a fresh machine through the steps of a request."

  import ZepsWire.Driver.Values
  alias ZepsWire.{Machine, UnexpectedEvent}

  @doc "What came of the steps in a request."
  def run(module, <<count::32, rest::binary>>) do
    machine = module.new(Module.concat(module, Recorder), %{failing: %{}, raising: %{}})
    steps(count, rest, machine, [])
  end

  defp steps(0, "", _machine, answers), do: answers

  defp steps(count, <<kind, rest::binary>>, %module{} = machine, answers) do
    machine = %{machine | data: Map.merge(machine.data, %{log: [], refused: false})}
    {result, rest} = step(kind, rest, machine, module.info())
    {outcome, machine} = outcome(result, machine)
    due = if kind == ?t and outcome != "x", do: deadline(Machine.deadline(machine)), else: []
    outcome = if machine.data.refused, do: "e", else: outcome
    steps(count - 1, rest, machine, [answers, outcome, situation(machine, module.info()) | due])
  end

  defp outcome({:taken, machine}, _before), do: {"t", machine}
  defp outcome({:declined, machine}, _before), do: {"n", machine}
  defp outcome({:error, %UnexpectedEvent{}, machine}, _before), do: {"u", machine}
  defp outcome({:error, _unhandled, machine}, _before), do: {"h", machine}
  defp outcome({:set, machine}, _before), do: {"v", machine}
  defp outcome(:unknown, machine), do: {"x", machine}

  defp situation(%{engine: engine} = machine, info) do
    variables = many(info.variables, fn {_name, key, type} -> tell(Map.fetch!(machine, key), type) end)
    actions = many(Enum.reverse(machine.data.log), fn {name, octets} -> [name(name), blob(octets)] end)
    [name(Atom.to_string(engine.state)), if(engine.terminated, do: 1, else: 0), variables | actions]
  end

  defp deadline(nil), do: <<0, 0::64>>
  defp deadline(due), do: <<1, due::64>>

  defp step(kind, rest, %module{} = machine, info) when kind in 'ma' do
    {frames, rest} = read_frames(rest, kind == ?m)

    case info.protocol.decode_frames(frames) do
      {:ok, message} -> {module.handle(machine, message), rest}
      {:error, _} -> {:unknown, rest}
    end
  end

  defp step(?c, rest, %module{} = machine, info) do
    {name, rest} = read_name(rest)
    {values, rest} = read_many(rest, &read_value/1)

    case List.keyfind(info.calls, name, 0) do
      nil ->
        {:unknown, rest}

      {_name, function, parameters} when is_list(parameters) ->
        arguments = for {_key, value} <- pairs(Enum.map(parameters, &{nil, nil, &1}), values), do: value
        {apply(module, function, [machine | arguments]), rest}

      {_name, function, message} ->
        {apply(module, function, [machine, build(message, values)]), rest}
    end
  end

  defp step(?v, rest, machine, info) do
    {name, rest} = read_name(rest)
    {value, rest} = read_value(rest)

    case List.keyfind(info.variables, name, 0) do
      nil -> {:unknown, rest}
      {_name, key, :boolean} -> {{:set, Map.replace!(machine, key, plain(value, :boolean) != 0)}, rest}
      {_name, key, type} -> {{:set, Map.replace!(machine, key, plain(value, type))}, rest}
    end
  end

  defp step(kind, rest, machine, info) when kind in 'fn' do
    {[action, name], rest} = read_names(rest)
    event = List.keyfind(info.internal, name, 0)

    if event != nil and List.keymember?(info.actions, action, 0),
      do: {{:set, put_in(machine.data[if(kind == ?f, do: :failing, else: :raising)][action], elem(event, 1))}, rest},
      else: {:unknown, rest}
  end

  defp step(?w, rest, %module{} = machine, info) do
    {[message, field], rest} = read_names(rest)
    {value, rest} = read_value(rest)

    with {_message, function, keys} <- List.keyfind(info.fills, message, 0),
         {key, _, part} <- info.protocol |> message(message) |> fields() |> List.keyfind(field, 1),
         true <- key in keys do
      {{:set, apply(module, function, [machine, [{key, plain(value, part)}]])}, rest}
    else
      _ -> {:unknown, rest}
    end
  end

  defp step(?t, <<now::64, rest::binary>>, machine, info),
    do: {if(info.timed, do: Machine.advance(machine, now), else: :unknown), rest}

  defp read_names(rest) do
    {first, rest} = read_name(rest)
    {second, rest} = read_name(rest)
    {[first, second], rest}
  end

  @doc "What the hosts do to send, or when they cannot."
  def sent(machine, frames, refused) do
    octets = if length(frames) > 1, do: Enum.map(frames, &blob/1), else: frames
    log(put_in(machine.data.refused, machine.data.refused or refused), "send", octets)
  end

  @doc "What the hosts do in an action: write it down, and raise and fail if they are to."
  def act(machine, action) do
    {raised, raising} = Map.pop(machine.data.raising, action)
    {failed, failing} = Map.pop(machine.data.failing, action)
    machine = log(%{machine | data: %{machine.data | raising: raising, failing: failing}}, action, "")
    machine = if raised, do: Machine.raise_event(machine, raised), else: machine
    if failed, do: Machine.fail(machine, failed), else: machine
  end

  defp log(machine, name, octets), do: update_in(machine.data.log, &[{name, octets} | &1])
end

for {_name, machine} <- ZepsWire.machines() do
  defmodule Module.concat(machine, Recorder) do
    @moduledoc false
    @behaviour Module.concat(machine, Host)
    alias ZepsWire.Driver.Session

    @impl true
    def send(_message, frames, machine), do: Session.sent(machine, frames, false)

    @impl true
    def unsendable(_error, machine), do: Session.sent(machine, [], true)

    for {action, function} <- machine.info().actions do
      @impl true
      def unquote(function)(_carried, machine), do: Session.act(machine, unquote(action))
    end
  end
end

defmodule ZepsWire.Driver do
  @moduledoc "Answers requests about the codecs and machines on stdin and stdout, for tests."

  import ZepsWire.Driver.Values
  alias ZepsWire.Driver.Session

  @request_bytes_max 64 * 1024 * 1024

  @doc "Serves until the input ends; exit status 2 if a request is announced that is too large."
  @spec main() :: no_return
  def main, do: serve(Port.open({:fd, 0, 1}, [:binary, :eof]), "")

  # Answers leave when no whole request is left in the buffer.
  defp serve(port, buffer) do
    receive do
      {^port, {:data, octets}} ->
        {answers, rest} = answers(buffer <> octets, [])
        if answers != [], do: Port.command(port, answers)
        serve(port, rest)

      {^port, :eof} ->
        System.halt(0)
    end
  end

  @doc "The answers to the whole requests in a buffer, each after its length, and what is left of it."
  @spec answers(binary, iolist) :: {iolist, binary}
  def answers(<<size::32, _::binary>>, _answers) when size > @request_bytes_max do
    IO.puts(:stderr, "a request of #{size} bytes is too large")
    System.halt(2)
  end

  def answers(<<size::32, request::binary-size(size), rest::binary>>, answers),
    do: answers(rest, [answers | blob(handle(request))])

  def answers(rest, answers), do: {answers, rest}

  @doc "The answer to one request."
  @spec handle(binary) :: iodata
  def handle(request) do
    answer(request)
  rescue
    error in [ArgumentError, CaseClauseError, FunctionClauseError, MatchError] -> ["?", name(inspect(error.__struct__))]
  end

  defp answer("I") do
    models = ZepsWire.protocols() ++ ZepsWire.machines()
    ["I", name("elixir"), many(models, fn {name, _module} -> name(name) end)]
  end

  defp answer(<<kind, rest::binary>>) when kind in 'Dd' do
    {protocol, rest} = read_model(rest, ZepsWire.protocols())
    {frames, ""} = read_frames(rest, kind == ?D)

    case protocol.decode_frames(frames) do
      {:ok, %module{} = message} ->
        {:ok, again} = protocol.encode_frames(message)
        values = many(fields(module), fn {key, _, part} -> tell(Map.fetch!(message, key), part) end)
        ["+", name(module.name()), values | frames(again, kind == ?D)]

      {:error, error} ->
        refusal(error)
    end
  end

  defp answer(<<kind, rest::binary>>) when kind in 'Ee' do
    {protocol, rest} = read_model(rest, ZepsWire.protocols())
    {name, rest} = read_name(rest)
    {values, ""} = read_many(rest, &read_value/1)

    case protocol.encode_frames(build(message(protocol, name), values)) do
      {:ok, frames} -> ["+" | frames(frames, kind == ?E)]
      {:error, error} -> refusal(error)
    end
  end

  defp answer(<<"M", rest::binary>>) do
    {machine, rest} = read_model(rest, ZepsWire.machines())
    ["+" | Session.run(machine, rest)]
  end

  defp frames([frame | _], true), do: blob(frame)
  defp frames(frames, false), do: many(frames, &blob/1)

  defp refusal(error) do
    code = error.code |> Atom.to_string() |> String.replace("_", "-")
    ["-", name(code), name(error.message || ""), name(error.field || "")]
  end
end
