package zeps.wire.driver;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** All that was generated, by its names in the models. */
final class Models {

  private Models() {}

  static Map<String, Codec> codecs() {
    Map<String, Codec> found = new LinkedHashMap<>();
    found.put("journal", new JournalCodec());
    found.put("zeps", new ZepsCodec());
    return found;
  }

  static Map<String, Supplier<Session>> machines() {
    Map<String, Supplier<Session>> found = new LinkedHashMap<>();
    found.put("zeps_client", ZepsClientSession::new);
    found.put("zeps_server", ZepsServerSession::new);
    return found;
  }
}
