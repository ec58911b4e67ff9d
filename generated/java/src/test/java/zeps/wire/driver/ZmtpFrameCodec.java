package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;

/** The messages of a protocol by their names in the model. */
final class ZmtpFrameCodec implements Codec {

  @Override
  public Object decode(byte[] frame) throws DecodeException {
    return zeps.wire.zmtpframe.ZmtpFrame.decode(frame);
  }

  @Override
  public byte[] encode(Object message) {
    return ((zeps.wire.zmtpframe.Message) message).encode();
  }

  @Override
  public byte[] write(Object message) {
    if (message instanceof zeps.wire.zmtpframe.Last found) {
      return new zeps.wire.zmtpframe.Last.Writer().body(found.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.More found) {
      return new zeps.wire.zmtpframe.More.Writer().body(found.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.LongLast found) {
      return new zeps.wire.zmtpframe.LongLast.Writer().body(found.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.LongMore found) {
      return new zeps.wire.zmtpframe.LongMore.Writer().body(found.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.Command found) {
      return new zeps.wire.zmtpframe.Command.Writer().body(found.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.LongCommand found) {
      return new zeps.wire.zmtpframe.LongCommand.Writer().body(found.body()).encode();
    }
    return encode(message);
  }

  @Override
  public byte[] rewrite(Object message, byte[] frame) throws DecodeException {
    if (message instanceof zeps.wire.zmtpframe.Last) {
      final zeps.wire.zmtpframe.Last.View view = new zeps.wire.zmtpframe.Last.View().read(frame);
      return new zeps.wire.zmtpframe.Last.Writer().body(view.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.More) {
      final zeps.wire.zmtpframe.More.View view = new zeps.wire.zmtpframe.More.View().read(frame);
      return new zeps.wire.zmtpframe.More.Writer().body(view.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.LongLast) {
      final zeps.wire.zmtpframe.LongLast.View view =
          new zeps.wire.zmtpframe.LongLast.View().read(frame);
      return new zeps.wire.zmtpframe.LongLast.Writer().body(view.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.LongMore) {
      final zeps.wire.zmtpframe.LongMore.View view =
          new zeps.wire.zmtpframe.LongMore.View().read(frame);
      return new zeps.wire.zmtpframe.LongMore.Writer().body(view.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.Command) {
      final zeps.wire.zmtpframe.Command.View view =
          new zeps.wire.zmtpframe.Command.View().read(frame);
      return new zeps.wire.zmtpframe.Command.Writer().body(view.body()).encode();
    }
    if (message instanceof zeps.wire.zmtpframe.LongCommand) {
      final zeps.wire.zmtpframe.LongCommand.View view =
          new zeps.wire.zmtpframe.LongCommand.View().read(frame);
      return new zeps.wire.zmtpframe.LongCommand.Writer().body(view.body()).encode();
    }
    return encode(message);
  }

  @Override
  public Object build(String message, List<Value> values) {
    switch (message) {
      case "LAST":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtpframe.Last(found.get(0).raw());
        }
      case "MORE":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtpframe.More(found.get(0).raw());
        }
      case "LONG-LAST":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtpframe.LongLast(found.get(0).raw());
        }
      case "LONG-MORE":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtpframe.LongMore(found.get(0).raw());
        }
      case "COMMAND":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtpframe.Command(found.get(0).raw());
        }
      case "LONG-COMMAND":
        {
          final List<Value> found = Codec.fitting(message, values, 1);
          return new zeps.wire.zmtpframe.LongCommand(found.get(0).raw());
        }
      default:
        throw new BadRequest("no message is called like this");
    }
  }

  @Override
  public void describe(Object message, Answer answer) {
    if (message instanceof zeps.wire.zmtpframe.Last found) {
      answer.name("LAST").count(1);
      answer.raw(found.body());
    }
    if (message instanceof zeps.wire.zmtpframe.More found) {
      answer.name("MORE").count(1);
      answer.raw(found.body());
    }
    if (message instanceof zeps.wire.zmtpframe.LongLast found) {
      answer.name("LONG-LAST").count(1);
      answer.raw(found.body());
    }
    if (message instanceof zeps.wire.zmtpframe.LongMore found) {
      answer.name("LONG-MORE").count(1);
      answer.raw(found.body());
    }
    if (message instanceof zeps.wire.zmtpframe.Command found) {
      answer.name("COMMAND").count(1);
      answer.raw(found.body());
    }
    if (message instanceof zeps.wire.zmtpframe.LongCommand found) {
      answer.name("LONG-COMMAND").count(1);
      answer.raw(found.body());
    }
  }
}
