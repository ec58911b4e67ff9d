package zeps.wire.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every vector: a request in hexadecimal, and the answer that every language has to give. */
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

  @Test
  void nonsenseGetsAnAnswerToo() throws IOException {
    byte[] input = {0, 0, 0, 0, 0, 0, 0, 1, 'X', 0, 0, 0, 3, 'D', 9, 'a', 0, 0};
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    new Driver().serve(new ByteArrayInputStream(input), output);
    byte[] answers = output.toByteArray();
    int count = 0;
    for (int at = 0; at < answers.length; at += 4 + answers[at + 3], count++) {
      assertEquals('?', answers[at + 4]);
    }
    assertEquals(3, count);
  }

  @Test
  void requestsThatAreTooLargeEndIt() {
    InputStream input = new ByteArrayInputStream(new byte[] {0x7F, 0, 0, 0});
    OutputStream output = new ByteArrayOutputStream();
    assertThrows(BadRequest.class, () -> new Driver().serve(input, output));
  }
}
