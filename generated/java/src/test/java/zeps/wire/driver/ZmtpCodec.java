package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;

/** The messages of a protocol by their names in the model. */
final class ZmtpCodec implements Codec {

  @Override
  public Object decode(byte[] frame) throws DecodeException {
    return zeps.wire.zmtp.Zmtp.decode(frame);
  }

  @Override
  public byte[] encode(Object message) {
    return ((zeps.wire.zmtp.Message) message).encode();
  }

  @Override
  public byte[] write(Object message) {
    if (message instanceof zeps.wire.zmtp.Greeting found) {
      return new zeps.wire.zmtp.Greeting.Writer()
          .major(found.major())
          .minor(found.minor())
          .mechanism(found.mechanism())
          .asServer(found.asServer())
          .encode();
    }
    if (message instanceof zeps.wire.zmtp.Error found) {
      return new zeps.wire.zmtp.Error.Writer().reason(found.reason()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Ping found) {
      return new zeps.wire.zmtp.Ping.Writer().ttl(found.ttl()).context(found.context()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Pong found) {
      return new zeps.wire.zmtp.Pong.Writer().context(found.context()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Subscribe found) {
      return new zeps.wire.zmtp.Subscribe.Writer().topic(found.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Cancel found) {
      return new zeps.wire.zmtp.Cancel.Writer().topic(found.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Subscription found) {
      return new zeps.wire.zmtp.Subscription.Writer().topic(found.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Cancellation found) {
      return new zeps.wire.zmtp.Cancellation.Writer().topic(found.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.SubscribeX found) {
      return new zeps.wire.zmtp.SubscribeX.Writer()
          .kind(found.kind())
          .filter(found.filter())
          .encode();
    }
    if (message instanceof zeps.wire.zmtp.CancelX found) {
      return new zeps.wire.zmtp.CancelX.Writer().kind(found.kind()).filter(found.filter()).encode();
    }
    if (message instanceof zeps.wire.zmtp.SubscriptionX found) {
      return new zeps.wire.zmtp.SubscriptionX.Writer()
          .kind(found.kind())
          .filter(found.filter())
          .encode();
    }
    if (message instanceof zeps.wire.zmtp.CancellationX found) {
      return new zeps.wire.zmtp.CancellationX.Writer()
          .kind(found.kind())
          .filter(found.filter())
          .encode();
    }
    return encode(message);
  }

  @Override
  public byte[] rewrite(Object message, byte[] frame) throws DecodeException {
    if (message instanceof zeps.wire.zmtp.Greeting) {
      final zeps.wire.zmtp.Greeting.View view = new zeps.wire.zmtp.Greeting.View().read(frame);
      return new zeps.wire.zmtp.Greeting.Writer()
          .major(view.major())
          .minor(view.minor())
          .mechanism(view.mechanism())
          .asServer(view.asServer())
          .encode();
    }
    if (message instanceof zeps.wire.zmtp.Error) {
      final zeps.wire.zmtp.Error.View view = new zeps.wire.zmtp.Error.View().read(frame);
      return new zeps.wire.zmtp.Error.Writer().reason(view.reason()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Ping) {
      final zeps.wire.zmtp.Ping.View view = new zeps.wire.zmtp.Ping.View().read(frame);
      return new zeps.wire.zmtp.Ping.Writer().ttl(view.ttl()).context(view.context()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Pong) {
      final zeps.wire.zmtp.Pong.View view = new zeps.wire.zmtp.Pong.View().read(frame);
      return new zeps.wire.zmtp.Pong.Writer().context(view.context()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Subscribe) {
      final zeps.wire.zmtp.Subscribe.View view = new zeps.wire.zmtp.Subscribe.View().read(frame);
      return new zeps.wire.zmtp.Subscribe.Writer().topic(view.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Cancel) {
      final zeps.wire.zmtp.Cancel.View view = new zeps.wire.zmtp.Cancel.View().read(frame);
      return new zeps.wire.zmtp.Cancel.Writer().topic(view.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Subscription) {
      final zeps.wire.zmtp.Subscription.View view =
          new zeps.wire.zmtp.Subscription.View().read(frame);
      return new zeps.wire.zmtp.Subscription.Writer().topic(view.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.Cancellation) {
      final zeps.wire.zmtp.Cancellation.View view =
          new zeps.wire.zmtp.Cancellation.View().read(frame);
      return new zeps.wire.zmtp.Cancellation.Writer().topic(view.topic()).encode();
    }
    if (message instanceof zeps.wire.zmtp.SubscribeX) {
      final zeps.wire.zmtp.SubscribeX.View view = new zeps.wire.zmtp.SubscribeX.View().read(frame);
      return new zeps.wire.zmtp.SubscribeX.Writer()
          .kind(view.kind())
          .filter(view.filter())
          .encode();
    }
    if (message instanceof zeps.wire.zmtp.CancelX) {
      final zeps.wire.zmtp.CancelX.View view = new zeps.wire.zmtp.CancelX.View().read(frame);
      return new zeps.wire.zmtp.CancelX.Writer().kind(view.kind()).filter(view.filter()).encode();
    }
    if (message instanceof zeps.wire.zmtp.SubscriptionX) {
      final zeps.wire.zmtp.SubscriptionX.View view =
          new zeps.wire.zmtp.SubscriptionX.View().read(frame);
      return new zeps.wire.zmtp.SubscriptionX.Writer()
          .kind(view.kind())
          .filter(view.filter())
          .encode();
    }
    if (message instanceof zeps.wire.zmtp.CancellationX) {
      final zeps.wire.zmtp.CancellationX.View view =
          new zeps.wire.zmtp.CancellationX.View().read(frame);
      return new zeps.wire.zmtp.CancellationX.Writer()
          .kind(view.kind())
          .filter(view.filter())
          .encode();
    }
    return encode(message);
  }

  @Override
  public Object build(String message, List<Value> values) {
    switch (message) {
      case "GREETING":
        {
          final List<Value> found = Codec.fitting(message, values, 4);
          return new zeps.wire.zmtp.Greeting(
              found.get(0).unsignedInt(),
              found.get(1).unsignedInt(),
              found.get(2).raw(),
              found.get(3).unsignedInt());
        }
      case "READY":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp.Ready(found.get(0).hash(Value::rawText));
        }
      case "ERROR":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp.Error(found.get(0).rawText());
        }
      case "PING":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zmtp.Ping(found.get(0).unsignedInt(), found.get(1).raw());
        }
      case "PONG":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp.Pong(found.get(0).raw());
        }
      case "SUBSCRIBE":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp.Subscribe(found.get(0).raw());
        }
      case "CANCEL":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp.Cancel(found.get(0).raw());
        }
      case "SUBSCRIPTION":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp.Subscription(found.get(0).raw());
        }
      case "CANCELLATION":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp.Cancellation(found.get(0).raw());
        }
      case "SUBSCRIBE-X":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zmtp.SubscribeX(found.get(0).unsignedInt(), found.get(1).raw());
        }
      case "CANCEL-X":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zmtp.CancelX(found.get(0).unsignedInt(), found.get(1).raw());
        }
      case "SUBSCRIPTION-X":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zmtp.SubscriptionX(found.get(0).unsignedInt(), found.get(1).raw());
        }
      case "CANCELLATION-X":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zmtp.CancellationX(found.get(0).unsignedInt(), found.get(1).raw());
        }
      default:
        throw new BadRequest("no message is called like this");
    }
  }

  @Override
  public void describe(Object message, Answer answer) {
    if (message instanceof zeps.wire.zmtp.Greeting found) {
      answer.name("GREETING").count(4);
      answer.unsigned(found.major());
      answer.unsigned(found.minor());
      answer.raw(found.mechanism());
      answer.unsigned(found.asServer());
    }
    if (message instanceof zeps.wire.zmtp.Ready found) {
      answer.name("READY").count(1);
      answer.hash(found.properties(), answer::rawText);
    }
    if (message instanceof zeps.wire.zmtp.Error found) {
      answer.name("ERROR").count(1);
      answer.rawText(found.reason());
    }
    if (message instanceof zeps.wire.zmtp.Ping found) {
      answer.name("PING").count(2);
      answer.unsigned(found.ttl());
      answer.raw(found.context());
    }
    if (message instanceof zeps.wire.zmtp.Pong found) {
      answer.name("PONG").count(1);
      answer.raw(found.context());
    }
    if (message instanceof zeps.wire.zmtp.Subscribe found) {
      answer.name("SUBSCRIBE").count(1);
      answer.raw(found.topic());
    }
    if (message instanceof zeps.wire.zmtp.Cancel found) {
      answer.name("CANCEL").count(1);
      answer.raw(found.topic());
    }
    if (message instanceof zeps.wire.zmtp.Subscription found) {
      answer.name("SUBSCRIPTION").count(1);
      answer.raw(found.topic());
    }
    if (message instanceof zeps.wire.zmtp.Cancellation found) {
      answer.name("CANCELLATION").count(1);
      answer.raw(found.topic());
    }
    if (message instanceof zeps.wire.zmtp.SubscribeX found) {
      answer.name("SUBSCRIBE-X").count(2);
      answer.unsigned(found.kind());
      answer.raw(found.filter());
    }
    if (message instanceof zeps.wire.zmtp.CancelX found) {
      answer.name("CANCEL-X").count(2);
      answer.unsigned(found.kind());
      answer.raw(found.filter());
    }
    if (message instanceof zeps.wire.zmtp.SubscriptionX found) {
      answer.name("SUBSCRIPTION-X").count(2);
      answer.unsigned(found.kind());
      answer.raw(found.filter());
    }
    if (message instanceof zeps.wire.zmtp.CancellationX found) {
      answer.name("CANCELLATION-X").count(2);
      answer.unsigned(found.kind());
      answer.raw(found.filter());
    }
  }
}
