defmodule ZepsWire.Driver.Values do
  @moduledoc "Reads and writes the parts of requests and answers; what cannot be read raises."

  def name(text), do: [byte_size(text), text]
  def blob(octets), do: [<<IO.iodata_length(octets)::32>>, octets]
  def many(items, spelled), do: [<<length(items)::32>> | Enum.map(items, spelled)]

  @doc "Reads the parts that a request or a step consists of, and returns what is left."
  def read_all(octets, parts), do: Enum.map_reduce(parts, octets, &read/2)

  defp read(:name, <<size, name::binary-size(size), rest::binary>>), do: {name, rest}
  defp read(:blob, <<size::32, octets::binary-size(size), rest::binary>>), do: {octets, rest}
  defp read(:number, <<number::64, rest::binary>>), do: {number, rest}
  defp read(:frame, octets), do: read_items(1, octets, :blob, [])
  defp read(:frames, <<count::32, rest::binary>>), do: read_items(count, rest, :blob, [])
  defp read(:values, <<count::32, rest::binary>>), do: read_items(count, rest, :value, [])
  defp read(:pairs, <<count::32, rest::binary>>), do: read_items(count, rest, :pair, [])
  defp read(:value, <<?u, value::64, rest::binary>>), do: {{?u, value}, rest}
  defp read(:value, <<?i, value::signed-64, rest::binary>>), do: {{?i, value}, rest}
  defp read(:value, <<letter, rest::binary>>) when letter in 'sb', do: tagged(letter, read(:blob, rest))
  defp read(:value, <<?l, rest::binary>>), do: tagged(?l, read(:values, rest))
  defp read(:value, <<?h, rest::binary>>), do: tagged(?h, read(:pairs, rest))

  defp read(:pair, octets) do
    {[key, value], rest} = read_items(2, octets, :value, [])
    {{key, value}, rest}
  end

  defp tagged(letter, {value, rest}), do: {{letter, value}, rest}

  defp read_items(0, rest, _part, found), do: {Enum.reverse(found), rest}

  defp read_items(count, octets, part, found) do
    {item, rest} = read(part, octets)
    read_items(count - 1, rest, part, [item | found])
  end

  @doc "What a request's value is for a part of a plan."
  def plain({?l, items}, {:items, _, _, [part], _}), do: Enum.map(items, &plain(&1, part))
  def plain({?l, items}, {:frames, _}), do: Enum.map(items, &plain(&1, :octets))

  def plain({?h, pairs}, {:items, _, _, [first, second], _}),
    do: Enum.map(pairs, fn {key, value} -> {plain(key, first), plain(value, second)} end)

  def plain({?u, value}, :boolean), do: value != 0

  def plain({letter, value}, part) when letter not in 'lh' do
    ^letter = letter(part)
    value
  end

  @doc "A value of a part of a plan, or of a variable, as answers have it."
  def tell(items, {:items, _, _, [part], _}), do: [?l, many(items, &tell(&1, part))]
  def tell(frames, {:frames, _}), do: [?l, many(frames, &tell(&1, :octets))]

  def tell(pairs, {:items, _, _, [first, second], _}),
    do: [?h, many(pairs, fn {key, value} -> [tell(key, first), tell(value, second)] end)]

  def tell(value, :boolean), do: tell(if(value, do: 1, else: 0), :number)
  def tell(value, part) when is_integer(value), do: [letter(part), <<value::64>>]
  def tell(value, part), do: [letter(part), blob(value)]

  defp letter({:number, _, signed, _, _}), do: if(signed, do: ?i, else: ?u)
  defp letter({:content, _, _, text, _}), do: if(text, do: ?s, else: ?b)
  defp letter(:number), do: ?u
  defp letter(part), do: if(part in [:topic, :string], do: ?s, else: ?b)

  @doc "What a message shows in the order of the wire: key, name and part."
  def fields(module) do
    plan = module.plan()
    for {key, name, part, _} <- plan.operations ++ plan.tail ++ plan.apart, key != nil, do: {key, name, part}
  end

  @doc "The module of the message of that name."
  def message(protocol, name), do: Enum.find(protocol.messages(), &(&1.name() == name)) || raise(ArgumentError)

  @doc "A message of these values."
  def build(module, values) do
    fields = fields(module)
    struct!(module, Enum.zip(Enum.map(fields, &elem(&1, 0)), plains(values, Enum.map(fields, &elem(&1, 2)))))
  end

  @doc "What a request's values are. Raises MatchError if there are not as many as parts."
  def plains(values, parts) do
    true = length(values) == length(parts)
    Enum.zip_with(values, parts, &plain/2)
  end
end

