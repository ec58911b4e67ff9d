package zeps.adapter;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/** The sockets by the suite's names for them, and the requests. */
final class Adapter implements AutoCloseable {

  private static final List<String> TYPES = List.of("PUB", "XPUB", "SUB", "XSUB");
  private static final HexFormat HEX = HexFormat.of();

  private final ZMQ.Context context = ZMQ.context(1);
  private final Map<String, ZMQ.Socket> sockets = new HashMap<>();
  private final Map<String, Proxy> proxies = new HashMap<>();
  private int proxiesStarted;
  private boolean over;

  boolean isOver() {
    return over;
  }

  /** Executes the request in a line. */
  JsonObject answer(String line) {
    try {
      return perform(Json.parse(line).asObject());
    } catch (Failure.Unsupported reason) {
      return refusal().add("unsupported", reason.getMessage());
    } catch (Failure error) {
      return refusal().add("error", error.getMessage());
    } catch (RuntimeException error) {
      return refusal().add("error", error.toString());
    }
  }

  private JsonObject perform(JsonObject request) throws Failure {
    switch (text(request, "op")) {
      case "hello":
        return hello();
      case "open":
        return open(request);
      case "bind":
        return done().add("endpoint", bind(socket(request)));
      case "unbind":
        return done(socket(request).unbind(text(request, "endpoint")), request);
      case "connect":
        return done(socket(request).connect(text(request, "endpoint")), request);
      case "disconnect":
        return done(socket(request).disconnect(text(request, "endpoint")), request);
      case "subscribe", "unsubscribe":
        return subscribe(request);
      case "send":
        return send(request);
      case "recv":
        return receive(socket(request), request.getInt("timeout", 0));
      case "close":
        return closeSocket(request);
      case "proxy":
        return proxy(request);
      case "proxy_close":
        return closeProxy(text(request, "proxy"));
      case "exit":
        over = true;
        return done();
      default:
        throw new Failure("unknown op " + text(request, "op"));
    }
  }

  private static JsonObject done() {
    return Json.object().add("ok", true);
  }

  private JsonObject done(boolean isDone, JsonObject request) throws Failure {
    Failure.unless(isDone, socket(request), text(request, "op"));
    return done();
  }

  private static JsonObject refusal() {
    return Json.object().add("ok", false);
  }

  private static JsonValue member(JsonObject request, String name) throws Failure {
    JsonValue value = request.get(name);
    if (value == null) {
      throw new Failure("no " + name);
    }
    return value;
  }

  private static String text(JsonObject request, String name) throws Failure {
    return member(request, name).asString();
  }

  private ZMQ.Socket socket(JsonObject request) throws Failure {
    String name = text(request, "socket");
    ZMQ.Socket socket = sockets.get(name);
    if (socket == null) {
      throw new Failure("no socket " + name);
    }
    return socket;
  }

  private static JsonObject hello() throws Failure {
    JsonArray types = Json.array();
    TYPES.forEach(types::add);
    types.add("PROXY");
    return done().add("name", "JeroMQ").add("version", version()).add("types", types);
  }

  /**
   * The version in the library's jar; {@link ZMQ#getVersionString} is the ported version of libzmq.
   */
  private static String version() throws Failure {
    String path = "/META-INF/maven/org.zeromq/jeromq/pom.properties";
    try (InputStream stream = ZMQ.class.getResourceAsStream(path)) {
      Properties properties = new Properties();
      properties.load(stream);
      return properties.getProperty("version");
    } catch (IOException error) {
      throw new Failure(error.toString());
    }
  }

  private JsonObject open(JsonObject request) throws Failure {
    String name = text(request, "socket");
    String type = text(request, "type");
    if (sockets.containsKey(name)) {
      throw new Failure(name + " is open");
    }
    if (!TYPES.contains(type)) {
      throw new Failure.Unsupported("type " + type);
    }
    ZMQ.Socket socket = context.socket(SocketType.valueOf(type));
    socket.setLinger(0);
    JsonValue options = request.get("options");
    try {
      Options.apply(options == null ? Json.object() : options.asObject(), socket);
    } catch (Failure | RuntimeException error) {
      socket.close();
      throw error;
    }
    sockets.put(name, socket);
    return done();
  }

