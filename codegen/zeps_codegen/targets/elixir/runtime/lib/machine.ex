defmodule ZepsWire.Machine do
  @moduledoc """
  The engine under the generated machines: rows tried in order, steps run in order. It is a value and does no input or output.

  A machine's struct has its variables, `data`, which is the host's own, and `engine`, which belongs to this module. What is
  asked of the host is a callback of its module, which gets the machine and returns it: with other variables or data, with
  fields filled, or with an event that the action fails with or raises. An action that fails ends its row, and the event is
  handled next; an event that it raises is handled after the row, in the state that was reached.
  """

  alias ZepsWire.{Encoder, EncodeError, UnexpectedEvent, UnhandledEvent}

  @raises_max 8
  @never 0xFFFFFFFFFFFFFFFF

  defstruct [
    :state,
    :host,
    :failed,
    :raised,
    :now,
    terminated: false,
    busy: false,
    observed: false,
    deadlines: %{},
    drafts: %{}
  ]

  @type t :: %__MODULE__{}
  @typedoc "A machine of any model."
  @type machine :: %{:__struct__ => module, :engine => t, optional(atom) => any}
  @typedoc "Whether a row was taken, or no guard held; the machine goes on after an error."
  @type outcome(machine) ::
          {:taken, machine}
          | {:declined, machine}
          | {:error, UnexpectedEvent.t() | UnhandledEvent.t(), machine}
  @typedoc "A row of a table; `steps` before number `before_at` run before the state changes."
  @type row :: %{
          state: atom,
          event: atom,
          guard: String.t() | nil,
          steps: [String.t()],
          next: atom,
          before_at: non_neg_integer
        }

  @doc "The engine of a machine at its beginning, whose host is a module."
  @spec new(atom, module) :: t
  def new(state, host) do
    observed = Code.ensure_loaded?(host) and function_exported?(host, :transition, 4)
    %__MODULE__{state: state, host: host, observed: observed}
  end

  @doc "Handles a message that arrived; `event` is nil if the machine has no event for it."
  @spec arrive(machine, atom, struct) :: outcome(machine)
  def arrive(%{engine: %{busy: true}} = machine, _event, %kind{}), do: inside(machine, kind.name())
  def arrive(machine, nil, message), do: unexpected(machine, message)

  def arrive(machine, event, message) do
    case run(restart(machine, :received), event, message) do
      {outcome, machine} when outcome != :taken -> unexpected(machine, message)
      outcome -> outcome
    end
  end

  @doc "Handles an event of the host's or the application's, and what it carries."
  @spec call(machine, atom, struct | map | nil) :: outcome(machine)
  def call(%{engine: %{busy: true}} = machine, event, _carried), do: inside(machine, event)

  def call(machine, event, carried) do
    case run(machine, event, carried) do
      {:absent, machine} -> unhandled(machine, event)
      outcome -> outcome
    end
  end

  defp unexpected(machine, %kind{}),
    do: {:error, %UnexpectedEvent{event: kind.name(), state: machine.engine.state}, machine}

  defp unhandled(machine, event, reason \\ "no row takes it"),
    do: {:error, %UnhandledEvent{event: event, state: machine.engine.state, reason: reason}, machine}

  defp inside(machine, event), do: unhandled(machine, event, "called from inside an action")

  defp put(machine, changes), do: %{machine | engine: struct!(machine.engine, changes)}

  # --- rows

  defp run(machine, event, carried) do
    case take(put(machine, busy: true), event, carried) do
      {:taken, machine} -> follow(machine, 0)
      {outcome, machine} -> {outcome, put(machine, busy: false)}
    end
  end

  # Takes a row for what an action failed with or raised, and so on.
  defp follow(%{engine: engine} = machine, count) do
    event = engine.failed || if(engine.terminated, do: nil, else: engine.raised)
    machine = put(machine, failed: nil, raised: nil, busy: event != nil)

    cond do
      event == nil ->
        {:taken, machine}

      count == @raises_max ->
        unhandled(put(machine, busy: false), event, "actions fail or raise too often in turn")

      true ->
        case take(machine, event, nil) do
          {:taken, machine} -> follow(machine, count + 1)
          {_outcome, machine} -> unhandled(put(machine, busy: false), event)
        end
    end
  end

  defp take(%module{engine: %{state: state}} = machine, event, carried) do
    case module.rows(state, event) do
      [] ->
        {:absent, machine}

      rows ->
        holds = fn {guard, _, _, _} -> guard == nil or module.guard(guard, machine, carried) end

        case Enum.find(rows, holds) do
          nil -> {:declined, machine}
          row -> {:taken, machine |> row(row, carried) |> observe(state, event)}
        end
    end
  end

  defp row(machine, {_guard, steps, next, later}, carried) do
    machine = steps(machine, steps, carried)

    if next == nil or machine.engine.failed != nil,
      do: machine,
      else: machine |> enter(next) |> steps(later, carried)
  end

  defp steps(machine, [], _carried), do: machine

  defp steps(%module{} = machine, [step | more], carried) do
    machine = module.step(step, machine, carried)
    if machine.engine.failed == nil, do: steps(machine, more, carried), else: machine
  end

  defp observe(%{engine: %{observed: false}} = machine, _from, _event), do: machine

  defp observe(%{engine: engine} = machine, from, event),
    do: engine.host.transition(from, event, engine.state, machine)

  # --- actions

  @doc "In an action: the steps that are left do not run, and `event` is handled next."
  @spec fail(machine, atom) :: machine
  def fail(%{engine: %{busy: true}} = machine, event), do: put(machine, failed: event)
  def fail(_machine, _event), do: raise(ArgumentError, "fail/2 is called outside an action")

  @doc "In an action: `event` is handled after the row. A later one takes its place."
  @spec raise_event(machine, atom) :: machine
  def raise_event(%{engine: %{busy: true}} = machine, event), do: put(machine, raised: event)

  def raise_event(_machine, _event),
    do: raise(ArgumentError, "raise_event/2 is called outside an action")

  @doc "Keeps fields of the next message of the module `kind`. Raises KeyError for a key that is not in `keys`."
  @spec fill(machine, module, [atom], Enumerable.t()) :: machine
  def fill(machine, kind, keys, fields) do
    for {key, _value} <- fields, key not in keys do
      raise KeyError, key: key, term: keys
    end

    draft = Map.merge(Map.get(machine.engine.drafts, kind, %{}), Map.new(fields))
    put(machine, drafts: Map.put(machine.engine.drafts, kind, draft))
  end

  @doc "Sends a message with the fields that the host has filled, of those in `filled`, or else with those in `zeros`."
  @spec send(machine, struct, keyword(String.t()), map) :: machine
  def send(machine, %kind{} = message, filled \\ [], zeros \\ %{}) do
    {draft, drafts} = Map.pop(machine.engine.drafts, kind, %{})
    machine = put(machine, drafts: drafts)
    draft = Map.merge(zeros, draft)

    case Enum.find(filled, fn {key, _name} -> not is_map_key(draft, key) end) do
      nil ->
        encoded(machine, struct!(message, Map.take(draft, Keyword.keys(filled))))

      {_key, name} ->
        error = %EncodeError{code: :not_set, message: kind.name(), field: name}
        machine.engine.host.unsendable(error, machine)
    end
  end

  defp encoded(%{engine: %{host: host}} = machine, message) do
    case Encoder.encode(message) do
      {:ok, frames} -> message |> host.send(frames, machine) |> restart(:sent)
      {:error, error} -> host.unsendable(error, machine)
    end
  end

  @doc "Ends the machine."
  @spec terminate(machine) :: machine
  def terminate(machine), do: put(machine, terminated: true)

  # --- timers

  @doc """
  Handles the events of the timers that are due at `now`, in milliseconds on a clock that does not go back. Timers run from the
  first call on.
  """
  @spec advance(machine, non_neg_integer) :: outcome(machine)
  def advance(%{engine: %{busy: true}} = machine, _now), do: inside(machine, :advance)

  def advance(%module{engine: %{now: before}} = machine, now) do
    machine = put(machine, now: max(now, before || 0))
    state = machine.engine.state
    started = for {index, _, _, states} <- module.timers(), before == nil, state in states, do: index
    due(Enum.reduce(started, machine, &start/2), :declined)
  end

  defp due(%module{engine: engine} = machine, outcome) do
    case Enum.min_by(engine.deadlines, fn {index, due} -> {due, index} end, fn -> nil end) do
      {index, due} when due <= engine.now ->
        {_, event, _, _} = List.keyfind(module.timers(), index, 0)

        case call(start(index, machine), event, nil) do
          {:error, _, _} = error -> error
          {:taken, machine} -> due(machine, :taken)
          {:declined, machine} -> due(machine, outcome)
        end

      _ ->
        {outcome, machine}
    end
  end

  @doc "When `advance/2` is next due, in milliseconds; nil if no timer runs."
  @spec deadline(machine) :: non_neg_integer | nil
  def deadline(machine), do: machine.engine.deadlines |> Map.values() |> Enum.min(fn -> nil end)

  defp enter(%module{engine: %{state: before}} = machine, state) do
    Enum.reduce(module.timers(), put(machine, state: state), fn {index, _, since, states}, machine ->
      cond do
        state not in states -> stop(machine, index)
        since == :entered or before not in states -> start(index, machine)
        true -> machine
      end
    end)
  end

  defp restart(%module{} = machine, since) do
    state = machine.engine.state
    timers = for {index, _, ^since, states} <- module.timers(), state in states, do: index
    Enum.reduce(timers, machine, &start/2)
  end

  defp start(_index, %{engine: %{now: nil}} = machine), do: machine

  defp start(index, %module{engine: engine} = machine) do
    case module.milliseconds(index, machine) do
      duration when duration == 0 or engine.now + duration >= @never -> stop(machine, index)
      duration -> put(machine, deadlines: Map.put(engine.deadlines, index, engine.now + duration))
    end
  end

  defp stop(machine, index), do: put(machine, deadlines: Map.delete(machine.engine.deadlines, index))
end
