package zeps.adapter;

import org.zeromq.ZMQ;

/** A request that could not be done; the text tells why. */
class Failure extends Exception {

  private static final long serialVersionUID = 1;

  Failure(String text) {
    super(text);
  }

  /** JeroMQ tells failures by a boolean in some places, and by an exception in others. */
  static void unless(boolean done, ZMQ.Socket socket, String what) throws Failure {
    if (!done) {
      throw new Failure(what + ": " + ZMQ.Error.findByCode(socket.errno()).getMessage());
    }
  }

  /** Something that JeroMQ cannot do. */
  static final class Unsupported extends Failure {

    private static final long serialVersionUID = 1;

    Unsupported(String text) {
      super(text);
    }
  }
}