  /** Binds to a free port of the loopback interface. Returns the endpoint. */
  static String bind(ZMQ.Socket socket) throws Failure {
    Failure.unless(socket.bind("tcp://127.0.0.1:*"), socket, "bind");
    return socket.getLastEndpoint();
  }

  private JsonObject subscribe(JsonObject request) throws Failure {
    ZMQ.Socket socket = socket(request);
    byte[] topic = HEX.parseHex(text(request, "topic"));
    boolean more = text(request, "op").equals("subscribe");
    if (socket.getSocketType() == SocketType.XSUB) {
      byte[] message = new byte[1 + topic.length];
      message[0] = (byte) (more ? 1 : 0);
      System.arraycopy(topic, 0, message, 1, topic.length);
      return done(socket.send(message), request);
    }
    return done(more ? socket.subscribe(topic) : socket.unsubscribe(topic), request);
  }

  private JsonObject send(JsonObject request) throws Failure {
    ZMQ.Socket socket = socket(request);
    List<byte[]> parts = new ArrayList<>();
    for (JsonValue part : member(request, "parts").asArray()) {
      parts.add(HEX.parseHex(part.asString()));
    }
    if (parts.isEmpty()) {
      throw new Failure("a message needs at least one part");
    }
    for (int i = 0; i < parts.size(); i++) {
      int more = i + 1 < parts.size() ? ZMQ.SNDMORE : 0;
      if (!offer(socket, parts.get(i), ZMQ.DONTWAIT | more)) {
        if (socket.errno() == ZMQ.Error.EAGAIN.getCode()) {
          return done().add("again", true);
        }
        Failure.unless(false, socket, "send");
      }
    }
    return done();
  }

  private static boolean offer(ZMQ.Socket socket, byte[] part, int flags) throws Failure {
    try {
      return socket.send(part, flags);
    } catch (UnsupportedOperationException error) {
      throw new Failure.Unsupported("send of " + socket.getSocketType());
    }
  }

  private static byte[] take(ZMQ.Socket socket) throws Failure {
    try {
      return socket.recv();
    } catch (UnsupportedOperationException error) {
      throw new Failure.Unsupported("recv of " + socket.getSocketType());
    }
  }

  private static JsonObject receive(ZMQ.Socket socket, int timeout) throws Failure {
    socket.setReceiveTimeOut(timeout);
    byte[] part = take(socket);
    if (part == null) {
      if (socket.errno() == ZMQ.Error.EAGAIN.getCode()) {
        return done().add("parts", Json.NULL);
      }
      Failure.unless(false, socket, "recv");
    }
    JsonArray parts = Json.array().add(HEX.formatHex(part));
    while (socket.hasReceiveMore()) {
      parts.add(HEX.formatHex(socket.recv()));
    }
    return done().add("parts", parts);
  }

  private JsonObject closeSocket(JsonObject request) throws Failure {
    socket(request).close();
    sockets.remove(text(request, "socket"));
    return done();
  }

  private JsonObject proxy(JsonObject request) throws Failure {
    if (!text(request, "frontend").equals("XSUB") || !text(request, "backend").equals("XPUB")) {
      throw new Failure.Unsupported("a proxy other than from XSUB to XPUB");
    }
    Proxy proxy = new Proxy(request.getString("connect", null));
    String name = "p" + ++proxiesStarted;
    proxies.put(name, proxy);
    JsonValue front = proxy.front == null ? Json.NULL : Json.value(proxy.front);
    return done().add("proxy", name).add("frontend", front).add("backend", proxy.back);
  }

  private JsonObject closeProxy(String name) throws Failure {
    Proxy proxy = proxies.remove(name);
    if (proxy == null) {
      throw new Failure("no proxy " + name);
    }
    proxy.close();
    return done();
  }

  @Override
  public void close() {
    proxies.values().forEach(Proxy::close);
    sockets.values().forEach(ZMQ.Socket::close);
    context.term();
  }
}
