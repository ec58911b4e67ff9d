package zeps.example;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import zeps.wire.zeps.OpenCode;

/**
 * An INVALID's reason: {@code code [SP first SP last] SP text}.
 *
 * @param code null if it is none that leaves a session open, or not known
 * @param first the first sequence that it names; 0 if it names none
 * @param last the last one
 * @param reason the whole of it
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
    return new Notice(code, sequence(found.group(2)), sequence(found.group(3)), reason);
  }

  private static long sequence(String text) {
    return text == null ? 0 : Long.parseUnsignedLong(text);
  }

  /** Whether messages from first to last are lost. */
  boolean isGap() {
    return code == OpenCode.RETENTION || code == OpenCode.DAMAGE;
  }

  /** Whether it takes the place of SUBSCRIBE-OK. */
  boolean isRefusal() {
    return code == OpenCode.BAD_PATTERN
        || code == OpenCode.TOO_MANY_SUBSCRIPTIONS
        || code == OpenCode.NOT_RETAINED
        || code == OpenCode.BEYOND_END;
  }

  /** What is missing, as the client says it. */
  String missing() {
    return "missing "
        + Long.toUnsignedString(first)
        + " "
        + Long.toUnsignedString(last)
        + " "
        + code.value();
  }
}
