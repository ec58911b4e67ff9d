defmodule ZepsWire.Machine do
  @moduledoc """
  The engine under the generated machines: rows tried in order, steps run in order. It is a value and does no input or output.

  A machine's struct has its variables, `data`, which is the host's own, and `engine`, which belongs to this module. What is
  asked of the host is a callback of its module, which gets the machine and returns it: with other variables or data, with
  fields filled, or with an event that the action fails with or raises. An action that fails ends its row, and the event is
  handled next; an event that it raises is handled after the row, in the state that was reached.
  """

  alias ZepsWire.{Encoder, EncodeError, EventError}

  @raises_max 8
  @never 0xFFFFFFFFFFFFFFFF

  defstruct [:state, :host, :failed, :raised, :now] ++
              [terminated: false, busy: false, observed: false, deadlines: %{}, drafts: %{}]

  @type t :: %__MODULE__{}
  @typedoc "A machine of any model."
  @type machine :: %{:__struct__ => module, :engine => t, optional(atom) => any}
  @typedoc "Whether a row was taken, or no guard held; the machine goes on after an error."
  @type outcome(machine) :: {:taken, machine} | {:declined, machine} | {:error, EventError.t(), machine}
  @typedoc "A row of a table: state, event, guard, steps, next and before_at, the steps before the state changes."
  @type row :: %{atom => any}

  @doc "The engine of a machine at its beginning, whose host is a module."
  @spec new(atom, module) :: t
  def new(state, host) do
    observed = Code.ensure_loaded?(host) and function_exported?(host, :transition, 4)
    %__MODULE__{state: state, host: host, observed: observed}
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
      event == nil -> {:taken, machine}
      count == @raises_max -> error(put(machine, busy: false), event, :too_many)
      true -> follow(take(machine, event, nil), event, count + 1)
    end
  end

  defp follow({:taken, machine}, _event, count), do: follow(machine, count)
  defp follow({_outcome, machine}, event, _count), do: error(put(machine, busy: false), event, :unhandled)

  defp take(%module{engine: %{state: state}} = machine, event, carried) do
    rows = module.rows(state, event)
    row = Enum.find(rows, fn {guard, _, _, _} -> guard == nil or module.guard(guard, machine, carried) end)

    cond do
      rows == [] -> {:absent, machine}
      row == nil -> {:declined, machine}
      true -> {:taken, machine |> row(row, carried) |> observe(state, event)}
    end
  end

  defp row(machine, {_guard, steps, next, later}, carried) do
    machine = steps(machine, steps, carried)

    stays = next == nil or machine.engine.failed != nil
    if stays, do: machine, else: machine |> enter(next) |> steps(later, carried)
  end

  defp steps(machine, [], _carried), do: machine

  defp steps(%module{} = machine, [step | more], carried) do
    machine = module.step(step, machine, carried)
    if machine.engine.failed == nil, do: steps(machine, more, carried), else: machine
  end

  defp observe(%{engine: %{observed: false}} = machine, _from, _event), do: machine
  defp observe(%{engine: one} = machine, from, event), do: one.host.transition(from, event, one.state, machine)

  # --- actions

  @doc "In an action: the steps that are left do not run, and `event` is handled next."
  @spec fail(machine, atom) :: machine
  def fail(%{engine: %{busy: true}} = machine, event), do: put(machine, failed: event)
  def fail(_machine, _event), do: raise(ArgumentError, "fail/2 is called outside an action")

  @doc "In an action: `event` is handled after the row. A later one takes its place."
  @spec raise_event(machine, atom) :: machine
  def raise_event(%{engine: %{busy: true}} = machine, event), do: put(machine, raised: event)
  def raise_event(_machine, _event), do: raise(ArgumentError, "raise_event/2 is called outside an action")

  @doc "Keeps fields of the next message of the module `kind`. Raises KeyError for a key that is not in `keys`."
  @spec fill(machine, module, [atom], Enumerable.t()) :: machine
  def fill(machine, kind, keys, fields) do
    for {key, _value} <- fields, key not in keys, do: raise(KeyError, key: key, term: keys)
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
      nil -> encoded(machine, struct!(message, Map.take(draft, Keyword.keys(filled))))
      {_key, name} -> unsendable(machine, %EncodeError{code: :not_set, message: kind.name(), field: name})
    end
  end

  defp encoded(%{engine: %{host: host}} = machine, message) do
    case Encoder.encode(message) do
      {:ok, frames} -> message |> host.send(frames, machine) |> restart(:sent)
      {:error, error} -> unsendable(machine, error)
    end
  end

  defp unsendable(machine, error), do: machine.engine.host.unsendable(error, machine)

  @doc "Ends the machine."
  @spec terminate(machine) :: machine
  def terminate(machine), do: put(machine, terminated: true)

  # --- timers

  @doc """
  Handles the events of the timers that are due at `now`, in milliseconds on a clock that does not go back. Timers run from the
  first call on.
  """
  @spec advance(machine, non_neg_integer) :: outcome(machine)
  def advance(%{engine: %{busy: true}} = machine, _now), do: error(machine, "advance", :inside_action)

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
