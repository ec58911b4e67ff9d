package zeps.wire.driver;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Builds an answer. */
final class Answer {

  private static final int NAME_OCTETS_MAX = 255;

  private final ByteArrayOutputStream octets = new ByteArrayOutputStream();

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
    return append(ByteBuffer.allocate(Integer.BYTES).putInt(count).array());
  }

  Answer name(String name) {
    byte[] found = (name == null ? "" : name).getBytes(StandardCharsets.UTF_8);
    octets.write(Math.min(found.length, NAME_OCTETS_MAX));
    octets.write(found, 0, Math.min(found.length, NAME_OCTETS_MAX));
    return this;
  }

  Answer blob(byte[] content) {
    return count(content.length).append(content);
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

  Answer number(char tag, long value) {
    return tag(tag).unsigned(value);
  }

  Answer unsigned(long value) {
    return append(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
  }
}
