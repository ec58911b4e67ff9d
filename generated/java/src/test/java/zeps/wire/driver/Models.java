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
    found.put("zmtp", new ZmtpCodec());
    found.put("zmtp_1", new Zmtp1Codec());
    found.put("zmtp_2", new Zmtp2Codec());
    found.put("zmtp_frame", new ZmtpFrameCodec());
    return found;
  }

  static Map<String, Supplier<Session>> machines() {
    Map<String, Supplier<Session>> found = new LinkedHashMap<>();
    found.put("zeps_client", ZepsClientSession::new);
    found.put("zeps_server", ZepsServerSession::new);
    found.put("zmtp_publisher", ZmtpPublisherSession::new);
    found.put("zmtp_subscriber", ZmtpSubscriberSession::new);
    return found;
  }
}
