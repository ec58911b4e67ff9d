package zeps.wire.featuresserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.UnexpectedEventException;
import zeps.wire.UnhandledEventException;
import zeps.wire.features.Card;
import zeps.wire.features.Colour;
import zeps.wire.features.Features;
import zeps.wire.features.Message;
import zeps.wire.features.Parcel;
import zeps.wire.features.Question;
import zeps.wire.features.Report;

/** A machine with messages that its host fills, events that it raises, timers and a hook. */
final class FeaturesMachineTest {

  private static final Question QUESTION = new Question(7, "stars");

  private final List<Object> log = new ArrayList<>();
  private final ServerMachine machine = new ServerMachine(new Notebook());
  private Runnable lookUp = () -> {};
  private Runnable note = () -> {};
  private Runnable hook = () -> {};

  private final class Notebook implements ServerHost {

    @Override
    public void send(Message message) {
      log.add(message);
    }

    @Override
    public void unsendable(EncodeException error) {
      log.add(error.getMessage());
    }

    @Override
    public void onTransition(State from, Event event, State to) {
      log.add(from.label() + " " + event.label() + " " + to.label());
      hook.run();
    }

    @Override
    public void lookUp(Question message) {
      lookUp.run();
    }

    @Override
    public void note(Message message) {
      note.run();
    }
  }

  @Test
  void whatIsRaisedIsHandledAfterTheRow() throws UnexpectedEventException {
    lookUp =
        () -> {
          machine.raise(InternalEvent.UNKNOWN);
          machine.raise(InternalEvent.FOUND);
        };
    machine.receive(QUESTION);
    assertEquals(State.WAITING, machine.state());
    assertEquals(
        List.of("waiting QUESTION working", "not-set: ANSWER.level", "working found waiting"), log);
  }

  @Test
  void failingDropsWhatWasRaised() throws UnexpectedEventException {
    lookUp =
        () -> {
          machine.raise(InternalEvent.FOUND);
          machine.fail(InternalEvent.UNKNOWN);
        };
    machine.receive(QUESTION);
    assertEquals(List.of("waiting QUESTION waiting", "waiting unknown waiting"), log);
  }

  @Test
  void onlyActionsFailOrRaise() throws UnexpectedEventException {
    assertThrows(UnhandledEventException.class, () -> machine.fail(InternalEvent.UNKNOWN));
    assertThrows(UnhandledEventException.class, () -> machine.raise(InternalEvent.UNKNOWN));
    hook =
        () -> {
          assertThrows(UnhandledEventException.class, () -> machine.raise(InternalEvent.UNKNOWN));
          assertThrows(UnhandledEventException.class, machine::ask);
          assertThrows(UnhandledEventException.class, () -> machine.advance(1));
        };
    machine.receive(QUESTION);
    assertEquals(List.of("waiting QUESTION working"), log);
  }

  @Test
  void aMessageIsFilledBeforeItIsSent() throws UnexpectedEventException {
    List<Octets> contents = List.of(Octets.utf8("a"), Octets.EMPTY);
    machine.fillParcelCover(Octets.utf8("old"));
    machine.fillParcelCover(Octets.utf8("new"));
    machine.fillParcelContents(contents);
    assertTrue(machine.ask());
    assertEquals(new Parcel(0, Octets.utf8("new"), contents), log.get(0));
    machine.fillParcelContents(contents);
    assertTrue(machine.ask());
    assertTrue(machine.ask());
    assertEquals(List.of("not-set: PARCEL.cover", "not-set: PARCEL.cover"), notices());
    assertThrows(NullPointerException.class, () -> machine.fillParcelCover(null));
    machine.fillParcelCover(Octets.EMPTY);
    machine.receive(new Parcel(1, Octets.EMPTY, contents));
    machine.fillParcelContents(contents);
    assertTrue(machine.ask());
    assertEquals("not-set: PARCEL.cover", notices().get(2));
  }

  private List<Object> notices() {
    return log.stream().filter(one -> one.toString().startsWith("not-set")).toList();
  }

  @Test
  void timersRunFromTheFirstAdvanceOn() throws UnexpectedEventException {
    assertEquals(OptionalLong.empty(), machine.deadline());
    assertFalse(machine.advance(1000));
    assertEquals(OptionalLong.of(1200), machine.deadline());
    machine.receive(QUESTION);
    assertEquals(OptionalLong.of(1200), machine.deadline());
    assertFalse(machine.advance(1199));
    assertTrue(machine.advance(1250));
    assertEquals(List.of("waiting QUESTION working", "working idle working"), rows());
    assertEquals(OptionalLong.of(1450), machine.deadline());
    assertFalse(machine.advance(10));
    assertEquals(OptionalLong.of(1450), machine.deadline());
  }

  private List<Object> rows() {
    return log.stream().filter(String.class::isInstance).toList();
  }

  @Test
  void aTimerStopsWithItsState() throws UnexpectedEventException {
    machine.setBeat(0);
    machine.advance(1);
    machine.receive(QUESTION);
    note = () -> machine.raise(InternalEvent.FOUND);
    assertTrue(machine.advance(501));
    assertEquals("working expired working", log.get(1));
    assertEquals(State.WAITING, machine.state());
    assertEquals(OptionalLong.of(3501), machine.deadline());
  }

  @Test
  void anUnhandledEventLeavesTheTimersRunning() throws UnexpectedEventException {
    machine.setBeat(0);
    machine.advance(1);
    machine.receive(QUESTION);
    note = () -> machine.raise(InternalEvent.EXPIRED);
    assertThrows(UnhandledEventException.class, () -> machine.advance(501));
    assertEquals(OptionalLong.of(1001), machine.deadline());
    note = () -> {};
    assertTrue(machine.advance(1001));
  }

  @Test
  void aFrameMayEndBeforeWhatHasDefaults() throws Exception {
    byte[] frame =
        new Report(
                1,
                2,
                4,
                Colour.RED,
                5,
                6,
                "t",
                Octets.EMPTY,
                token(),
                Octets.utf8("xx"),
                List.of("w"),
                List.of(),
                List.of(9L))
            .encode();
    byte[] cut = Arrays.copyOf(frame, 19);
    Report found = (Report) Features.decode(cut);
    assertEquals(3, found.level());
    assertEquals(Colour.GREEN, found.colour());
    assertEquals(-2, found.change());
    assertEquals("none", found.title());
    assertEquals("ok", found.code().toUtf8());
    assertEquals(List.of(), found.words());
    byte[] grown = Arrays.copyOf(frame, frame.length + 3);
    assertEquals(Features.decode(frame), Features.decode(grown));
    Report wrong =
        new Report(
            2,
            1,
            4,
            Colour.RED,
            5,
            6,
            "t",
            Octets.EMPTY,
            token(),
            Octets.utf8("xx"),
            List.of(),
            List.of(),
            List.of());
    EncodeException error = assertThrows(EncodeException.class, wrong::encode);
    assertEquals(ErrorCode.BAD_RELATION, error.code());
    assertEquals("last", error.fieldName());
  }

  private static Octets token() {
    return Octets.wrap(new byte[16]);
  }

  @Test
  void framesAreSentTogether() throws UnexpectedEventException {
    machine.receive(new Card(1, Octets.utf8("p")));
    assertEquals(2, ((Message) log.get(0)).encodeFrames().size());
  }
}
