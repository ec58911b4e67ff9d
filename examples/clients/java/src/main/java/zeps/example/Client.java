package zeps.example;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import zeps.wire.DecodeException;
import zeps.wire.RemoteException;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.Zeps;

/**
 * A ZEPS client over JeroMQ, on the generated client machine.
 *
 * <pre>
 * Client ENDPOINT STREAM COUNT
 * </pre>
 *
 * <p>It attaches to STREAM, subscribes to everything under demo/, publishes COUNT messages with
 * keys demo/1, demo/2 and so on, receives them all back, detaches, and prints how many came and
 * with which sequences.
 */
public final class Client {

  private static final long PATIENCE_MILLIS = 30_000;
  private static final int HEARTBEAT_MILLIS = 2_000;

  /**
   * JeroMQ now and then never greets on a connection that it has made; it is made anew after this.
   */
  private static final int HANDSHAKE_MILLIS = 1_000;

  private Client() {}

  /**
   * Does the whole job; exits with 1 if it fails, and with 2 if it does not know what to do.
   *
   * @param arguments ENDPOINT, STREAM and COUNT
   */
  public static void main(String[] arguments) {
    if (arguments.length != 3 || !arguments[2].matches("[0-9]{1,9}")) {
      System.err.println("usage: Client ENDPOINT STREAM COUNT");
      System.exit(2);
    }
    int count = Integer.parseInt(arguments[2]);
    try {
      Session session = run(arguments[0], arguments[1], count);
      System.out.printf(
          "received %d messages, sequences %s..%s%n",
          count, Long.toUnsignedString(session.first()), Long.toUnsignedString(session.last()));
    } catch (Session.Failure failure) {
      System.err.println("client: " + failure.getMessage());
      System.exit(1);
    }
  }

  private static Session run(String endpoint, String stream, int count) throws Session.Failure {
    try (ZContext context = new ZContext()) {
      ZMQ.Socket socket = context.createSocket(SocketType.DEALER);
      socket.setLinger(1_000);
      socket.setReceiveTimeOut(HEARTBEAT_MILLIS);
      socket.setHandshakeIvl(HANDSHAKE_MILLIS);
      socket.connect(endpoint);
      Session session = new Session(socket::send, count);
      session.machine().open(stream);
      long limit = System.currentTimeMillis() + PATIENCE_MILLIS;
      while (!session.isOver()) {
        if (System.currentTimeMillis() > limit) {
          throw new Session.Failure("the broker takes too long");
        }
        byte[] frame = socket.recv();
        if (frame == null) {
          session.machine().heartbeat();
        } else {
          take(session, frame);
        }
      }
      session.judge();
      return session;
    }
  }

  private static void take(Session session, byte[] frame) throws Session.Failure {
    try {
      Message message = Zeps.decode(frame);
      session.machine().receive(message);
    } catch (DecodeException error) {
      session.machine().malformed();
    } catch (RemoteException error) {
      throw new Session.Failure(error.getMessage());
    }
    session.goOn();
  }
}
