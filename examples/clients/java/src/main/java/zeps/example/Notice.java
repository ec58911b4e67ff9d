package zeps.example;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import zeps.wire.zeps.OpenCode;

/**
 * The reason of an INVALID: {@code code [SP first SP last] SP text}.
 *
 * @param code null if the code is unknown or ends the session
 * @param first the first sequence of its range; 0 without a range
 * @param last the last sequence of its range; 0 without a range
 * @param reason the complete text
 */
record Notice(OpenCode code, long first, long last, String reason) {

  private static final Pattern FORM =
      Pattern.compile("([a-z-]+)(?: ([0-9]{1,20}) ([0-9]{1,20}))? .*", Pattern.DOTALL);

  static Notice of(String reason) {
    Matcher found = FORM.matcher(reason);
    if (!found.matches()) {
      return new Notice(null, 0, 0, reason);
    }
    OpenCode code = OpenCode.of(found.group(1));
    try {
      return new Notice(code, sequence(found.group(2)), sequence(found.group(3)), reason);
    } catch (NumberFormatException error) { // more than 64 bits
      return new Notice(null, 0, 0, reason);
    }
  }

  private static long sequence(String text) {
    return text == null ? 0 : Long.parseUnsignedLong(text);
  }

  /** Whether messages from first to last are lost. */
  boolean isGap() {
    return code == OpenCode.RETENTION || code == OpenCode.DAMAGE;
  }

  /** Whether it refuses a SUBSCRIBE. */
  boolean isRefusal() {
    return code == OpenCode.BAD_PATTERN
        || code == OpenCode.TOO_MANY_SUBSCRIPTIONS
        || code == OpenCode.NOT_RETAINED
        || code == OpenCode.BEYOND_END;
  }

  /** The missing range, as the client prints it. */
  String missing() {
    return "missing "
        + Long.toUnsignedString(first)
        + " "
        + Long.toUnsignedString(last)
        + " "
        + code.value();
  }
}
