package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.UnexpectedEventException;

/** A machine by its names in the model. */
final class ZmtpSubscriberSession implements Session {

  private static final Codec CODEC = new ZmtpCodec();

  private final Recorder recorder = new Recorder();
  private final zeps.wire.zmtpsubscriber.ClientMachine machine =
      new zeps.wire.zmtpsubscriber.ClientMachine(new Recording());

  @Override
  public Recorder recorder() {
    return recorder;
  }

  @Override
  public void receive(byte[] frame) throws DecodeException, UnexpectedEventException {
    machine.receive(zeps.wire.zmtp.Zmtp.decode(frame));
  }

  @Override
  public boolean call(String event, List<Value> values) throws Unknown {
    switch (event) {
      case "downgrade":
        {
          final List<Value> found = Codec.fitting("downgrade", values, 0);
          return machine.downgrade();
        }
      case "connected":
        {
          final List<Value> found = Codec.fitting("connected", values, 0);
          return machine.connected();
        }
      case "introduce":
        {
          return machine.introduce((zeps.wire.zmtp.Ready) CODEC.build("READY", values));
        }
      case "refused":
        {
          final List<Value> found = Codec.fitting("refused", values, 0);
          return machine.refused();
        }
      case "heartbeat":
        {
          final List<Value> found = Codec.fitting("heartbeat", values, 0);
          return machine.heartbeat();
        }
      case "expired":
        {
          final List<Value> found = Codec.fitting("expired", values, 0);
          return machine.expired();
        }
      case "malformed":
        {
          final List<Value> found = Codec.fitting("malformed", values, 0);
          return machine.malformed();
        }
      case "unknown":
        {
          final List<Value> found = Codec.fitting("unknown", values, 0);
          return machine.unknown();
        }
      case "disconnected":
        {
          final List<Value> found = Codec.fitting("disconnected", values, 0);
          return machine.disconnected();
        }
      case "subscribe":
        {
          final List<Value> found = Codec.fitting("subscribe", values, 1);
          return machine.subscribe(found.get(0).raw());
        }
      case "unsubscribe":
        {
          final List<Value> found = Codec.fitting("unsubscribe", values, 1);
          return machine.unsubscribe(found.get(0).raw());
        }
      case "subscribe_filter":
        {
          final List<Value> found = Codec.fitting("subscribe_filter", values, 2);
          return machine.subscribeFilter(found.get(0).unsignedInt(), found.get(1).raw());
        }
      case "unsubscribe_filter":
        {
          final List<Value> found = Codec.fitting("unsubscribe_filter", values, 2);
          return machine.unsubscribeFilter(found.get(0).unsignedInt(), found.get(1).raw());
        }
      default:
        throw new Unknown();
    }
  }

  @Override
  public void set(String variable, Value value) throws Unknown {
    switch (variable) {
      case "mechanism":
        machine.setMechanism(value.raw());
        break;
      case "minor":
        machine.setMinor(value.unsigned());
        break;
      case "peer_minor":
        machine.setPeerMinor(value.unsigned());
        break;
      case "ttl":
        machine.setTtl(value.unsigned());
        break;
      case "unanswered":
        machine.setUnanswered(value.unsigned());
        break;
      case "unanswered_max":
        machine.setUnansweredMax(value.unsigned());
        break;
      case "reason":
        machine.setReason(value.raw());
        break;
      default:
        throw new Unknown();
    }
  }

  @Override
  public void check(String action, String event) throws Unknown {
    if (!List.<String>of(
                "check_greeting",
                "ask_for_introduction",
                "close_connection",
                "check_peer",
                "opened",
                "peer_refused")
            .contains(action)
        || eventOf(event) == null) {
      throw new Unknown();
    }
  }

  @Override
  public String state() {
    return machine.state().label();
  }

  @Override
  public boolean isTerminated() {
    return machine.isTerminated();
  }

  @Override
  public void variables(Answer answer) {
    answer.count(7);
    answer.raw(machine.getMechanism());
    answer.unsigned(machine.getMinor());
    answer.unsigned(machine.getPeerMinor());
    answer.unsigned(machine.getTtl());
    answer.unsigned(machine.getUnanswered());
    answer.unsigned(machine.getUnansweredMax());
    answer.raw(machine.getReason());
  }

  private void fail(String event) {
    machine.fail(eventOf(event));
  }

  private static zeps.wire.zmtpsubscriber.Event eventOf(String event) {
    for (zeps.wire.zmtpsubscriber.Event one : zeps.wire.zmtpsubscriber.Event.values()) {
      if (one.label().equals(event)) {
        return one;
      }
    }
    return null;
  }

  /** The host. */
  private final class Recording implements zeps.wire.zmtpsubscriber.ClientHost {

    @Override
    public void send(zeps.wire.zmtp.Message message) {
      recorder.send(() -> CODEC.encode(message));
    }

    @Override
    public void unsendable(EncodeException error) {
      recorder.unsent();
    }

    @Override
    public void checkGreeting(zeps.wire.zmtp.Greeting message) {
      recorder.act("check_greeting", ZmtpSubscriberSession.this::fail);
    }

    @Override
    public void askForIntroduction(zeps.wire.zmtp.Greeting message) {
      recorder.act("ask_for_introduction", ZmtpSubscriberSession.this::fail);
    }

    @Override
    public void closeConnection(zeps.wire.zmtp.Message message) {
      recorder.act("close_connection", ZmtpSubscriberSession.this::fail);
    }

    @Override
    public void checkPeer(zeps.wire.zmtp.Ready message) {
      recorder.act("check_peer", ZmtpSubscriberSession.this::fail);
    }

    @Override
    public void opened(zeps.wire.zmtp.Ready message) {
      recorder.act("opened", ZmtpSubscriberSession.this::fail);
    }

    @Override
    public void peerRefused(zeps.wire.zmtp.Error message) {
      recorder.act("peer_refused", ZmtpSubscriberSession.this::fail);
    }
  }
}
