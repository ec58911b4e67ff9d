package zeps.adapter;

import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/** JeroMQ's proxy between an XSUB and an XPUB, in a thread and a context of its own. */
final class Proxy implements AutoCloseable {

  private final ZMQ.Context context = ZMQ.context(1);
  private final Thread thread = new Thread(this::run, "proxy");
  private final ZMQ.Socket frontend;
  private final ZMQ.Socket backend;

  /** The endpoint that publishers connect to; null when the frontend connects. */
  final String front;

  /** The endpoint that subscribers connect to. */
  final String back;

  /**
   * Starts the proxy.
   *
   * @param publisher the endpoint that the frontend connects to; null: it binds
   */
  Proxy(String publisher) throws Failure {
    frontend = context.socket(SocketType.XSUB);
    backend = context.socket(SocketType.XPUB);
    frontend.setLinger(0);
    backend.setLinger(0);
    back = Adapter.bind(backend);
    if (publisher == null) {
      front = Adapter.bind(frontend);
    } else {
      Failure.unless(frontend.connect(publisher), frontend, "connect");
      front = null;
    }
    thread.start();
  }

  private void run() {
    try {
      ZMQ.proxy(frontend, backend, null);
    } catch (ZMQException error) {
      System.err.println("proxy: " + error);
    } finally {
      frontend.close();
      backend.close();
    }
  }

  /** Stops the proxy: the library's proxy returns when its context is terminated. */
  @Override
  public void close() {
    context.term();
  }
}
