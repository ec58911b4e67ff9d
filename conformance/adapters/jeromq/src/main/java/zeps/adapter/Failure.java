package zeps.adapter;

import org.zeromq.ZMQ;

/** A failed request; the text is the reason. */
class Failure extends Exception {

  private static final long serialVersionUID = 1;

  Failure(String text) {
    super(text);
  }

  /** JeroMQ reports failures by a boolean in some places, and by an exception in others. */
  static void unless(boolean done, ZMQ.Socket socket, String what) throws Failure {
    if (!done) {
      throw new Failure(what + ": " + ZMQ.Error.findByCode(socket.errno()).getMessage());
    }
  }

  /** A feature that JeroMQ lacks. */
  static final class Unsupported extends Failure {

    private static final long serialVersionUID = 1;

    Unsupported(String text) {
      super(text);
    }
  }
}
