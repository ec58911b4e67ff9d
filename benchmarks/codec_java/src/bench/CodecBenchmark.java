package bench;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import zeps.wire.Octets;
import zeps.wire.zeps.Deliver;
import zeps.wire.zeps.Zeps;

/**
 * Measures the time to encode and to decode one DELIVER with a 16-byte key and a 250-byte body.
 *
 * <p>Every loop is a separate method, so that each is compiled separately. After a warm-up, all
 * alternate, so that a busy machine slows all of them. Prints the median of each as a line of JSON.
 * Arguments: runs, and messages per run.
 */
public final class CodecBenchmark {

  private static final int KEYS = 64;

  /** Keys and frames that the compiler cannot treat as constants. */
  private static final String[] KEY = new String[KEYS];

  /** The same keys as existing bytes, like those of a received frame. */
  private static final byte[][] KEY_OCTETS = new byte[KEYS][];

  private static final ByteString[] KEY_STRINGS = new ByteString[KEYS];

  private static final byte[] BODY = new byte[250];
  private static final long SEQUENCE = 1L << 40;
  private static final int WARM_UPS = 5;

  private static final byte[] BUFFER = new byte[512];
  private static final byte[][] FRAMES = new byte[KEYS][];
  private static final byte[][] PROTOBUFS = new byte[KEYS][];

  /** Results of the loops, stored so that the compiler cannot remove the work. */
  private static Object made;

  private static long sum;

  private CodecBenchmark() {}

  private interface Loop {
    void run(int count) throws Exception;
  }

  /** Runs the benchmark. */
  public static void main(String[] arguments) throws Exception {
    int runs = Integer.parseInt(arguments[0]);
    int count = Integer.parseInt(arguments[1]);
    for (int i = 0; i < BODY.length; i++) {
      BODY[i] = (byte) i;
    }
    for (int i = 0; i < KEYS; i++) {
      KEY[i] = String.format("NASDAQ.AAPL.%04d", i);
      KEY_OCTETS[i] = KEY[i].getBytes(StandardCharsets.UTF_8);
      KEY_STRINGS[i] = ByteString.copyFrom(KEY_OCTETS[i]);
      FRAMES[i] = new Deliver(SEQUENCE + i, KEY[i], Octets.wrap(BODY)).encode();
      PROTOBUFS[i] = message(i, ByteString.copyFrom(BODY)).toByteArray();
    }
    Map<String, Loop> loops = new LinkedHashMap<>();
    loops.put("zeps encode", CodecBenchmark::zepsEncode);
    loops.put("zeps encode, new array", CodecBenchmark::zepsEncodeNew);
    loops.put("zeps encode, writer, key as octets", CodecBenchmark::zepsWriter);
    loops.put("protobuf encode", CodecBenchmark::protobufEncode);
    loops.put("protobuf encode, key as octets", CodecBenchmark::protobufEncodeOctets);
    loops.put("protobuf encode, body wrapped", CodecBenchmark::protobufEncodeWrapped);
    loops.put("protobuf encode, body wrapped, reused buffer", CodecBenchmark::protobufEncodeReused);
    loops.put("zeps decode", CodecBenchmark::zepsView);
    loops.put("zeps decode, view, its string and octets made", CodecBenchmark::zepsViewRead);
    loops.put("zeps decode, record", CodecBenchmark::zepsDecode);
    loops.put("protobuf decode", CodecBenchmark::protobufDecode);
    Map<String, double[]> times = new LinkedHashMap<>();
    for (int run = -WARM_UPS; run < runs; run++) {
      for (Map.Entry<String, Loop> loop : loops.entrySet()) {
        long start = System.nanoTime();
        loop.getValue().run(count);
        double each = (System.nanoTime() - start) / (double) count;
        if (run >= 0) {
          times.computeIfAbsent(loop.getKey(), name -> new double[runs])[run] = each;
        }
      }
    }
    times.forEach(CodecBenchmark::print);
    if (sum == 0 || made == null) {
      throw new AssertionError("the loops have no results");
    }
  }

  private static void print(String what, double[] times) {
    double[] sorted = times.clone();
    Arrays.sort(sorted);
    double median = sorted[sorted.length / 2];
    System.out.printf(
        "{\"what\": \"%s\", \"ns\": %.2f, \"runs\": %s}%n", what, median, Arrays.toString(times));
  }

  private static Protobuf.Deliver message(int i, ByteString body) {
    return Protobuf.Deliver.newBuilder()
        .setSequence(SEQUENCE + i)
        .setKey(KEY[i % KEYS])
        .setBody(body)
        .build();
  }

  private static void zepsEncode(int count) {
    for (int i = 0; i < count; i++) {
      sum += new Deliver(SEQUENCE + i, KEY[i % KEYS], Octets.wrap(BODY)).encodeTo(BUFFER, 0);
    }
  }

  private static void zepsEncodeNew(int count) {
    for (int i = 0; i < count; i++) {
      made = new Deliver(SEQUENCE + i, KEY[i % KEYS], Octets.wrap(BODY)).encode();
    }
  }

  private static void zepsWriter(int count) {
    Deliver.Writer writer = new Deliver.Writer();
    for (int i = 0; i < count; i++) {
      byte[] key = KEY_OCTETS[i % KEYS];
      writer.sequence(SEQUENCE + i).key(key, 0, key.length).body(BODY, 0, BODY.length);
      sum += writer.encodeTo(BUFFER, 0);
    }
  }

  private static void protobufEncode(int count) {
    for (int i = 0; i < count; i++) {
      made = message(i, ByteString.copyFrom(BODY)).toByteArray();
    }
  }

  private static void protobufEncodeOctets(int count) {
    for (int i = 0; i < count; i++) {
      Protobuf.Deliver.Builder builder = Protobuf.Deliver.newBuilder();
      builder.setSequence(SEQUENCE + i).setKeyBytes(KEY_STRINGS[i % KEYS]);
      made = builder.setBody(ByteString.copyFrom(BODY)).build().toByteArray();
    }
  }

  private static void protobufEncodeWrapped(int count) {
    for (int i = 0; i < count; i++) {
      made = message(i, UnsafeByteOperations.unsafeWrap(BODY)).toByteArray();
    }
  }

  private static void protobufEncodeReused(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      CodedOutputStream out = CodedOutputStream.newInstance(BUFFER);
      message(i, UnsafeByteOperations.unsafeWrap(BODY)).writeTo(out);
      sum += out.getTotalBytesWritten();
    }
  }

  private static void zepsView(int count) throws Exception {
    Deliver.View view = new Deliver.View();
    for (int i = 0; i < count; i++) {
      view.read(FRAMES[i % KEYS]);
      sum += view.sequence() + view.keyLength() + view.bodyLength();
    }
  }

  private static void zepsViewRead(int count) throws Exception {
    Deliver.View view = new Deliver.View();
    for (int i = 0; i < count; i++) {
      view.read(FRAMES[i % KEYS]);
      made = view.key();
      made = view.body();
      sum += view.sequence();
    }
  }

  private static void zepsDecode(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      made = Zeps.decode(FRAMES[i % KEYS]);
    }
  }

  private static void protobufDecode(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      made = Protobuf.Deliver.parseFrom(PROTOBUFS[i % KEYS]);
    }
  }
}