defmodule ZepsWire.Driver.Session do
  @moduledoc "Takes a fresh machine through the steps of a request."

  import ZepsWire.Driver.Values
  alias ZepsWire.Machine

  @steps %{
    ?m => [:frame],
    ?a => [:frames],
    ?c => [:name, :values],
    ?v => [:name, :value],
    ?f => [:name, :name],
    ?n => [:name, :name],
    ?w => [:name, :name, :value],
    ?t => [:number]
  }

  @doc "What came of the steps in a request."
  def run(module, <<count::32, rest::binary>>) do
    machine = module.new(Module.concat(module, Recorder), %{failing: %{}, raising: %{}})
    steps(count, rest, machine, module.info(), [])
  end

  defp steps(0, "", _machine, _info, answers), do: answers

  defp steps(count, <<kind, rest::binary>>, machine, info, answers) do
    machine = %{machine | data: Map.merge(machine.data, %{log: [], refused: false})}
    {arguments, rest} = read_all(rest, Map.fetch!(@steps, kind))
    {outcome, machine} = outcome(step(kind, arguments, machine, info), machine)
    due = if kind == ?t and outcome != "x", do: deadline(Machine.deadline(machine)), else: []
    outcome = if machine.data.refused, do: "e", else: outcome
    steps(count - 1, rest, machine, info, [answers, outcome, situation(machine, info) | due])
  end

  defp outcome({:taken, machine}, _before), do: {"t", machine}
  defp outcome({:declined, machine}, _before), do: {"n", machine}
  defp outcome({:error, %{reason: :unexpected}, machine}, _before), do: {"u", machine}
  defp outcome({:error, _unhandled, machine}, _before), do: {"h", machine}
  defp outcome({:set, machine}, _before), do: {"v", machine}
  defp outcome(_unknown, machine), do: {"x", machine}

  defp situation(%{engine: engine} = machine, info) do
    variables = many(info.variables, fn {_name, key, type} -> tell(Map.fetch!(machine, key), type) end)
    actions = many(Enum.reverse(machine.data.log), fn {name, octets} -> [name(name), blob(octets)] end)
    [name(Atom.to_string(engine.state)), if(engine.terminated, do: 1, else: 0), variables | actions]
  end

  defp deadline(nil), do: <<0, 0::64>>
  defp deadline(due), do: <<1, due::64>>

  defp step(kind, [frames], %module{} = machine, info) when kind in 'ma' do
    with {:ok, message} <- info.protocol.decode_frames(frames), do: module.handle(machine, message)
  end

  defp step(?c, [name, values], %module{} = machine, info) do
    case List.keyfind(info.calls, name, 0) do
      {_, function, parts} when is_list(parts) -> apply(module, function, [machine | plains(values, parts)])
      {_, function, message} -> apply(module, function, [machine, build(message, values)])
      nil -> nil
    end
  end

  defp step(?v, [name, value], machine, info) do
    with {_, key, type} <- List.keyfind(info.variables, name, 0),
         do: {:set, Map.replace!(machine, key, plain(value, type))}
  end

  defp step(kind, [action, name], machine, info) when kind in 'fn' do
    with {_, event} <- List.keyfind(info.internal, name, 0),
         true <- List.keymember?(info.actions, action, 0),
         do: {:set, put_in(machine.data[if(kind == ?f, do: :failing, else: :raising)][action], event)}
  end

  defp step(?w, [message, name, value], %module{} = machine, info) do
    with {_, function, keys} <- List.keyfind(info.fills, message, 0),
         {key, _, part} <- info.protocol |> message(message) |> fields() |> List.keyfind(name, 1),
         true <- key in keys,
         do: {:set, apply(module, function, [machine, [{key, plain(value, part)}]])}
  end

  defp step(?t, [now], machine, info), do: if(info.timed, do: Machine.advance(machine, now))

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
  @faults [ArgumentError, CaseClauseError, FunctionClauseError, KeyError, MatchError]

  @doc "Serves until the input ends; exit status 2 if a request is announced that is too large."
  @spec main() :: no_return
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
    error in @faults -> ["?", name(inspect(error.__struct__))]
  end

  defp answer("I") do
    models = ZepsWire.protocols() ++ ZepsWire.machines()
    ["I", name("elixir"), many(models, fn {name, _module} -> name(name) end)]
  end

  defp answer(<<kind, rest::binary>>) when kind in 'Dd' do
    {[name, frames], ""} = read_all(rest, [:name, if(kind == ?D, do: :frame, else: :frames)])
    protocol = module(ZepsWire.protocols(), name)

    with {:ok, %module{} = message} <- refused(protocol.decode_frames(frames)) do
      {:ok, again} = protocol.encode_frames(message)
      values = many(fields(module), fn {key, _, part} -> tell(Map.fetch!(message, key), part) end)
      ["+", name(module.name()), values | frames(again, kind == ?D)]
    end
  end

  defp answer(<<kind, rest::binary>>) when kind in 'Ee' do
    {[name, message, values], ""} = read_all(rest, [:name, :name, :values])
    protocol = module(ZepsWire.protocols(), name)
    encoded = protocol.encode_frames(build(message(protocol, message), values))
    with {:ok, frames} <- refused(encoded), do: ["+" | frames(frames, kind == ?E)]
  end

  defp answer(<<"M", rest::binary>>) do
    {[name], steps} = read_all(rest, [:name])
    ["+" | Session.run(module(ZepsWire.machines(), name), steps)]
  end

  defp module(models, name), do: Map.fetch!(Map.new(models), name)

  defp frames([frame | _], true), do: blob(frame)
  defp frames(frames, false), do: many(frames, &blob/1)

  defp refused({:ok, found}), do: {:ok, found}

  defp refused({:error, error}) do
    code = error.code |> Atom.to_string() |> String.replace("_", "-")
    ["-", name(code), name(error.message || ""), name(error.field || "")]
  end
end
