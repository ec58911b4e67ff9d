package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;

/** The messages of a protocol by their names in the model. */
final class JournalCodec implements Codec {

  @Override
  public Object decode(byte[] frame) throws DecodeException {
    return zeps.wire.journal.Journal.decode(frame);
  }

  @Override
  public byte[] encode(Object message) {
    return ((zeps.wire.journal.Message) message).encode();
  }

  @Override
  public byte[] write(Object message) {
    if (message instanceof zeps.wire.journal.Segment found) {
      return new zeps.wire.journal.Segment.Writer()
          .firstSequence(found.firstSequence()).created(found.created()).stream(found.stream())
              .encode();
    }
    return encode(message);
  }

  @Override
  public byte[] rewrite(Object message, byte[] frame) throws DecodeException {
    if (message instanceof zeps.wire.journal.Segment) {
      final zeps.wire.journal.Segment.View view = new zeps.wire.journal.Segment.View().read(frame);
      return new zeps.wire.journal.Segment.Writer()
          .firstSequence(view.firstSequence()).created(view.created()).stream(view.streamOctets())
              .encode();
    }
    return encode(message);
  }

  @Override
  public Object build(String message, List<Value> values) {
    switch (message) {
      case "SEGMENT":
        {
          final List<Value> found = Codec.fitting(message, values, 3);
          return new zeps.wire.journal.Segment(
              found.get(0).unsigned(), found.get(1).unsigned(), found.get(2).text());
        }
      case "BLOCK":
        {
          final List<Value> found = Codec.fitting(message, values, 12);
          return new zeps.wire.journal.Block(
              found.get(0).unsigned(),
              found.get(1).unsigned(),
              found.get(2).unsigned(),
              found.get(3).unsigned(),
              found.get(4).unsigned(),
              found.get(5).list(item0 -> item0.unsigned()),
              found.get(6).list(item0 -> item0.unsigned()),
              found.get(7).list(item0 -> item0.unsignedInt()),
              found.get(8).list(item0 -> item0.unsigned()),
              found.get(9).list(item0 -> item0.unsigned()),
              found.get(10).raw(),
              found.get(11).raw());
        }
      default:
        throw new BadRequest("no message is called like this");
    }
  }

  @Override
  public void describe(Object message, Answer answer) {
    if (message instanceof zeps.wire.journal.Segment found) {
      answer.name("SEGMENT").count(3);
      answer.unsigned(found.firstSequence());
      answer.unsigned(found.created());
      answer.text(found.stream());
    }
    if (message instanceof zeps.wire.journal.Block found) {
      answer.name("BLOCK").count(12);
      answer.unsigned(found.checksum());
      answer.unsigned(found.indexChecksum());
      answer.unsigned(found.firstSequence());
      answer.unsigned(found.firstTime());
      answer.unsigned(found.lastTime());
      answer.list(found.times(), item0 -> answer.unsigned(item0));
      answer.list(found.ends(), item0 -> answer.unsigned(item0));
      answer.list(found.keyNumbers(), item0 -> answer.unsigned(item0));
      answer.list(found.pageChecksums(), item0 -> answer.unsigned(item0));
      answer.list(found.keyEnds(), item0 -> answer.unsigned(item0));
      answer.raw(found.keys());
      answer.raw(found.frames());
    }
  }
}
