"""A client never blocks its process from continuing or ending: collected, interrupted, forked, closed by a callback.

Cases that once hung run in a process of their own, with a time limit that is a bound and not a speed requirement.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from campaigns import sized
from real_broker import RealBroker
from scripted_broker import ScriptedBroker, silent

from zeps_client import AsyncClient, BrokerLost, Client, Closed, PublishLost
from zeps_client.events import Attached, Event
from zeps_wire import zeps

pytestmark = pytest.mark.slow  # processes

QUICK = {"backoff_min": 0.001, "backoff_max": 0.01, "confirm_interval": 0.005}
LIMIT = 100
KILLS, FORKS = sized(5, 50), sized(10, 30)


def run(program: str, *arguments: str) -> str:
    """Runs a program in a new interpreter; returns its output. Fails if it hangs or exits with an error."""
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        output, error = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        output, error = process.communicate()
        pytest.fail(f"the process hangs after {output!r}\n{error}")
    assert process.returncode == 0, (output, error)
    return output


@pytest.fixture
def stocked(broker: RealBroker) -> RealBroker:
    """A broker whose stream `s` has 20,000 messages."""
    with Client(broker.endpoint, "s") as client:
        client.publish_many(("k", b"%d" % number) for number in range(20_000))
        client.flush(60)
    return broker


COLLECTED = """
import gc, sys, time, warnings, weakref
from zeps_client import Client

warnings.simplefilter("ignore", ResourceWarning)

class Owner:
    def __init__(self):
        self.itself = self
        self.client = Client(sys.argv[1], "s", window=20_000)
        self.client.subscribe("", timeout=60)

gc.set_threshold(1)
owners = [Owner() for _ in range(5)]
dropped = [weakref.ref(each) for each in owners]
gc.disable()
engines = [each.client._engine for each in owners]
del owners
gc.enable()
for engine in engines:  # what arrives is allocated by the clients' own threads, and so collected there
    engine.acknowledge(sum(engine.sizes))
    engine.session.tick(time.monotonic())
while any(each() is not None for each in dropped):
    time.sleep(0.01)
print("collected")
"""


def test_collected_anywhere(stocked: RealBroker) -> None:
    """A client in a reference cycle is collected by any thread that allocates, including its own engine's."""
    for _ in range(3):
        assert run(COLLECTED, stocked.endpoint) == "collected\n"


INTERRUPTED = """
import itertools, signal, sys
from zeps_client import Client

published, handled = {}, []  # bodies by the numbers that publish returned
bodies = map(b"%d".__mod__, itertools.count())

def interrupt(*_):  # another signal may interrupt it
    body = next(bodies)
    number = client.publish("signal", body)
    published[number] = body
    handled.append(number)

client = Client(sys.argv[1], "s")
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0005)
while len(handled) < 300:
    body = next(bodies)
    published[client.publish("main", body)] = body
    pair = [("main", next(bodies)) for _ in range(2)]
    number = client.publish_many(pair)
    published[number - 1], published[number] = pair[0][1], pair[1][1]
signal.setitimer(signal.ITIMER_REAL, 0)
client.flush(60)
assert client.statistics().published == len(published) == max(published)
client.close()
with Client(sys.argv[1], "s") as reader:
    reader.subscribe("")
    got = {}
    while len(got) < len(published):
        got |= {message.sequence: message.body for message in reader.receive_many(timeout=60)}
assert got == published
print("all of it")
"""


CLOSED_BY_SIGNAL = """
import signal, sys
from zeps_client import Client, Closed

def interrupt(*_):
    client.close()

signal.signal(signal.SIGALRM, interrupt)
for attempt in range(20):
    client, published = Client(sys.argv[1], f"s{attempt}"), 0
    client.wait(60)
    signal.setitimer(signal.ITIMER_REAL, 0.001 + attempt * 0.0003)
    try:
        while True:
            client.publish("k", b"")
            published += 1
    except Closed:
        pass
    client.close()
    assert client.statistics().confirmed == client.statistics().published >= published
print("closed")
"""


WAITS_IN_HANDLER = """
import signal, sys
from functools import partial
from zeps_client import Client, Timeout

refused = []

def interrupt(*_):
    for call in (client.flush, client.subscribe, client.wait, partial(client.receive, 0)):
        try:
            call()
        except Timeout:
            pass
        except RuntimeError as error:
            refused.append(str(error))
            return

client = Client(sys.argv[1], "s")
client.subscribe("")
signal.signal(signal.SIGALRM, interrupt)
while len(refused) < 3:
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    for _ in range(200):
        client.publish("k", b"")
signal.setitimer(signal.ITIMER_REAL, 0)
assert all("signal handler" in each for each in refused), refused
client.close()
print("refused")
"""


