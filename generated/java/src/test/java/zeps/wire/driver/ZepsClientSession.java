package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;
import zeps.wire.UnexpectedEventException;

/** A machine by its names in the model. */
final class ZepsClientSession implements Session {

  private static final Codec CODEC = new ZepsCodec();

  private final Recorder recorder = new Recorder();
  private final zeps.wire.zepsclient.ClientMachine machine =
      new zeps.wire.zepsclient.ClientMachine(new Recording());

  @Override
  public Recorder recorder() {
    return recorder;
  }

  @Override
  public void receive(byte[] frame) throws DecodeException, UnexpectedEventException {
    machine.receive(zeps.wire.zeps.Zeps.decode(frame));
  }

  @Override
  public boolean call(String event, List<Value> values) throws Unknown {
    switch (event) {
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
      case "ended":
        {
          final List<Value> found = Codec.fitting("ended", values, 0);
          return machine.ended();
        }
      case "subscribe_refused":
        {
          final List<Value> found = Codec.fitting("subscribe_refused", values, 0);
          return machine.subscribeRefused();
        }
      case "open":
        {
          final List<Value> found = Codec.fitting("open", values, 1);
          return machine.open(found.get(0).text());
        }
      case "follow":
        {
          final List<Value> found = Codec.fitting("follow", values, 2);
          return machine.follow(found.get(0).text(), found.get(1).unsigned());
        }
      case "grant":
        {
          final List<Value> found = Codec.fitting("grant", values, 1);
          return machine.grant(found.get(0).unsigned());
        }
      case "post":
        {
          final List<Value> found = Codec.fitting("post", values, 2);
          return machine.post(found.get(0).text(), found.get(1).raw());
        }
      case "probe":
        {
          final List<Value> found = Codec.fitting("probe", values, 0);
          return machine.probe();
        }
      case "close":
        {
          final List<Value> found = Codec.fitting("close", values, 0);
          return machine.close();
        }
      default:
        throw new Unknown();
    }
  }

  @Override
  public void set(String variable, Value value) throws Unknown {
    switch (variable) {
      case "credit":
        machine.setCredit(value.unsigned());
        break;
      case "pending":
        machine.setPending(value.unsigned());
        break;
      case "unanswered":
        machine.setUnanswered(value.unsigned());
        break;
      case "unanswered_max":
        machine.setUnansweredMax(value.unsigned());
        break;
      case "stale":
        machine.setStale(value.unsigned());
        break;
      case "stream":
        machine.setStream(value.text());
        break;
      default:
        throw new Unknown();
    }
  }

  @Override
  public void check(String action, String event) throws Unknown {
    if (!List.<String>of(
                "attached",
                "attach_refused",
                "detached",
                "broker_lost",
                "subscribed",
                "take_message",
                "answered",
                "read_notice",
                "session_lost",
                "refused")
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
    answer.unsigned(machine.getCredit());
    answer.unsigned(machine.getPending());
    answer.unsigned(machine.getUnanswered());
    answer.unsigned(machine.getUnansweredMax());
    answer.unsigned(machine.getStale());
    answer.text(machine.getStream());
  }

  private void fail(String event) {
    machine.fail(eventOf(event));
  }

  private static zeps.wire.zepsclient.Event eventOf(String event) {
    for (zeps.wire.zepsclient.Event one : zeps.wire.zepsclient.Event.values()) {
      if (one.label().equals(event)) {
        return one;
      }
    }
    return null;
  }

  /** The host. */
  private final class Recording implements zeps.wire.zepsclient.ClientHost {

    @Override
    public void send(zeps.wire.zeps.Message message) {
      recorder.send(() -> CODEC.encode(message));
    }

    @Override
    public void attached(zeps.wire.zeps.AttachOk message) {
      recorder.act("attached", ZepsClientSession.this::fail);
    }

    @Override
    public void attachRefused(zeps.wire.zeps.Invalid message) {
      recorder.act("attach_refused", ZepsClientSession.this::fail);
    }

    @Override
    public void detached(zeps.wire.zeps.Message message) {
      recorder.act("detached", ZepsClientSession.this::fail);
    }

    @Override
    public void brokerLost(zeps.wire.zeps.Message message) {
      recorder.act("broker_lost", ZepsClientSession.this::fail);
    }

    @Override
    public void subscribed(zeps.wire.zeps.SubscribeOk message) {
      recorder.act("subscribed", ZepsClientSession.this::fail);
    }

    @Override
    public void takeMessage(zeps.wire.zeps.Deliver message) {
      recorder.act("take_message", ZepsClientSession.this::fail);
    }

    @Override
    public void answered(zeps.wire.zeps.PingOk message) {
      recorder.act("answered", ZepsClientSession.this::fail);
    }

    @Override
    public void readNotice(zeps.wire.zeps.Invalid message) {
      recorder.act("read_notice", ZepsClientSession.this::fail);
    }

    @Override
    public void sessionLost() {
      recorder.act("session_lost", ZepsClientSession.this::fail);
    }

    @Override
    public void refused() {
      recorder.act("refused", ZepsClientSession.this::fail);
    }
  }
}
