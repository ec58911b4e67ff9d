defmodule ZepsWire.Machine do
  @moduledoc """
  The engine under the generated machines: rows are tried in order, and steps run in order. It does no input or output.

  A machine's struct has its variables, `data` of the host, and `engine`, which belongs to this module. Its module has the
  model as data: rows, whose guards and steps are pairs of the model's text and a term, and timers.
  """

  alias ZepsWire.{Codec, EncodeError, EventError}

  @raises_max 8
  @number_max 0xFFFFFFFFFFFFFFFF

  defstruct [:state, :host, :failed, :raised, :now] ++
              [terminated: false, busy: false, deadlines: %{}, drafts: %{}]

  @type t :: %__MODULE__{}
  @typedoc "A machine of any model."
  @type machine :: %{:__struct__ => module, :engine => t, optional(atom) => any}
  @typedoc "Whether a row was taken, or no guard held; the machine goes on after an error."
  @type outcome(machine) :: {:taken, machine} | {:declined, machine} | {:error, EventError.t(), machine}
  @typedoc "A row of a table: state, event, guard, steps, next and before_at, the steps before the state changes."
  @type row :: %{atom => any}

  @doc "The rows of a machine's module, with guards and steps as text."
  @spec table(module) :: [row]
  def table(module) do
    for row <- module.model().rows,
        do: %{row | guard: row.guard && elem(row.guard, 0), steps: Enum.map(row.steps, &elem(&1, 0))}
  end

  @doc "Handles a message that arrived; `event` is nil if the machine has no event for it."
  @spec arrive(machine, atom, struct) :: outcome(machine)
  def arrive(%{engine: %{busy: true}} = machine, _event, %kind{}), do: error(machine, kind.name(), :inside_action)
  def arrive(machine, nil, %kind{}), do: error(machine, kind.name(), :unexpected)

  def arrive(machine, event, %kind{} = message) do
    case run(restart(machine, :received), event, message) do
      {outcome, machine} when outcome != :taken -> error(machine, kind.name(), :unexpected)
      outcome -> outcome
    end
  end

  @doc "Handles an event of the host's or the application's, and what it carries."
  @spec call(machine, atom, struct | map | nil) :: outcome(machine)
  def call(%{engine: %{busy: true}} = machine, event, _carried), do: error(machine, event, :inside_action)

  def call(machine, event, carried) do
    with {:absent, machine} <- run(machine, event, carried), do: error(machine, event, :unhandled)
  end

  defp error(%{engine: engine} = machine, event, reason),
    do: {:error, %EventError{reason: reason, event: to_string(event), state: engine.state}, machine}

  defp put(machine, changes), do: %{machine | engine: struct!(machine.engine, changes)}

  # --- rows

  # Takes a row for the event, then one for what an action failed with or raised, and so on.
  defp run(machine, event, carried, count \\ 0) do
    {outcome, %{engine: engine} = machine} = take(put(machine, busy: true), event, carried)
    next = engine.failed || if(engine.terminated, do: nil, else: engine.raised)
    machine = put(machine, busy: false, failed: nil, raised: nil)

    cond do
      outcome != :taken and count > 0 -> error(machine, event, :unhandled)
      outcome != :taken or next == nil -> {outcome, machine}
      count == @raises_max -> error(machine, next, :too_many)
      true -> run(machine, next, nil, count + 1)
    end
  end

  defp take(%module{engine: %{state: state}} = machine, event, carried) do
    rows = Enum.filter(module.model().rows, &(&1.state == state and &1.event == event))
    row = Enum.find(rows, &(&1.guard == nil or value(elem(&1.guard, 1), machine, carried)))

    cond do
      rows == [] -> {:absent, machine}
      row == nil -> {:declined, machine}
      true -> {:taken, machine |> row(row, carried) |> observe(state, event)}
    end
  end

  # The state changes between the steps, and not at all once an action has failed.
  defp row(machine, row, carried) do
    steps = if row.next, do: List.insert_at(row.steps, row.before_at, {"", {:enter, row.next}}), else: row.steps

    Enum.reduce(steps, machine, fn {_text, step}, machine ->
      if machine.engine.failed, do: machine, else: step(step, machine, carried)
    end)
  end

  defp observe(%{engine: %{host: host, state: state}} = machine, from, event) do
    observed = Code.ensure_loaded?(host) and function_exported?(host, :transition, 4)
    if observed, do: host.transition(from, event, state, machine), else: machine
  end

  # --- steps

  defp step(:terminate, machine, _carried), do: put(machine, terminated: true)
  defp step({:enter, state}, machine, _carried), do: enter(machine, state)
  defp step({:host, function}, machine, carried), do: apply(machine.engine.host, function, [carried, machine])

  defp step({:assign, key, expression}, machine, carried) do
    value = value(expression, machine, carried)
    Map.replace!(machine, key, if(is_binary(value), do: :binary.copy(value), else: value))
  end

  defp step(:forward, machine, %kind{} = message), do: machine |> draft(kind) |> elem(1) |> send_message(message)

  # The fields that the host fills are those in `filled`, with their names; if it has not, they are those in `zeros`.
  defp step({:send, kind, fields, filled, zeros}, machine, carried) do
    {draft, machine} = draft(machine, kind)
    fields = for {key, expression} <- fields, do: {key, value(expression, machine, carried)}
    draft = zeros |> Keyword.merge(draft) |> Keyword.take(Keyword.keys(filled))

    case Keyword.drop(filled, Keyword.keys(draft)) do
      [] -> send_message(machine, struct!(kind, fields ++ draft))
      [{_key, name} | _] -> unsendable(machine, %EncodeError{code: :not_set, message: kind.name(), field: name})
    end
  end

  defp draft(machine, kind) do
    {draft, drafts} = Map.pop(machine.engine.drafts, kind, [])
    {draft, put(machine, drafts: drafts)}
  end

  defp send_message(%{engine: %{host: host}} = machine, message) do
    case Codec.encode(message) do
      {:ok, frames} -> message |> host.send(frames, machine) |> restart(:sent)
      {:error, error} -> unsendable(machine, error)
    end
  end

  defp unsendable(machine, error), do: machine.engine.host.unsendable(error, machine)

  # --- expressions: numbers have 64 bits and no sign

  defp value({:variable, key}, machine, _carried), do: Map.fetch!(machine, key)
  defp value({:not, operand}, machine, carried), do: not value(operand, machine, carried)

  defp value({:carried, key}, _machine, carried) do
    with number when is_integer(number) <- Map.fetch!(carried, key), do: max(number, 0)
  end

  defp value(:size, _machine, message) do
    with {:ok, frames} <- Codec.encode(message), do: IO.iodata_length(frames), else: (_error -> @number_max)
  end

  defp value({operator, left, right}, machine, carried),
    do: operate(operator, value(left, machine, carried), value(right, machine, carried))

  defp value(literal, _machine, _carried), do: literal

  defp operate(:+, left, right), do: min(left + right, @number_max)
  defp operate(:-, left, right), do: max(left - right, 0)
  defp operate(:and, left, right), do: left and right
  defp operate(:or, left, right), do: left or right
  defp operate(operator, left, right), do: apply(Kernel, operator, [left, right])

  # --- what actions may do

  @doc "Keeps the event that an action has `:failed` with or has `:raised`. Raises ArgumentError outside an action."
  @spec keep(machine, :failed | :raised, atom) :: machine
  def keep(%{engine: %{busy: true}} = machine, kind, event), do: put(machine, [{kind, event}])
  def keep(_machine, _kind, _event), do: raise(ArgumentError, "only actions fail and raise events")

  @doc "Keeps fields of the next message of the module `kind`. Raises KeyError for one that the host does not fill."
  @spec fill(machine, module, keyword) :: machine
  def fill(%module{} = machine, kind, fields) do
    {_kind, _function, keys} = List.keyfind(module.model().fills, kind, 0)
    for {key, _value} <- fields, key not in keys, do: raise(KeyError, key: key, term: keys)
    {draft, machine} = draft(machine, kind)
    put(machine, drafts: Map.put(machine.engine.drafts, kind, Keyword.merge(draft, fields)))
  end

  # --- timers

  @doc "Handles the events of the timers that are due at `now`, in milliseconds. Timers run from the first call on."
  @spec advance(machine, non_neg_integer) :: outcome(machine)
  def advance(%{engine: %{busy: true}} = machine, _now), do: error(machine, "advance", :inside_action)

  def advance(%{engine: %{now: before, state: state}} = machine, now) do
    machine = put(machine, now: max(now, before || 0))
    due(if(before, do: machine, else: start(machine, &(state in &1.states))), :declined)
  end

  defp due(%module{engine: %{now: now, deadlines: deadlines}} = machine, outcome) do
    running = Enum.filter(module.model().timers, &is_map_key(deadlines, &1))
    timer = Enum.min_by(running, &deadlines[&1], fn -> nil end)

    with true <- timer != nil and deadlines[timer] <= now,
         {taken, machine} <- machine |> start(&(&1 == timer)) |> call(timer.event, nil) do
      due(machine, if(taken == :taken, do: :taken, else: outcome))
    else
      false -> {outcome, machine}
      error -> error
    end
  end

  @doc "When `advance/2` is next due, in milliseconds; nil if no timer runs."
  @spec deadline(machine) :: non_neg_integer | nil
  def deadline(machine), do: machine.engine.deadlines |> Map.values() |> Enum.min(fn -> nil end)

  defp enter(%{engine: %{state: before, deadlines: deadlines}} = machine, state) do
    running = Map.filter(deadlines, fn {timer, _due} -> state in timer.states end)
    machine = put(machine, state: state, deadlines: running)
    start(machine, &(state in &1.states and (&1.since == :entered or before not in &1.states)))
  end

  defp restart(%{engine: %{state: state}} = machine, since),
    do: start(machine, &(&1.since == since and state in &1.states))

  # Starts timers, or starts them again, as soon as the time is known.
  defp start(%module{engine: %{now: now}} = machine, starts?) do
    deadlines =
      for timer <- module.model().timers, now != nil and starts?.(timer), reduce: machine.engine.deadlines do
        deadlines ->
          due = now + value(timer.milliseconds, machine, nil)
          never = due == now or due >= @number_max
          if never, do: Map.delete(deadlines, timer), else: Map.put(deadlines, timer, due)
      end

    put(machine, deadlines: deadlines)
  end
end
