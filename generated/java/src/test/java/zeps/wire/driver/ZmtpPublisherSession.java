package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.UnexpectedEventException;

/** A machine by its names in the model. */
final class ZmtpPublisherSession implements Session {

  private static final Codec CODEC = new ZmtpCodec();

  private final Recorder recorder = new Recorder();
  private final zeps.wire.zmtppublisher.ServerMachine machine =
      new zeps.wire.zmtppublisher.ServerMachine(new Recording());

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
                "peer_refused",
                "add_subscription",
                "remove_subscription")
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
    answer.count(6);
    answer.raw(machine.getMechanism());
    answer.unsigned(machine.getMinor());
    answer.unsigned(machine.getTtl());
    answer.unsigned(machine.getUnanswered());
    answer.unsigned(machine.getUnansweredMax());
    answer.raw(machine.getReason());
  }

  private void fail(String event) {
    machine.fail(eventOf(event));
  }

  private static zeps.wire.zmtppublisher.Event eventOf(String event) {
    for (zeps.wire.zmtppublisher.Event one : zeps.wire.zmtppublisher.Event.values()) {
      if (one.label().equals(event)) {
        return one;
      }
    }
    return null;
  }

  /** The host. */
  private final class Recording implements zeps.wire.zmtppublisher.ServerHost {

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
      recorder.act("check_greeting", ZmtpPublisherSession.this::fail);
    }

    @Override
    public void askForIntroduction(zeps.wire.zmtp.Greeting message) {
      recorder.act("ask_for_introduction", ZmtpPublisherSession.this::fail);
    }

    @Override
    public void closeConnection(zeps.wire.zmtp.Message message) {
      recorder.act("close_connection", ZmtpPublisherSession.this::fail);
    }

    @Override
    public void checkPeer(zeps.wire.zmtp.Ready message) {
      recorder.act("check_peer", ZmtpPublisherSession.this::fail);
    }

    @Override
    public void opened(zeps.wire.zmtp.Ready message) {
      recorder.act("opened", ZmtpPublisherSession.this::fail);
    }

    @Override
    public void peerRefused(zeps.wire.zmtp.Error message) {
      recorder.act("peer_refused", ZmtpPublisherSession.this::fail);
    }

    @Override
    public void addSubscription(zeps.wire.zmtp.Message message) {
      recorder.act("add_subscription", ZmtpPublisherSession.this::fail);
    }

    @Override
    public void removeSubscription(zeps.wire.zmtp.Message message) {
      recorder.act("remove_subscription", ZmtpPublisherSession.this::fail);
    }
  }
}
