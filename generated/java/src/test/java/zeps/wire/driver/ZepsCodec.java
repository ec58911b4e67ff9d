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
  public byte[] write(Object message) {
    if (message instanceof zeps.wire.zeps.Attach found) {
      return new zeps.wire.zeps.Attach.Writer().stream(found.stream()).encode();
    }
    if (message instanceof zeps.wire.zeps.Subscribe found) {
      return new zeps.wire.zeps.Subscribe.Writer()
          .pattern(found.pattern())
          .latest(found.latest())
          .encode();
    }
    if (message instanceof zeps.wire.zeps.Publish found) {
      return new zeps.wire.zeps.Publish.Writer().key(found.key()).body(found.body()).encode();
    }
    if (message instanceof zeps.wire.zeps.Deliver found) {
      return new zeps.wire.zeps.Deliver.Writer()
          .sequence(found.sequence())
          .key(found.key())
          .body(found.body())
          .encode();
    }
    if (message instanceof zeps.wire.zeps.Invalid found) {
      return new zeps.wire.zeps.Invalid.Writer().reason(found.reason()).encode();
    }
    return encode(message);
  }

  @Override
  public byte[] rewrite(Object message, byte[] frame) throws DecodeException {
    if (message instanceof zeps.wire.zeps.Attach) {
      final zeps.wire.zeps.Attach.View view = new zeps.wire.zeps.Attach.View().read(frame);
      return new zeps.wire.zeps.Attach.Writer().stream(view.streamOctets()).encode();
    }
    if (message instanceof zeps.wire.zeps.Subscribe) {
      final zeps.wire.zeps.Subscribe.View view = new zeps.wire.zeps.Subscribe.View().read(frame);
      return new zeps.wire.zeps.Subscribe.Writer()
          .pattern(view.patternOctets())
          .latest(view.latest())
          .encode();
    }
    if (message instanceof zeps.wire.zeps.Publish) {
      final zeps.wire.zeps.Publish.View view = new zeps.wire.zeps.Publish.View().read(frame);
      return new zeps.wire.zeps.Publish.Writer().key(view.keyOctets()).body(view.body()).encode();
    }
    if (message instanceof zeps.wire.zeps.Deliver) {
      final zeps.wire.zeps.Deliver.View view = new zeps.wire.zeps.Deliver.View().read(frame);
      return new zeps.wire.zeps.Deliver.Writer()
          .sequence(view.sequence())
          .key(view.keyOctets())
          .body(view.body())
          .encode();
    }
    if (message instanceof zeps.wire.zeps.Invalid) {
      final zeps.wire.zeps.Invalid.View view = new zeps.wire.zeps.Invalid.View().read(frame);
      return new zeps.wire.zeps.Invalid.Writer().reason(view.reasonOctets()).encode();
    }
    return encode(message);
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
