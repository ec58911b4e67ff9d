package zeps.wire.cornersserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Machine;
import zeps.wire.Octets;
import zeps.wire.UnexpectedEventException;
import zeps.wire.UnhandledEventException;
import zeps.wire.corners.Corners;
import zeps.wire.corners.Message;
import zeps.wire.corners.Reading;

/** A machine of the package generated from helpers/corners. */
final class CornersMachineTest {

  private static final Reading HOT = new Reading(101, 0, Octets.EMPTY);

  private final List<String> log = new ArrayList<>();
  private final ServerMachine machine = new ServerMachine(new Notebook());
  private int fails;
  private Call inside;
  private UnhandledEventException refused;

  private interface Call {
    void make() throws UnexpectedEventException;
  }

  private final class Notebook implements ServerHost {

    @Override
    public void send(Message message) {
      try {
        message.encode();
        log.add("send " + message.messageName());
      } catch (EncodeException error) {
        log.add("cannot encode: " + error.getMessage());
      }
    }

    @Override
    public void unsendable(EncodeException error) {
      log.add("unsendable: " + error.getMessage());
    }

    @Override
    public void note() {
      log.add("note");
    }

    @Override
    public void warn(Reading message) {
      log.add("warn");
      if (inside != null) {
        refused = assertThrows(UnhandledEventException.class, inside::make);
      }
      if (fails > 0) {
        fails--;
        machine.fail(InternalEvent.OOPS);
      }
    }
  }

  @Test
  void aNegativeNumberCountsAsNothing() throws UnexpectedEventException {
    machine.receive(new Reading(-5, Long.MIN_VALUE, Octets.utf8("a")));
    assertEquals(0, machine.getTotal());
    machine.receive(new Reading(100, 0, Octets.utf8("b")));
    assertEquals(100, machine.getTotal());
    assertTrue(machine.adjust(-7));
    assertEquals(0, machine.getTotal());
    assertEquals(List.of(), log);
    machine.receive(new Reading(0, 101, Octets.EMPTY));
    assertEquals(List.of("warn"), log);
  }

  @Test
  void whatAFieldCannotHoldIsNotSent() {
    report(1, "four", "send REPORT");
    report(1L << 31, "four", "unsendable: too-long: REPORT.level");
    report(-1L, "four", "unsendable: too-long: REPORT.level");
    report(256, "three", "unsendable: too-long: REPORT.small");
    report(1, "", "unsendable: truncated: REPORT.key");
    report(1, "fives", "unsendable: too-long: REPORT.key");
    report(2, "four", "cannot encode: bad-constant: REPORT.colour");
  }

  private void report(long total, String token, String wanted) {
    log.clear();
    machine.setTotal(total);
    machine.setToken(Octets.utf8(token));
    assertTrue(machine.report());
    assertEquals(List.of(wanted, "note"), log);
  }

  @Test
  void aMachineKeepsOctetsOfItsOwn() throws DecodeException, UnexpectedEventException {
    byte[] frame = {1, 0, 0, 0, 3, 'k', 'e', 'y', 1, 'C'};
    machine.receive(Corners.decode(frame));
    Arrays.fill(frame, (byte) 0);
    assertEquals(Octets.utf8("key"), machine.getToken());
  }

  @Test
  void noEventIsHandledInsideAnother() throws UnexpectedEventException {
    for (Call call : List.<Call>of(() -> machine.receive(HOT), machine::report)) {
      inside = call;
      machine.receive(HOT);
      assertTrue(refused.getMessage().endsWith("called from inside an action"));
    }
    assertEquals(List.of("warn", "warn"), log);
  }

  @Test
  void actionsMayFailInTurn() throws UnexpectedEventException {
    fails = Machine.RAISES_MAX;
    machine.receive(HOT);
    assertEquals(1 + Machine.RAISES_MAX, log.size());
    fails = Machine.RAISES_MAX + 1;
    assertThrows(UnhandledEventException.class, () -> machine.receive(HOT));
    assertEquals(2 + 2 * Machine.RAISES_MAX, log.size());
  }

  @Test
  void onlyAnActionFails() throws UnexpectedEventException {
    assertThrows(UnhandledEventException.class, () -> machine.fail(InternalEvent.OOPS));
    machine.receive(HOT);
    assertEquals(List.of("warn"), log);
  }

  @Test
  void aHostThatThrowsLeavesTheMachineUsable() throws UnexpectedEventException {
    inside = () -> {};
    assertThrows(AssertionError.class, () -> machine.receive(HOT));
    inside = null;
    machine.receive(HOT);
    assertEquals(List.of("warn", "warn"), log);
  }
}
