package zeps.adapter;

import static java.util.Map.entry;

import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import java.util.Map;
import org.zeromq.ZMQ;

/** The suite's option names, and JeroMQ's setters. */
final class Options {

  private static final Map<String, Setter> SETTERS =
      Map.ofEntries(
          entry("sndhwm", (socket, value) -> socket.setSndHWM(value.asInt())),
          entry("rcvhwm", (socket, value) -> socket.setRcvHWM(value.asInt())),
          entry("linger", (socket, value) -> socket.setLinger(value.asInt())),
          entry("verbose", (socket, value) -> socket.setXpubVerboser(yes(value))),
          entry("nodrop", (socket, value) -> socket.setXpubNoDrop(yes(value))),
          entry("heartbeat_ivl", (socket, value) -> socket.setHeartbeatIvl(value.asInt())),
          entry("heartbeat_timeout", (socket, value) -> socket.setHeartbeatTimeout(value.asInt())),
          entry("heartbeat_ttl", (socket, value) -> socket.setHeartbeatTtl(value.asInt())),
          entry("handshake_ivl", (socket, value) -> socket.setHandshakeIvl(value.asInt())),
          entry("maxmsgsize", (socket, value) -> socket.setMaxMsgSize(value.asLong())),
          entry("reconnect_ivl", (socket, value) -> socket.setReconnectIVL(value.asInt())));

  /** Returns false if the library refuses the value. */
  private interface Setter {
    boolean set(ZMQ.Socket socket, JsonValue value);
  }

  private Options() {}

  private static boolean yes(JsonValue value) {
    return value.isNumber() ? value.asInt() != 0 : value.asBoolean();
  }

  static void apply(JsonObject options, ZMQ.Socket socket) throws Failure {
    for (JsonObject.Member member : options) {
      Setter setter = SETTERS.get(member.getName());
      if (setter == null) {
        throw new Failure.Unsupported("option " + member.getName());
      }
      Failure.unless(setter.set(socket, member.getValue()), socket, member.getName());
    }
  }
}
