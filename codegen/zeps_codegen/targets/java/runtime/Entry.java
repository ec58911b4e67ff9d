package zeps.wire;

import java.util.Objects;

/**
 * An entry of a hash, which is a list of entries in wire order; keys may be equal.
 *
 * @param <T> the type of key and value: text, or bytes
 * @param key the key
 * @param value the value
 */
public record Entry<T>(T key, T value) {

  /**
   * Creates an entry.
   *
   * @param key the key
   * @param value the value
   */
  public Entry {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }
}
