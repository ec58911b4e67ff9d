package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;

/** The messages of a protocol by their names in the model. */
final class Zmtp2Codec implements Codec {

  @Override
  public Object decode(byte[] frame) throws DecodeException {
    return zeps.wire.zmtp2.Zmtp2.decode(frame);
  }

  @Override
  public byte[] encode(Object message) {
    return ((zeps.wire.zmtp2.Message) message).encode();
  }

  @Override
  public byte[] write(Object message) {
    if (message instanceof zeps.wire.zmtp2.Greeting found) {
      return new zeps.wire.zmtp2.Greeting.Writer()
          .socketType(found.socketType())
          .identity(found.identity())
          .encode();
    }
    return encode(message);
  }

  @Override
  public byte[] rewrite(Object message, byte[] frame) throws DecodeException {
    if (message instanceof zeps.wire.zmtp2.Greeting) {
      final zeps.wire.zmtp2.Greeting.View view = new zeps.wire.zmtp2.Greeting.View().read(frame);
      return new zeps.wire.zmtp2.Greeting.Writer()
          .socketType(view.socketType())
          .identity(view.identity())
          .encode();
    }
    return encode(message);
  }

  @Override
  public Object build(String message, List<Value> values) {
    switch (message) {
      case "GREETING":
        {
          final List<Value> found = Codec.fitting(message, values, 2);
          return new zeps.wire.zmtp2.Greeting(
              zeps.wire.zmtp2.SocketType.of(found.get(0).unsigned()), found.get(1).raw());
        }
      default:
        throw new BadRequest("no message is called like this");
    }
  }

  @Override
  public void describe(Object message, Answer answer) {
    if (message instanceof zeps.wire.zmtp2.Greeting found) {
      answer.name("GREETING").count(2);
      answer.unsigned(found.socketType().value());
      answer.raw(found.identity());
    }
  }
}
