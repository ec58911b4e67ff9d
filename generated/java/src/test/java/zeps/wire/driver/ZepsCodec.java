package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;

/** The messages of a protocol by their names in the model. */
final class ZepsCodec implements Codec {

  @Override
  public Object decode(byte[] frame) throws DecodeException {
    return zeps.wire.zeps.Zeps.decode(frame);
  }

  @Override
  public byte[] encode(Object message) {
    return ((zeps.wire.zeps.Message) message).encode();
  }

  @Override
  public Object build(String message, List<Value> values) {
    switch (message) {
      case "ATTACH":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zeps.Attach(found.get(0).text());
        }
      case "ATTACH-OK":
        {
          Codec.fitting(message, values, 0);
          return new zeps.wire.zeps.AttachOk();
        }
      case "SUBSCRIBE":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zeps.Subscribe(found.get(0).text(), found.get(1).unsigned());
        }
      case "SUBSCRIBE-OK":
        {
          Codec.fitting(message, values, 0);
          return new zeps.wire.zeps.SubscribeOk();
        }
      case "CREDIT":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zeps.Credit(found.get(0).unsigned());
        }
      case "PUBLISH":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zeps.Publish(found.get(0).text(), found.get(1).raw());
        }
      case "DELIVER":
        {
          final List<Value> found = Codec.fitting(message, values, 3);
          return new zeps.wire.zeps.Deliver(
              found.get(0).unsigned(), found.get(1).text(), found.get(2).raw());
        }
      case "PING":
        {
          Codec.fitting(message, values, 0);
          return new zeps.wire.zeps.Ping();
        }
      case "PING-OK":
        {
          Codec.fitting(message, values, 0);
          return new zeps.wire.zeps.PingOk();
        }
      case "DETACH":
        {
          Codec.fitting(message, values, 0);
          return new zeps.wire.zeps.Detach();
        }
      case "DETACH-OK":
        {
          Codec.fitting(message, values, 0);
          return new zeps.wire.zeps.DetachOk();
        }
      case "INVALID":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zeps.Invalid(found.get(0).text());
        }
      default:
        throw new BadRequest("no message is called like this");
    }
  }

  @Override
  public void describe(Object message, Answer answer) {
    if (message instanceof zeps.wire.zeps.Attach found) {
      answer.name("ATTACH").count(1);
      answer.text(found.stream());
    }
    if (message instanceof zeps.wire.zeps.AttachOk) {
      answer.name("ATTACH-OK").count(0);
    }
    if (message instanceof zeps.wire.zeps.Subscribe found) {
      answer.name("SUBSCRIBE").count(2);
      answer.text(found.pattern());
      answer.unsigned(found.latest());
    }
    if (message instanceof zeps.wire.zeps.SubscribeOk) {
      answer.name("SUBSCRIBE-OK").count(0);
    }
    if (message instanceof zeps.wire.zeps.Credit found) {
      answer.name("CREDIT").count(1);
      answer.unsigned(found.credit());
    }
    if (message instanceof zeps.wire.zeps.Publish found) {
      answer.name("PUBLISH").count(2);
      answer.text(found.key());
      answer.raw(found.body());
    }
    if (message instanceof zeps.wire.zeps.Deliver found) {
      answer.name("DELIVER").count(3);
      answer.unsigned(found.sequence());
      answer.text(found.key());
      answer.raw(found.body());
    }
    if (message instanceof zeps.wire.zeps.Ping) {
      answer.name("PING").count(0);
    }
    if (message instanceof zeps.wire.zeps.PingOk) {
      answer.name("PING-OK").count(0);
    }
    if (message instanceof zeps.wire.zeps.Detach) {
      answer.name("DETACH").count(0);
    }
    if (message instanceof zeps.wire.zeps.DetachOk) {
      answer.name("DETACH-OK").count(0);
    }
    if (message instanceof zeps.wire.zeps.Invalid found) {
      answer.name("INVALID").count(1);
      answer.text(found.reason());
    }
  }
}
