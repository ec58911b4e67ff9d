defmodule Recorder do
  @moduledoc "Writes down what it is asked for; what `data` says of an action is done in it."
  @behaviour ZepsWire.FeaturesServer
  alias ZepsWire.FeaturesServer

  def new(does \\ %{}), do: FeaturesServer.new(__MODULE__, %{log: [], does: does})
  def log(machine), do: Enum.reverse(machine.data.log)

  @impl true
  def send(message, frames, machine), do: note_down(machine, {:send, message, frames})

  @impl true
  def unsendable(error, machine), do: note_down(machine, {:unsendable, error.code, error.field})

  @impl true
  def look_up(carried, machine), do: act(machine, :look_up, carried)

  @impl true
  def note(carried, machine), do: act(machine, :note, carried)

  @impl true
  def transition(from, event, to, machine), do: note_down(machine, {:row, from, event, to})

  defp act(machine, action, carried) do
    machine = note_down(machine, {action, carried})
    Map.get(machine.data.does, action, & &1).(machine)
  end

  defp note_down(machine, what) do
    if machine.data[:observer], do: Kernel.send(machine.data.observer, what)
    update_in(machine.data.log, &[what | &1])
  end
end

defmodule FeaturesTest do
  use ExUnit.Case, async: true

  alias ZepsWire.{DecodeError, EncodeError, EventError, Features, FeaturesServer, Process}
  alias ZepsWire.Features.{Answer, Bye, Colour, Question, Report}
  require Colour

  @question %Question{number: 7, topic: "why"}

  test "a message is encoded and decoded" do
    assert {:ok, [frame]} = Features.encode_frames(@question)
    assert frame == <<0xAA, 0xA3, 1, 7::32, 3, "why">>
    assert Features.decode_frames([frame]) == {:ok, @question}
  end

  test "an error says what, where and from which byte on" do
    frame = <<0xAA, 0xA3, 1, 7::32, 3, "w\ny">>

    assert {:error, %DecodeError{code: :bad_text, message: "QUESTION", field: "topic", offset: 7} = error} =
             Features.decode_frames([frame])

    assert Exception.message(error) == "bad_text at byte 7 QUESTION.topic"
    long = %{@question | topic: String.duplicate("x", 256)}
    assert {:error, %EncodeError{code: :too_long, field: "topic"}} = Features.encode_frames(long)
  end

  test "new messages have the defaults of their fields" do
    assert %Report{level: 3, colour: Colour.green(), title: "none", body: <<0, 255>>, words: []} = %Report{}
    assert Colour.members() == [{"red", 1}, {"green", 2}, {"blue", 200}]
  end

  test "rows are told to the host after their steps, and failed ones too" do
    does = %{look_up: &FeaturesServer.fail(&1, :unknown)}
    assert {:taken, machine} = FeaturesServer.handle(Recorder.new(does), @question)
    assert [{:look_up, @question}, {:row, :waiting, :QUESTION, :waiting}, {:note, nil} | _] = Recorder.log(machine)
    assert machine.asked == 7
  end

  test "an action fills the message, and raises the event that sends it" do
    fill = [
      level: 1,
      balance: -1,
      count: 2,
      difference: -2,
      colour: 1,
      rights: 3,
      title: "t",
      raw: <<255>>,
      text: "x"
    ]

    fill = fill ++ [body: "b", token: <<0::128>>, code: "code", words: ["a"], headers: [{"k", "v"}], numbers: [1]]

    does = %{
      look_up: fn machine ->
        machine |> FeaturesServer.fill_answer(fill) |> FeaturesServer.raise_event(:found)
      end
    }

    assert {:taken, machine} = FeaturesServer.handle(Recorder.new(does), @question)
    assert {:unsendable, :not_set, "parts"} in Recorder.log(machine)
    filled = FeaturesServer.fill_answer(Recorder.new(does), parts: [])
    assert {:taken, machine} = FeaturesServer.handle(filled, @question)

    assert [%Answer{number: 7, colour: 1, headers: [{"k", "v"}]}] =
             for({:send, one, _} <- Recorder.log(machine), do: one)

    assert FeaturesServer.state(machine) == :waiting
  end

  test "what may not be called now is an error, and changes nothing" do
    assert_raise ArgumentError, fn -> FeaturesServer.fail(Recorder.new(), :unknown) end
    assert_raise KeyError, fn -> FeaturesServer.fill_answer(Recorder.new(), number: 1) end

    inside = fn machine ->
      assert {:error, %EventError{reason: :inside_action}, ^machine} = FeaturesServer.handle(machine, %Bye{})
      assert {:error, %EventError{reason: :inside_action}, ^machine} = FeaturesServer.on_ask(machine)
      assert {:error, %EventError{reason: :inside_action}, ^machine} = FeaturesServer.advance(machine, 1)
      machine
    end

    assert {:taken, machine} = FeaturesServer.handle(Recorder.new(%{note: inside}), @question)
    assert {:error, %EventError{} = error, ^machine} = FeaturesServer.on_ask(machine)
    assert Exception.message(error) == "unhandled ask in state working"
  end

  test "timers run from the first advance on" do
    machine = Recorder.new()
    assert FeaturesServer.deadline(machine) == nil
    assert {:declined, machine} = FeaturesServer.advance(machine, 1000)
    assert FeaturesServer.deadline(machine) == 1200
    assert {:taken, machine} = FeaturesServer.advance(machine, 1450)
    assert FeaturesServer.deadline(machine) == 1650
    assert {:declined, ^machine} = FeaturesServer.advance(machine, 1)
    assert [{:unsendable, :too_long, "size"}, {:row, :waiting, :idle, :waiting}] = Recorder.log(machine)
  end

  test "a process shows its machine the time, and ends with it" do
    machine = %{Recorder.new() | beat: 20}
    process = start_supervised!({Process, put_in(machine.data[:observer], self())})
    reference = Elixir.Process.monitor(process)
    assert_receive {:row, :waiting, :idle, :waiting}, 5000
    assert {:error, %EventError{}} = Process.call(process, &FeaturesServer.on_expired/1)
    assert Process.call(process, &FeaturesServer.handle(&1, %Bye{})) == :taken
    assert_receive {:DOWN, ^reference, :process, ^process, :normal}
  end

  test "a process outlives unknown messages, and waits no longer than a receive can" do
    process = start_supervised!({Process, Recorder.new()})
    Kernel.send(process, :unknown)
    assert Process.call(process, &{:declined, &1}) == :declined
    far = %{Recorder.new().engine | now: 0, deadlines: %{far: 0xFFFFFFFFFFFF}}
    machine = %{Recorder.new() | engine: far}
    {:next_state, _state, _data, [timeout]} = Process.handle_event(:info, :unknown, far.state, {machine, 0})
    assert timeout == {{:timeout, :deadline}, 0xFFFFFFFF, :advance}
  end

  test "the driver answers requests that do not fit" do
    text_as_time = <<"M", 15, "features_server", 2::32, "v", 4, "beat", "s", 1::32, "x", "t", 1::64>>
    cut_short = <<"E", 8, "features", 8, "QUESTION", 0xFFFFFFFF::32>>
    too_few = <<"E", 8, "features", 8, "QUESTION", 0::32>>
    wrong_kind = <<"E", 8, "features", 8, "QUESTION", 2::32, "s", 1::32, "x", "u", 1::64>>

    for request <- ["", "X", text_as_time, cut_short, too_few, wrong_kind],
        do: assert(["?" | _] = ZepsWire.Driver.handle(request))
  end

  test "the table is data" do
    assert [%{state: :waiting, event: :QUESTION, next: :working, guard: nil} = row | rows] = FeaturesServer.table()
    assert row.steps == ["asked := message.number", "look_up", "note", "note"]
    assert "message.last - message.first > 10" in Enum.map(rows, & &1.guard)
  end
end
