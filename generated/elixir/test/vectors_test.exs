defmodule ZepsWire.VectorsTest do
  use ExUnit.Case, async: true
  alias ZepsWire.Driver

  test "every vector is answered as it says" do
    lines = Path.join(__DIR__, "requests.tsv") |> File.stream!() |> Enum.map(&String.trim_trailing(&1, "\n"))
    assert lines != []

    for line <- lines do
      [name, request, answer] = String.split(line, "\t")
      found = request |> Base.decode16!(case: :lower) |> Driver.handle() |> IO.iodata_to_binary()
      assert {name, Base.encode16(found, case: :lower)} == {name, answer}
    end
  end

  test "requests are answered in order, and a torn one waits for its rest" do
    {answers, rest} = Driver.answers(<<1::32, "?", 1::32, "I", 0, 0>>, [])
    assert <<size::32, ??, _::binary>> = answers = IO.iodata_to_binary(answers)
    assert <<_::binary-size(size), _::32, "I", _::binary>> = binary_part(answers, 4, byte_size(answers) - 4)
    assert rest == <<0, 0>>
  end
end