FORKED = """
import os, sys, threading
from zeps_client import Client, Closed

client = Client(sys.argv[1], "s")
client.wait(60)
stopping = threading.Event()

def publish():
    while not stopping.is_set():
        client.publish("k", b"x" * 100)

threads = [threading.Thread(target=publish) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(int(sys.argv[2])):
    child = os.fork()
    if child == 0:
        for call in (client.flush, client.close, lambda: client.publish("k", b"")):
            try:
                call()
            except Closed as error:
                assert "another process" in str(error), error
        with Client(sys.argv[1], "child") as own:
            own.publish("k", b"")
        del client
        sys.exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
stopping.set()
for thread in threads:
    thread.join()
client.flush(60)
client.close()
print("forked")
"""


def test_a_forked_child_ends(broker: RealBroker) -> None:
    """The parent's thread does not exist in the child, but locks that it held at the fork are held."""
    assert run(FORKED, broker.endpoint, str(FORKS)) == "forked\n"
    with Client(broker.endpoint, "child") as client:
        client.subscribe("")
        assert [client.receive(60).sequence for _ in range(FORKS)] == list(range(1, FORKS + 1))


EXIT_IN_CALLBACK = """
import sys
from zeps_client import BrokerLost, Client
from zeps_client.events import Confirmed

def on_event(event):
    if isinstance(event, Confirmed):
        sys.exit(3)

client = Client(sys.argv[1], "s", on_event=on_event)
client.publish("k", b"1")
try:
    for _ in range(1000):
        client.flush()
        client.publish("k", b"")
except BrokerLost as error:
    assert "SystemExit" in str(error), error
    print("reported")
try:
    client.subscribe("")
except BrokerLost:
    print("reported again")
"""


ASYNC_EXIT_IN_CALLBACK = """
import asyncio, sys
from zeps_client import AsyncClient
from zeps_client.events import Confirmed

def on_event(event):
    if isinstance(event, Confirmed):
        sys.exit(3)

async def main():
    client = AsyncClient(sys.argv[1], "s", on_event=on_event)
    for _ in range(1000):
        await client.publish("k", b"1")
        await client.flush()

try:
    asyncio.run(main())
except SystemExit as exit:
    print(exit.code)
"""


@pytest.mark.parametrize(
    ("program", "output"),
    [
        (INTERRUPTED, "all of it\n"),
        (CLOSED_BY_SIGNAL, "closed\n"),
        (WAITS_IN_HANDLER, "refused\n"),
        (EXIT_IN_CALLBACK, "reported\nreported again\n"),
        (ASYNC_EXIT_IN_CALLBACK, "3\n"),
    ],
    ids=["handler-publishes", "handler-closes", "handler-waits", "callback-exits", "asyncio-callback-exits"],
)
def test_handlers_and_callbacks(broker: RealBroker, program: str, output: str) -> None:
    """A signal handler interrupts calls of the same client at any point, and an on_event exits the process."""
    assert run(program, broker.endpoint) == output


def test_closing_in_a_callback_loses_nothing(broker: RealBroker) -> None:
    """It starts to close, and published messages are confirmed first."""
    ended = threading.Event()
    errors: list[BaseException] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Attached):
            try:
                client.close(60)
                client.close(60)
            except BaseException as error:
                errors.append(error)
            ended.set()

    broker.stop()
    client = Client(broker.endpoint, "s", on_event=on_event, **QUICK)
    client.publish_many([("k", b"%d" % number) for number in range(20_000)])
    broker.start()
    assert ended.wait(60)
    client.flush(60)
    client.close(60)
    assert errors == []
    with pytest.raises(Closed):
        client.publish("k", b"")
    with Client(broker.endpoint, "s") as reader:
        reader.subscribe("")
        got = 0
        while got < 20_000:
            got += len(reader.receive_many(timeout=60))


def test_a_callback_that_waits_is_refused(scripted: ScriptedBroker) -> None:
    errors: list[str] = []
    ended = threading.Event()

    def on_event(event: Event) -> None:
        if isinstance(event, Attached):
            for call in (client.flush, client.receive, client.subscribe, client.last_sequence, client.wait):
                try:
                    call()
                except RuntimeError as error:
                    errors.append(str(error))
            ended.set()

    scripted.script = silent
    with Client(scripted.endpoint, "s", on_event=on_event, attach_timeout=0.02, **QUICK) as client:
        scripted.script = None
        assert ended.wait(60)
        assert client.publish("k", b"") == 1
    assert len(errors) == 5
    assert all("on_event" in error for error in errors)


