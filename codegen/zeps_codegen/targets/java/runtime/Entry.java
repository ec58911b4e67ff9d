package zeps.wire;

import java.util.Objects;

/**
 * One entry of a hash, which is a list of them: in the order of the wire, equal keys among them.
 *
 * @param <T> what key and value are: text, or octets
 * @param key the key
 * @param value the value
 */
public record Entry<T>(T key, T value) {

  /**
   * Makes an entry.
   *
   * @param key the key
   * @param value the value
   */
  public Entry {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }
}
