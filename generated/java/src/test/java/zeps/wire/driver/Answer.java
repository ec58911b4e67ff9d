package zeps.wire.driver;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

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

  Answer blobs(List<byte[]> contents) {
    count(contents.size());
    contents.forEach(this::blob);
    return this;
  }

  Answer append(byte[] content) {
    octets.writeBytes(content);
    return this;
  }

  void number(char tag, long value) {
    tag(tag).unsigned(value);
  }

  void unsigned(long value) {
    try {
      out.writeLong(value);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
