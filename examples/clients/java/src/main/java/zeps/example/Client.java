package zeps.example;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.RemoteException;
import zeps.wire.zeps.Zeps;
import zeps.wire.zepsclient.ClientMachine;
import zeps.wire.zepsclient.State;

/**
 * A ZEPS client over JeroMQ, on the generated client machine.
 *
 * <pre>
 * Client ENDPOINT STREAM COUNT [PATTERN [LATEST]]
 * </pre>
 *
 * <p>It attaches to STREAM, subscribes to PATTERN (demo/) from LATEST (0) on, publishes COUNT
 * messages with keys demo/1, demo/2 and so on, receives them all back, detaches, and prints their
 * number and their sequences.
 */
public final class Client {

  private static final int QUIET_MILLIS = 1_000;
  private static final int SEND_MILLIS = 10_000;

  /** Maximum number of receive timeouts, in general and while waiting for an answer. */
  private static final int SILENCE_MAX = 30;

  private static final int ANSWER_MAX = 3;

  /**
   * JeroMQ sometimes does not send its greeting on a new connection. It reconnects after this time.
   */
  private static final int HANDSHAKE_MILLIS = 1_000;

  private final ZContext context;
  private final String endpoint;
  private final String stream;
  private final Session session;
  private ZMQ.Socket socket;
  private int waited;

  private Client(ZContext context, String endpoint, String stream, Session session) {
    this.context = context;
    this.endpoint = endpoint;
    this.stream = stream;
    this.session = session;
  }

  /**
   * Runs the client. Exits with 1 if it fails, and with 2 for a usage error.
   *
   * @param arguments ENDPOINT, STREAM, COUNT, PATTERN and LATEST
   */
  public static void main(String[] arguments) {
    int given = arguments.length;
    if (given < 3
        || given > 5
        || !arguments[2].matches("[0-9]{1,9}")
        || given == 5 && !isSequence(arguments[4])) {
      System.err.println("usage: Client ENDPOINT STREAM COUNT [PATTERN [LATEST]]");
      System.exit(2);
    }
    String pattern = given > 3 ? arguments[3] : Session.PREFIX;
    long latest = given > 4 ? Long.parseUnsignedLong(arguments[4]) : Zeps.LATEST_ALL;
    Session session = new Session(Integer.parseInt(arguments[2]), pattern, latest);
    try (ZContext context = new ZContext()) {
      new Client(context, arguments[0], arguments[1], session).run();
      System.out.println(session.report());
    } catch (Session.Failure | EncodeException failure) {
      System.err.println("client: " + failure.getMessage());
      System.exit(1);
    }
  }

  private static boolean isSequence(String text) {
    try {
      Long.parseUnsignedLong(text);
      return text.matches("[0-9]+");
    } catch (NumberFormatException error) {
      return false;
    }
  }

  /** Receives until the session is over; sends PING, or attaches again, if the broker is silent. */
  private void run() throws Session.Failure {
    attach();
    int silent = 0;
    while (!session.isOver()) {
      byte[] frame = socket.recv();
      if (frame != null) {
        silent = 0;
        waited = 0;
        take(frame);
      } else if (++silent == SILENCE_MAX) {
        throw new Session.Failure("the broker does not answer");
      } else if (machine().state() == State.OPEN || ++waited < ANSWER_MAX) {
        machine().heartbeat();
      } else {
        machine().expired();
      }
      if (session.takeLoss()) {
        attach();
      }
      session.goOn();
    }
    session.judge();
  }

  private ClientMachine machine() {
    return session.machine();
  }

  /** Attaches over a new connection: data queued in the old one does not reach the new session. */
  private void attach() {
    if (socket != null) {
      socket.setLinger(0);
      socket.close();
    }
    socket = context.createSocket(SocketType.DEALER);
    socket.setLinger(1_000);
    socket.setReceiveTimeOut(QUIET_MILLIS);
    socket.setSendTimeOut(SEND_MILLIS);
    socket.setHandshakeIvl(HANDSHAKE_MILLIS);
    socket.connect(endpoint);
    session.useSocket(socket::send);
    waited = 0;
    machine().open(stream);
  }

  private void take(byte[] frame) throws Session.Failure {
    try {
      machine().receive(Zeps.decode(frame));
    } catch (DecodeException error) {
      machine().malformed();
    } catch (RemoteException error) {
      throw new Session.Failure(error.getMessage());
    }
  }
}
