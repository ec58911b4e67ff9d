package zeps.wire.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the answer to every vector's request with the expected answer. */
final class VectorsTest {

  private static final String VECTORS = "requests.tsv";
  private static final int SHOWN_MAX = 10;

  @Test
  void everyRequestGetsItsAnswer() throws IOException {
    Driver driver = new Driver();
    List<String> lines;
    try (InputStream vectors = VectorsTest.class.getResourceAsStream(VECTORS)) {
      lines = new String(vectors.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    List<String> wrong = new ArrayList<>();
    for (String line : lines) {
      String[] parts = line.split("\t", -1);
      String answer = HexFormat.of().formatHex(driver.handle(HexFormat.of().parseHex(parts[1])));
      if (!answer.equals(parts[2]) && wrong.size() < SHOWN_MAX) {
        wrong.add(
            parts[0] + "\n  request " + parts[1] + "\n  wanted " + parts[2] + "\n  got " + answer);
      }
    }
    assertFalse(lines.isEmpty(), "there are no vectors");
    assertEquals("", String.join("\n", wrong));
  }
}