def test_losses_of_a_client_that_a_callback_closed_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    published = threading.Event()

    def on_event(event: Event) -> None:
        assert published.wait(60)
        client.close(0.05)

    client = Client("tcp://127.0.0.1:1", "s", on_event=on_event, **QUICK)
    client.publish("k", b"")
    published.set()
    client._thread._thread.join(60)
    assert "1 published message not stored" in caplog.text
    with pytest.raises(PublishLost):
        client.close()


async def test_asyncio_a_failing_callback_is_no_reason_to_wait(scripted: ScriptedBroker) -> None:
    """BaseExceptions that the loop does not propagate, such as GeneratorExit, end the client."""

    def on_event(event: Event) -> None:
        raise ZeroDivisionError

    async with AsyncClient(scripted.endpoint, "s", on_event=on_event, **QUICK) as client:
        await client.publish("k", b"")
        await client.flush(60)
    assert isinstance(scripted.commands[0], zeps.Attach)
    with pytest.raises(Closed):
        await client.publish("k", b"")


def test_a_client_whose_thread_failed_says_why(scripted: ScriptedBroker) -> None:
    def fail() -> None:
        raise MemoryError("no more")

    with Client(scripted.endpoint, "s", **QUICK) as client:
        client._engine.pause = fail  # type: ignore[method-assign, assignment]
        client._thread.condition.acquire()
        client._thread.wake()
        client._thread.condition.release()
        with pytest.raises(BrokerLost, match="no more"):
            client.receive(60)


CROWD = """
import json, sys, threading
from zeps_client import Client, SubscribeRefused

THREADS = 20
endpoint = sys.argv[1]
stopping = threading.Event()
wrong, calls, published, received = [], [0] * THREADS, [[] for _ in range(THREADS)], []
client = Client(endpoint, "s", backoff_min=0.01, backoff_max=0.1)

def consume():
    try:
        for message in client:
            received.append(message.sequence)
    except BaseException as error:
        wrong.append(f"consumer: {error!r}")

def work(number):
    turn = 0
    try:
        while not stopping.is_set():
            bad, good = f"({number}.{turn}", f"t{number}[.]{turn % 10}"
            result = client.subscribe(good, timeout=120)
            if result is not None:
                wrong.append(f"{good}: {result!r}")
            try:
                client.subscribe(bad, timeout=120)
                wrong.append(f"{bad}: granted")
            except SubscribeRefused as refusal:
                if refusal.pattern != bad:
                    wrong.append(f"{bad}: {refusal}")
            body = f"{number}.{turn}"
            client.publish(f"t{number}.{turn % 10}", body.encode(), timeout=120)
            published[number].append(body)
            client.flush(120)
            turn += 1
            calls[number] += 4
            if number == 0:
                print(turn, flush=True)
    except BaseException as error:
        wrong.append(f"thread {number}: {error!r}")

threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
consumers = [threading.Thread(target=consume) for _ in range(2)]
for thread in threads + consumers:
    thread.start()
sys.stdin.read()
stopping.set()
for thread in threads:
    thread.join(120)
hanging = [thread.name for thread in threads if thread.is_alive()]
client.close()
for thread in consumers:
    thread.join(120)
hanging += [thread.name for thread in consumers if thread.is_alive()]
with Client(endpoint, "s") as reader:
    reader.subscribe("")
    missing = {body for bodies in published for body in bodies}
    while missing:
        missing -= {message.body.decode() for message in reader.receive_many(timeout=60)}
repeated = len(received) - len(set(received))
print(json.dumps({"wrong": wrong, "hanging": hanging, "calls": calls, "repeated": repeated, "received": len(received)}))
"""


@pytest.mark.slow
@pytest.mark.timeout(60 + 60 * KILLS)
def test_twenty_threads_and_a_broker_that_is_killed(tmp_path: Path) -> None:
    """Each call of each thread has its own result, whatever the others request, and the process ends."""
    with (
        RealBroker(tmp_path, '[broker]\nmatch = "regex"\n') as broker,
        (tmp_path / "log").open("w") as log,  # not a pipe: logging would wait for a reader
        subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-c", CROWD, broker.endpoint],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for _ in range(KILLS):
                assert (
                    process.stdout.readline()
                )  # a turn of one thread is over, others are in the middle of theirs
                broker.kill()
                broker.start()
            assert process.stdout.readline()
            process.stdin.close()
            output = process.stdout.read()
            assert process.wait(LIMIT) == 0, (tmp_path / "log").read_text()[-5000:]
        finally:
            process.kill()
    summary = json.loads(output.splitlines()[-1])
    assert (summary["wrong"], summary["hanging"], summary["repeated"]) == ([], [], 0)
    assert all(summary["calls"])
    assert summary["received"] > 0
