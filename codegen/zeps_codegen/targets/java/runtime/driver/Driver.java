package zeps.wire.driver;

import com.sun.management.ThreadMXBean;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.RemoteException;
import zeps.wire.UnhandledEventException;

/**
 * The package's codecs and machines behind standard input and output, with one answer per request.
 */
public final class Driver {

  private static final int REQUEST_OCTETS_MAX = 64 * 1024 * 1024;
  private static final int BUFFER_OCTETS = 1 << 16;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Map<String, Codec> codecs = Models.codecs();
  private final Map<String, Automaton> machines = Models.machines(codecs);

  /** Creates a driver for all generated codecs and machines. */
  public Driver() {}

  /**
   * Serves requests until the input ends; exits with 2 if a request is too large.
   *
   * @param arguments unused
   * @throws IOException if an answer cannot be written
   */
  public static void main(String[] arguments) throws IOException {
    try {
      new Driver().serve(System.in, System.out);
    } catch (BadRequest error) {
      System.err.println(error.getMessage());
      System.exit(2);
    }
  }

  /** Answers until the input ends. Throws BadRequest if a request is too large. */
  void serve(InputStream from, OutputStream to) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(from, BUFFER_OCTETS));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(to, BUFFER_OCTETS));
    while (true) {
      byte[] request;
      try {
        long size = in.readInt() & 0xFFFFFFFFL;
        if (size > REQUEST_OCTETS_MAX) {
          out.flush();
          throw new BadRequest("a request of " + size + " bytes is too large");
        }
        request = new byte[(int) size];
        in.readFully(request);
      } catch (EOFException end) {
        out.flush();
        return;
      }
      byte[] answer = handle(request);
      out.writeInt(answer.length);
      out.write(answer);
      if (in.available() == 0) {
        out.flush();
      }
    }
  }

  /** The answer to a request. */
  byte[] handle(byte[] octets) {
    try {
      return answer(new Request(octets)).whole();
    } catch (RuntimeException error) {
      String text = error instanceof BadRequest ? error.getMessage() : error.toString();
      return new Answer().tag('?').name(text.replaceAll("[^ -~]", "?")).whole();
    }
  }

  private Answer answer(Request request) {
    int kind = request.octet();
    switch (kind) {
      case 'I':
        request.end();
        return info();
      case 'D':
      case 'd':
        return decode(request, kind == 'd');
      case 'E':
      case 'e':
        return encode(request, kind == 'e');
      case 'b':
        return measure(request);
      case 'M':
        return machine(request);
      default:
        throw new BadRequest("unknown kind of request");
    }
  }

  private Answer info() {
    List<String> names = new ArrayList<>(codecs.keySet());
    names.addAll(machines.keySet());
    Answer answer = new Answer().tag('I').name("java").count(names.size());
    names.forEach(answer::name);
    return answer;
  }

  private Codec codec(Request request) {
    Codec codec = codecs.get(request.name());
    if (codec == null) {
      throw new BadRequest("unknown protocol");
    }
    return codec;
  }

  private Answer decode(Request request, boolean several) {
    Codec codec = codec(request);
    List<byte[]> frames = request.frames(several);
    request.end();
    String direct = null;
    try {
      codec.decodeDirect(frames);
    } catch (RemoteException error) {
      direct = error.getMessage();
    }
    try {
      Object message = codec.decodeFrames(frames);
      Kind kind = codec.of(message);
      Answer answer = new Answer().tag('+');
      kind.describe(message, answer);
      Kind.agree(message.equals(codec.decodeDirect(frames)));
      if (several) {
        return answer.blobs(kind.encodeFrames(message));
      }
      byte[] encoded = kind.encoded(message);
      Kind.agree(Arrays.equals(encoded, kind.rewrite(message, frames.get(0))));
      return answer.blob(encoded);
    } catch (RemoteException error) {
      Kind.agree(error.getMessage().equals(direct));
      return refusal((DecodeException) error);
    }
  }

  /** Decodes repeatedly; the answer has the nanoseconds and the allocated bytes. */
  private Answer measure(Request request) {
    Codec codec = codec(request);
    final int count = request.octet();
    List<byte[]> frames = request.frames(true);
    request.end();
    char verdict = '-';
    final long allocated = THREADS.getCurrentThreadAllocatedBytes();
    final long start = System.nanoTime();
    for (int left = count; left > 0; left--) {
      try {
        codec.decodeFrames(frames);
        verdict = '+';
      } catch (RemoteException error) {
        verdict = '-';
      }
    }
    final long elapsed = System.nanoTime() - start;
    final long more = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    Answer answer = new Answer().tag(verdict);
    answer.unsigned(elapsed);
    answer.unsigned(more);
    return answer;
  }

  private static Answer refusal(DecodeException error) {
    return refusal(error.code(), error.messageName(), error.fieldName());
  }

  private Answer encode(Request request, boolean several) {
    Codec codec = codec(request);
    String name = request.name();
    List<Value> values = request.values();
    request.end();
    try {
      Object message = codec.build(name, values);
      Kind kind = codec.of(message);
      Answer answer = new Answer().tag('+');
      return several
          ? answer.blobs(kind.encodeFrames(message))
          : answer.blob(kind.encoded(message));
    } catch (EncodeException error) {
      return refusal(error.code(), error.messageName(), error.fieldName());
    }
  }

  private static Answer refusal(ErrorCode code, String message, String field) {
    return new Answer().tag('-').name(code.label()).name(message).name(field);
  }

  private Answer machine(Request request) {
    Automaton found = machines.get(request.name());
    if (found == null) {
      throw new BadRequest("unknown machine");
    }
    Automaton.Session session = found.start();
    Answer answer = new Answer().tag('+');
    for (int left = request.count(1); left > 0; left--) {
      session.recorder().begin();
      int kind = request.octet();
      char outcome = step(kind, session, request);
      answer.tag(session.recorder().isRefused() ? 'e' : outcome);
      session.describe(answer);
      if (kind == 't' && outcome != 'x') {
        session.describeDeadline(answer);
      }
    }
    request.end();
    return answer;
  }

  private static char step(int kind, Automaton.Session session, Request request) {
    try {
      switch (kind) {
        case 'm':
        case 'a':
          session.receive(request.frames(kind == 'a'));
          return 't';
        case 'c':
          return session.call(request.name(), request.values()) ? 't' : 'n';
        case 'v':
          session.set(request.name(), request.value());
          return 'v';
        case 'f':
          session.arm("fail", request.name(), request.name());
          return 'v';
        case 'n':
          session.arm("raise", request.name(), request.name());
          return 'v';
        case 'w':
          session.fill(request.name(), request.name(), request.value());
          return 'v';
        case 't':
          return session.advance(request.unsigned()) ? 't' : 'n';
        default:
          throw new BadRequest("unknown kind of step");
      }
    } catch (Automaton.Unknown error) {
      return 'x';
    } catch (RemoteException error) {
      return error instanceof DecodeException ? 'x' : 'u';
    } catch (UnhandledEventException error) {
      return 'h';
    } catch (EncodeException error) {
      return 'e';
    }
  }
}
