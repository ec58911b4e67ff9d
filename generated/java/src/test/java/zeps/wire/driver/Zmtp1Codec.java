package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;

/** The messages of a protocol by their names in the model. */
final class Zmtp1Codec implements Codec {

  @Override
  public Object decode(byte[] frame) throws DecodeException {
    return zeps.wire.zmtp1.Zmtp1.decode(frame);
  }

  @Override
  public byte[] encode(Object message) {
    return ((zeps.wire.zmtp1.Message) message).encode();
  }

  @Override
  public byte[] write(Object message) {
    if (message instanceof zeps.wire.zmtp1.Frame found) {
      return new zeps.wire.zmtp1.Frame.Writer().content(found.content()).encode();
    }
    return encode(message);
  }

  @Override
  public byte[] rewrite(Object message, byte[] frame) throws DecodeException {
    if (message instanceof zeps.wire.zmtp1.Frame) {
      final zeps.wire.zmtp1.Frame.View view = new zeps.wire.zmtp1.Frame.View().read(frame);
      return new zeps.wire.zmtp1.Frame.Writer().content(view.content()).encode();
    }
    return encode(message);
  }

  @Override
  public Object build(String message, List<Value> values) {
    switch (message) {
      case "FRAME":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtp1.Frame(found.get(0).raw());
        }
      default:
        throw new BadRequest("no message is called like this");
    }
  }

  @Override
  public void describe(Object message, Answer answer) {
    if (message instanceof zeps.wire.zmtp1.Frame found) {
      answer.name("FRAME").count(1);
      answer.raw(found.content());
    }
  }
}
