defmodule ZepsWire.Process do
  @moduledoc """
  A machine as a process, which shows it the time: a `GenServer` that is a supervisor's child as it stands. It ends when the
  machine has terminated.
  """

  use GenServer, restart: :transient
  require Logger
  alias ZepsWire.Machine

  @wait_max 0xFFFFFFFF

  @type answer :: :taken | :declined | {:error, ZepsWire.EventError.t()}

  @doc "Starts a process for a machine; `options` are those of `GenServer`."
  @spec start_link(Machine.machine(), GenServer.options()) :: GenServer.on_start()
  def start_link(machine, options \\ []), do: GenServer.start_link(__MODULE__, machine, options)

  @doc """
  Applies a function to the machine, such as one that handles an event. It returns an outcome; the answer is `:taken`,
  `:declined`, or `{:error, error}`.
  """
  @spec call(GenServer.server(), (Machine.machine() -> Machine.outcome(Machine.machine()))) :: answer
  def call(process, function), do: GenServer.call(process, function, :infinity)

  @impl true
  def init(machine), do: {:ok, {machine, System.monotonic_time(:millisecond)}, 0}

  @impl true
  def handle_call(function, from, data) do
    {machine, started} = advance(data)

    {answer, machine} =
      case function.(machine) do
        {:error, error, machine} -> {{:error, error}, machine}
        outcome -> outcome
      end

    GenServer.reply(from, answer)
    settle({machine, started})
  end

  @impl true
  def handle_info(_due, data), do: settle(advance(data))

  defp advance({machine, started}) do
    outcome = Machine.advance(machine, System.monotonic_time(:millisecond) - started)
    with {:error, error, _machine} <- outcome, do: Logger.error(Exception.message(error))
    {elem(outcome, tuple_size(outcome) - 1), started}
  end

  defp settle({machine, started} = data) do
    deadline = Machine.deadline(machine)
    wait = if deadline, do: max(started + deadline - System.monotonic_time(:millisecond), 0), else: :infinity
    if machine.engine.terminated, do: {:stop, :normal, data}, else: {:noreply, data, min(wait, @wait_max)}
  end
end
