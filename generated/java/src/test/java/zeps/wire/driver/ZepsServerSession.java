package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;
import zeps.wire.UnexpectedEventException;

/** A machine by its names in the model. */
final class ZepsServerSession implements Session {

  private static final Codec CODEC = new ZepsCodec();

  private final Recorder recorder = new Recorder();
  private final zeps.wire.zepsserver.ServerMachine machine =
      new zeps.wire.zepsserver.ServerMachine(new Recording());

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
      case "malformed":
        {
          final List<Value> found = Codec.fitting("malformed", values, 0);
          return machine.malformed();
        }
      case "attach_refused":
        {
          final List<Value> found = Codec.fitting("attach_refused", values, 0);
          return machine.attachRefused();
        }
      case "subscribe_refused":
        {
          final List<Value> found = Codec.fitting("subscribe_refused", values, 0);
          return machine.subscribeRefused();
        }
      case "gap":
        {
          final List<Value> found = Codec.fitting("gap", values, 0);
          return machine.gap();
        }
      case "expired":
        {
          final List<Value> found = Codec.fitting("expired", values, 0);
          return machine.expired();
        }
      case "heartbeat":
        {
          final List<Value> found = Codec.fitting("heartbeat", values, 0);
          return machine.heartbeat();
        }
      case "shutdown":
        {
          final List<Value> found = Codec.fitting("shutdown", values, 0);
          return machine.shutdown();
        }
      case "deliver":
        {
          return machine.deliver((zeps.wire.zeps.Deliver) CODEC.build("DELIVER", values));
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
      case "reason":
        machine.setReason(value.text());
        break;
      default:
        throw new Unknown();
    }
  }

  @Override
  public void check(String action, String event) throws Unknown {
    if (!List.<String>of(
                "open_stream",
                "close_stream",
                "check_subscription",
                "add_subscription",
                "use_credit",
                "store_message")
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
    answer.count(2);
    answer.unsigned(machine.getCredit());
    answer.text(machine.getReason());
  }

  private void fail(String event) {
    machine.fail(eventOf(event));
  }

  private static zeps.wire.zepsserver.Event eventOf(String event) {
    for (zeps.wire.zepsserver.Event one : zeps.wire.zepsserver.Event.values()) {
      if (one.label().equals(event)) {
        return one;
      }
    }
    return null;
  }

  /** The host. */
  private final class Recording implements zeps.wire.zepsserver.ServerHost {

    @Override
    public void send(zeps.wire.zeps.Message message) {
      recorder.send(() -> CODEC.encode(message));
    }

    @Override
    public void openStream(zeps.wire.zeps.Attach message) {
      recorder.act("open_stream", ZepsServerSession.this::fail);
    }

    @Override
    public void closeStream(zeps.wire.zeps.Message message) {
      recorder.act("close_stream", ZepsServerSession.this::fail);
    }

    @Override
    public void checkSubscription(zeps.wire.zeps.Subscribe message) {
      recorder.act("check_subscription", ZepsServerSession.this::fail);
    }

    @Override
    public void addSubscription(zeps.wire.zeps.Subscribe message) {
      recorder.act("add_subscription", ZepsServerSession.this::fail);
    }

    @Override
    public void useCredit(zeps.wire.zeps.Credit message) {
      recorder.act("use_credit", ZepsServerSession.this::fail);
    }

    @Override
    public void storeMessage(zeps.wire.zeps.Publish message) {
      recorder.act("store_message", ZepsServerSession.this::fail);
    }
  }
}
