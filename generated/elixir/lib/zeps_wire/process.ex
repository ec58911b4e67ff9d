defmodule ZepsWire.Process do
  @moduledoc """
  A machine as a process, which shows it the time: a `:gen_statem` whose state is the machine's. It ends when the machine has
  terminated.
  """

  @behaviour :gen_statem
  require Logger
  alias ZepsWire.Machine

  @wait_max 0xFFFFFFFF

  @type answer :: :taken | :declined | {:error, ZepsWire.EventError.t()}

  @doc "The specification of a supervisor's child."
  @spec child_spec(Machine.machine()) :: Supervisor.child_spec()
  def child_spec(machine), do: %{id: __MODULE__, start: {__MODULE__, :start_link, [machine]}, restart: :transient}

  @doc "Starts a process for a machine; `options` are those of `:gen_statem`."
  @spec start_link(Machine.machine(), list) :: {:ok, pid} | :ignore | {:error, any}
  def start_link(machine, options \\ []), do: :gen_statem.start_link(__MODULE__, machine, options)

  @doc """
  Applies a function to the machine, such as one that handles an event. It returns an outcome; the answer is `:taken`,
  `:declined`, or `{:error, error}`.
  """
  @spec call(:gen_statem.server_ref(), (Machine.machine() -> Machine.outcome(Machine.machine()))) :: answer
  def call(process, function), do: :gen_statem.call(process, function)

  @impl true
  def callback_mode, do: :handle_event_function

  @impl true
  def init(machine) do
    data = {machine, System.monotonic_time(:millisecond)}
    {:ok, machine.engine.state, data, {:next_event, :internal, :advance}}
  end

  @impl true
  def handle_event({:call, from}, function, _state, data) do
    {machine, started} = advance(data)

    case function.(machine) do
      {:error, error, machine} -> settle({machine, started}, [{:reply, from, {:error, error}}])
      {outcome, machine} -> settle({machine, started}, [{:reply, from, outcome}])
    end
  end

  def handle_event(_kind, _content, _state, data), do: settle(advance(data), [])

  defp advance({machine, started}) do
    outcome = Machine.advance(machine, System.monotonic_time(:millisecond) - started)
    with {:error, error, _machine} <- outcome, do: Logger.error(Exception.message(error))
    {elem(outcome, tuple_size(outcome) - 1), started}
  end

  defp settle({machine, started} = data, replies) do
    deadline = Machine.deadline(machine)
    wait = if deadline, do: max(started + deadline - System.monotonic_time(:millisecond), 0), else: :infinity

    if machine.engine.terminated,
      do: {:stop_and_reply, :normal, replies, data},
      else:
        {:next_state, machine.engine.state, data, [{{:timeout, :deadline}, min(wait, @wait_max), :advance} | replies]}
  end
end
