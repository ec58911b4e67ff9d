package zeps.wire.zepsserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import zeps.wire.Octets;
import zeps.wire.Row;
import zeps.wire.UnexpectedEventException;
import zeps.wire.UnhandledEventException;
import zeps.wire.zeps.Attach;
import zeps.wire.zeps.AttachOk;
import zeps.wire.zeps.Credit;
import zeps.wire.zeps.Deliver;
import zeps.wire.zeps.EndingCode;
import zeps.wire.zeps.Invalid;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.OpenCode;
import zeps.wire.zeps.Ping;
import zeps.wire.zeps.Publish;
import zeps.wire.zeps.Subscribe;

/** A machine with a host that records its calls. */
final class MachinesTest {

  private final List<Object> log = new ArrayList<>();
  private final ServerMachine machine = new ServerMachine(new Notebook());
  private boolean refuses;

  private final class Notebook implements ServerHost {

    @Override
    public void send(Message message) {
      log.add(message);
    }

    @Override
    public void openStream(Attach message) {
      log.add("open " + message.stream());
      if (refuses) {
        machine.setReason("no");
        machine.fail(InternalEvent.ATTACH_REFUSED);
      }
    }

    @Override
    public void closeStream(Message message) {
      log.add("close");
    }

    @Override
    public void checkSubscription(Subscribe message) {
      if (refuses) {
        machine.setReason(OpenCode.BAD_PATTERN.value() + " not that one");
        machine.fail(InternalEvent.SUBSCRIBE_REFUSED);
      }
    }

    @Override
    public void addSubscription(Subscribe message) {
      log.add(message);
    }

    @Override
    public void useCredit(Credit message) {
      log.add(message);
    }

    @Override
    public void storeMessage(Publish message) {
      log.add(message);
    }
  }

  @Test
  void aSessionOpensAndDelivers() throws UnexpectedEventException {
    Deliver deliver = new Deliver(1, "key", Octets.utf8("body"));
    machine.receive(new Attach("stocks"));
    assertEquals(State.OPEN, machine.state());
    assertFalse(machine.deliver(deliver));
    machine.receive(new Credit(deliver.encodedSize()));
    assertTrue(machine.deliver(deliver));
    assertEquals(0, machine.getCredit());
    assertEquals(
        List.of("open stocks", new AttachOk(), new Credit(deliver.encodedSize()), deliver), log);
  }

  @Test
  void creditSaturates() throws UnexpectedEventException {
    machine.receive(new Attach("stocks"));
    machine.receive(new Credit(-2L));
    machine.receive(new Credit(7));
    assertEquals(-1L, machine.getCredit());
    assertTrue(machine.deliver(new Deliver(1, "key", Octets.EMPTY)));
  }

  @Test
  void aHostActionMayFail() throws UnexpectedEventException {
    refuses = true;
    machine.receive(new Attach("stocks"));
    assertEquals(State.START, machine.state());
    assertEquals(List.of("open stocks", new Invalid("no")), log);
  }

  @Test
  void aRefusedSubscribeLeavesTheSessionOpen() throws UnexpectedEventException {
    machine.receive(new Attach("stocks"));
    log.clear();
    refuses = true;
    machine.receive(new Subscribe("(", 0));
    assertEquals(State.OPEN, machine.state());
    assertEquals(List.of(new Invalid("bad-pattern not that one")), log);
    refuses = false;
    machine.receive(new Subscribe("x", 0));
    assertEquals(new Subscribe("x", 0), log.get(2));
  }

  @Test
  void codesAreTwoTables() {
    assertEquals(OpenCode.RETENTION, OpenCode.of("retention"));
    assertEquals(EndingCode.NO_SESSION, EndingCode.of("no-session"));
    assertNull(OpenCode.of("no-session"));
    assertNull(EndingCode.of("code-of-a-later-version"));
  }

  @Test
  void guardsAreTriedInOrder() throws UnexpectedEventException {
    machine.receive(new Attach(""));
    machine.receive(new Ping());
    assertEquals(
        List.of(
            new Invalid("stream-name the stream name is empty"),
            new Invalid("no-session ATTACH opens a session")),
        log);
  }

  @Test
  void whatNoRowTakesIsAnError() {
    assertThrows(UnhandledEventException.class, machine::heartbeat);
  }

  @Test
  void nullIsNoMessage() {
    assertThrows(NullPointerException.class, () -> machine.receive(null));
    assertThrows(NullPointerException.class, () -> machine.deliver(null));
    assertEquals(List.of(), log);
  }

  @Test
  void theTableIsData() {
    List<Row<State, Event>> rows = ServerMachine.TABLE.rows();
    Row<State, Event> first = rows.get(0);
    assertEquals(State.START, first.state());
    assertEquals(Event.ATTACH, first.event());
    assertEquals("message.stream == ''", first.guard());
    assertThrows(UnsupportedOperationException.class, rows::clear);
    assertEquals("start", State.START.label());
    assertEquals("deliver", Event.ON_DELIVER.label());
  }
}
