package zeps.wire.driver;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import zeps.wire.Entry;
import zeps.wire.Octets;

/** Gathers an answer. */
final class Answer {

  private static final int NAME_OCTETS_MAX = 255;

  private final ByteArrayOutputStream octets = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(octets);

  byte[] whole() {
    return octets.toByteArray();
  }

  Answer tag(char tag) {
    octets.write(tag);
    return this;
  }

  Answer flag(boolean value) {
    octets.write(value ? 1 : 0);
    return this;
  }

  Answer count(int count) {
    try {
      out.writeInt(count);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return this;
  }

  Answer name(String name) {
    byte[] found = (name == null ? "" : name).getBytes(StandardCharsets.UTF_8);
    octets.write(Math.min(found.length, NAME_OCTETS_MAX));
    octets.write(found, 0, Math.min(found.length, NAME_OCTETS_MAX));
    return this;
  }

  Answer blob(byte[] content) {
    count(content.length);
    octets.writeBytes(content);
    return this;
  }

  Answer append(byte[] content) {
    octets.writeBytes(content);
    return this;
  }

  void unsigned(long value) {
    number('u', value);
  }

  void signed(long value) {
    number('i', value);
  }

  void truth(boolean value) {
    number('u', value ? 1 : 0);
  }

  void text(String value) {
    tag('s').blob(value.getBytes(StandardCharsets.UTF_8));
  }

  void rawText(Octets value) {
    tag('s').blob(value.toByteArray());
  }

  void raw(Octets value) {
    tag('b').blob(value.toByteArray());
  }

  <T> void list(List<T> values, Consumer<T> each) {
    tag('l').count(values.size());
    values.forEach(each);
  }

  <T> void hash(List<Entry<T>> entries, Consumer<T> each) {
    tag('h').count(entries.size());
    for (Entry<T> entry : entries) {
      each.accept(entry.key());
      each.accept(entry.value());
    }
  }

  private void number(char tag, long value) {
    tag(tag);
    try {
      out.writeLong(value);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
