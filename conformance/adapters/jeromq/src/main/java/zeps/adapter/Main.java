package zeps.adapter;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Adapter of JeroMQ for the conformance suite: a JSON request per line on standard input, an answer
 * per line on standard output.
 */
public final class Main {

  private static final long CLOSING_MILLIS = 5000;

  private Main() {}

  /**
   * Answers requests until {@code exit} or the end of input.
   *
   * @param arguments none
   * @throws IOException if standard input cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // keeps the library's output apart from the answers
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Adapter adapter = new Adapter()) {
      while (!adapter.isOver()) {
        String line = requests.readLine();
        if (line == null) {
          break;
        }
        answers.println(adapter.answer(line));
      }
      endSoon();
    }
  }

  /**
   * Ends the process even if the library's I/O thread has died, and its context cannot be closed.
   */
  private static void endSoon() {
    Thread last =
        new Thread(
            () -> {
              try {
                Thread.sleep(CLOSING_MILLIS);
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
              Runtime.getRuntime().halt(0);
            });
    last.setDaemon(true);
    last.start();
  }
}
