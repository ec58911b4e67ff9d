"""Starting, refusing to start, and stopping."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import PATIENCE, SHORT, BrokerProcess, Peer, eventually, replay

from zeps_wire import zeps

Launch = Callable[..., BrokerProcess]
Connect = Callable[..., Peer]


def refuse(broker: BrokerProcess) -> tuple[int, str]:
    """Starts a broker that must not start; returns its exit code, and its one line."""
    broker.spawn()
    code = broker.wait()
    lines = broker.text().splitlines()
    assert len(lines) == 1, lines
    return code, lines[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_detaches_the_sessions_and_stops(launch: Launch, connect: Connect, number: int) -> None:
    broker = launch(config="[broker]\nstop_seconds_max = 3600")
    clients = [connect(broker.endpoint, "s") for _ in range(3)]
    clients[0].publish("k", b"stored")
    clients[0].barrier()
    broker.signal(number)
    for client in clients:
        client.expect(zeps.Detach)
        client.send(zeps.DetachOk())
    assert broker.wait() == 0
    assert [record["code"] for record in broker.log("stopped")] == [0]


def test_a_client_that_does_not_answer_is_waited_for_and_no_longer(launch: Launch, connect: Connect) -> None:
    broker = launch(config=SHORT)
    client = connect(broker.endpoint, "s")
    broker.signal(signal.SIGTERM)
    client.expect(zeps.Detach)
    assert broker.wait() == 0


def test_without_sessions_it_stops_at_once(launch: Launch) -> None:
    broker = launch(config="[broker]\nstop_seconds_max = 3600")
    assert broker.stop() == 0


def test_a_second_signal_does_not_ask(launch: Launch, connect: Connect) -> None:
    broker = launch(config="[broker]\nstop_seconds_max = 3600")
    client = connect(broker.endpoint, "s")
    client.store("k", b"stored")
    broker.signal(signal.SIGTERM)
    client.expect(zeps.Detach)
    assert broker.process is not None
    assert broker.process.poll() is None
    broker.signal(signal.SIGINT)
    assert broker.wait() == 1
    broker.start()
    assert [message.body for message in replay(connect(broker.endpoint), "s")] == [b"stored"]


def test_a_hang_up_is_nothing(launch: Launch, connect: Connect) -> None:
    broker = launch()
    client = connect(broker.endpoint, "s")
    broker.signal(signal.SIGHUP)
    client.barrier()
    assert broker.running.poll() is None


def test_a_stop_under_load_loses_nothing(launch: Launch, connect: Connect) -> None:
    """ZEPS-DETACH-5: messages that a client published before it received the DETACH are stored."""
    broker = launch()
    publishers = [connect(broker.endpoint, "s") for _ in range(3)]
    subscriber = connect(broker.endpoint, "s")
    subscriber.subscribe(credit=2**63)
    sent = [0] * len(publishers)

    def publish(index: int) -> None:
        client = publishers[index]
        while True:
            for _ in range(50):
                client.publish(f"p{index}", b"%d" % sent[index])
                sent[index] += 1
            while (message := client.receive(0)) is not None:
                assert isinstance(message, zeps.Detach)
                client.send(zeps.DetachOk())
                return

    threads = [threading.Thread(target=publish, args=(index,)) for index in range(len(publishers))]
    for thread in threads:
        thread.start()
    first = subscriber.expect(zeps.Deliver)
    time.sleep(0.3)
    broker.signal(signal.SIGTERM)
    seen = [first]
    while not isinstance(message := subscriber.receive(), zeps.Detach):
        assert isinstance(message, zeps.Deliver)
        seen.append(message)
    subscriber.send(zeps.DetachOk())
    for thread in threads:
        thread.join(PATIENCE)
    assert broker.wait() == 0
    broker.start()
    stored = replay(connect(broker.endpoint), "s")
    assert [message.sequence for message in stored] == list(range(1, len(stored) + 1))
    assert stored[: len(seen)] == seen
    for index, count in enumerate(sent):
        mine = [int(message.body) for message in stored if message.key == f"p{index}"]
        assert mine == list(range(count))


def test_a_restart_goes_on_where_it_was(launch: Launch, connect: Connect) -> None:
    broker = launch()
    expected = []
    for turn in range(4):
        client = connect(broker.endpoint, "s")
        client.store("turn", b"%d" % turn)
        expected.append((turn * 2 + 1, b"%d" % turn))
        assert [(message.sequence, message.body) for message in replay(client, "s")] == expected
        client.detach()
        assert broker.stop() == 0
        broker.start()
    assert [record["messages"] for record in broker.log("ready")] == [0, 2, 4, 6, 8]


# Output


def test_the_ready_line_names_every_endpoint(launch: Launch, connect: Connect, tmp_path: Path) -> None:
    broker = launch(bind=["tcp://127.0.0.1:*", f"ipc://{tmp_path}/socket"])
    assert broker.endpoints[0].startswith("tcp://127.0.0.1:")
    assert not broker.endpoints[0].endswith("*")
    for endpoint in broker.endpoints:
        connect(endpoint, "s").barrier()


def test_ready_fd_and_pidfile(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    pidfile = tmp_path / "zeps.pid"
    command = [
        *(sys.executable, "-m", "zeps_cli", "broker", "--bind", "tcp://127.0.0.1:*"),
        *("--data", str(tmp_path / "data"), "--pidfile", str(pidfile), "--ready-fd", str(writing)),
    ]
    with subprocess.Popen(
        command, pass_fds=[writing], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(writing)
        with os.fdopen(reading) as file:
            assert file.read().startswith("ready tcp://127.0.0.1:")  # until the end: the broker closed it
        assert int(pidfile.read_text()) == process.pid
        process.terminate()
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert output == b""
    assert not pidfile.exists()


def test_figures_are_logged(launch: Launch, connect: Connect) -> None:
    broker = launch("--stats-seconds", "0.1")
    client = connect(broker.endpoint, "s")
    client.publish("k", b"x")
    (record, *_) = eventually(
        "a line of figures", lambda: [entry for entry in broker.log("stats") if entry["published"]]
    )
    assert record["sessions"] == 1
    assert record["published_per_second"] > 0


def test_logs_say_what_was_started_and_stopped(launch: Launch) -> None:
    broker = launch()
    broker.stop()
    ready, stopping, stopped = broker.log()
    assert ready["event"] == "ready"
    assert ready["endpoints"] == broker.endpoints
    assert ready["data"] == str(broker.data)
    assert (stopping["event"], stopped["event"]) == ("stopping", "stopped")


# Effects on clients


def test_the_broker_asks_a_silent_client_and_forgets_one_that_stays_silent(
    launch: Launch, connect: Connect
) -> None:
    broker = launch(config=SHORT)
    silent, lively = connect(broker.endpoint, "s"), connect(broker.endpoint, "s")
    silent.expect(zeps.Ping)
    lively.expect(zeps.Ping)
    limit = time.monotonic() + 3.0
    while time.monotonic() < limit:
        lively.send(zeps.PingOk())
        time.sleep(0.1)
    lively.barrier()
    while (message := silent.receive(0)) is not None:
        assert isinstance(message, zeps.Ping)
    assert "ATTACH" in silent.refused(zeps.Ping())


def test_a_broker_that_was_away_forgets_nobody_for_it(launch: Launch, connect: Connect) -> None:
    """The broker was silent, not the client."""
    broker = launch(config=SHORT)
    client = connect(broker.endpoint, "s")
    broker.signal(signal.SIGSTOP)
    time.sleep(1.5)
    broker.signal(signal.SIGCONT)
    client.barrier()


# Refused starts


def test_an_address_in_use(launch: Launch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        endpoint = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        code, line = refuse(launch(bind=[endpoint], start=False))
    assert code == 1
    assert line.startswith(f"zeps: error: cannot listen on {endpoint}: the address is in use")


def test_two_brokers_on_one_folder(launch: Launch, connect: Connect) -> None:
    first = launch()
    client = connect(first.endpoint, "s")
    code, line = refuse(launch(start=False))
    assert code == 1
    assert f"in use by process {first.pid}" in line
    assert str(first.data) in line
    client.store("k", b"x")
    assert len(replay(client, "s")) == 1


def test_a_data_folder_that_cannot_be(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, line = refuse(launch(data=tmp_path / "file" / "data", start=False))
    assert code == 1
    assert f"{tmp_path}/file/data" in line
    assert "Not a directory" in line


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("[journal]\nsynk = 'os'", 'zeps.toml:2: unknown key "synk" in [journal]; did you mean "sync"?'),
        ("[broker\n", "zeps.toml: not TOML"),
        ("[journal]\nsync = 'no'", 'zeps.toml:2: journal.sync is "no"; it must be one of'),
    ],
)
def test_a_configuration_that_means_nothing(launch: Launch, config: str, message: str) -> None:
    code, line = refuse(launch(config=config, start=False))
    assert code == 2
    assert message in line


def test_a_configuration_that_is_not_there(launch: Launch, tmp_path: Path) -> None:
    code, line = refuse(launch("--config", str(tmp_path / "none.toml"), start=False))
    assert code == 2
    assert line == f"zeps: error: {tmp_path}/none.toml: No such file or directory"


def test_an_option_that_means_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "zeps_cli", "broker", "--data", str(tmp_path), "--sync", "never"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "invalid choice: 'never'" in done.stderr
    assert "Try 'zeps broker --help'" in done.stderr
    assert "Traceback" not in done.stderr
