package zeps.wire.driver;

import java.util.LinkedHashMap;
import java.util.Map;

/** All generated codecs and machines, by their names in the models. */
final class Models {

  private Models() {}

  static Map<String, Codec> codecs() {
    final Map<String, Codec> found = new LinkedHashMap<>();
    found.put(
        "journal",
        new Codec(zeps.wire.journal.Journal.class)
            .with(
                "SEGMENT",
                zeps.wire.journal.Segment.class,
                "first_sequence:u",
                "created:u",
                "stream:s")
            .with(
                "BLOCK",
                zeps.wire.journal.Block.class,
                "checksum:u",
                "index_checksum:u",
                "first_sequence:u",
                "first_time:u",
                "last_time:u",
                "times:u",
                "ends:u",
                "key_numbers:u",
                "page_checksums:u",
                "key_ends:u",
                "keys:b",
                "frames:b"));
    found.put(
        "zeps",
        new Codec(zeps.wire.zeps.Zeps.class)
            .with("ATTACH", zeps.wire.zeps.Attach.class, "stream:s")
            .with("ATTACH-OK", zeps.wire.zeps.AttachOk.class)
            .with("SUBSCRIBE", zeps.wire.zeps.Subscribe.class, "pattern:s", "latest:u")
            .with("SUBSCRIBE-OK", zeps.wire.zeps.SubscribeOk.class)
            .with("CREDIT", zeps.wire.zeps.Credit.class, "credit:u")
            .with("PUBLISH", zeps.wire.zeps.Publish.class, "key:s", "body:b")
            .with("DELIVER", zeps.wire.zeps.Deliver.class, "sequence:u", "key:s", "body:b")
            .with("PING", zeps.wire.zeps.Ping.class)
            .with("PING-OK", zeps.wire.zeps.PingOk.class)
            .with("DETACH", zeps.wire.zeps.Detach.class)
            .with("DETACH-OK", zeps.wire.zeps.DetachOk.class)
            .with("INVALID", zeps.wire.zeps.Invalid.class, "reason:s"));
    found.put(
        "zmtp",
        new Codec(zeps.wire.zmtp.Zmtp.class)
            .with(
                "GREETING",
                zeps.wire.zmtp.Greeting.class,
                "major:u",
                "minor:u",
                "mechanism:b",
                "as_server:u")
            .with("READY", zeps.wire.zmtp.Ready.class, "properties:s")
            .with("ERROR", zeps.wire.zmtp.Error.class, "reason:s")
            .with("PING", zeps.wire.zmtp.Ping.class, "ttl:u", "context:b")
            .with("PONG", zeps.wire.zmtp.Pong.class, "context:b")
            .with("SUBSCRIBE", zeps.wire.zmtp.Subscribe.class, "topic:b")
            .with("CANCEL", zeps.wire.zmtp.Cancel.class, "topic:b")
            .with("SUBSCRIPTION", zeps.wire.zmtp.Subscription.class, "topic:b")
            .with("CANCELLATION", zeps.wire.zmtp.Cancellation.class, "topic:b")
            .with("SUBSCRIBE-X", zeps.wire.zmtp.SubscribeX.class, "kind:u", "filter:b")
            .with("CANCEL-X", zeps.wire.zmtp.CancelX.class, "kind:u", "filter:b")
            .with("SUBSCRIPTION-X", zeps.wire.zmtp.SubscriptionX.class, "kind:u", "filter:b")
            .with("CANCELLATION-X", zeps.wire.zmtp.CancellationX.class, "kind:u", "filter:b"));
    found.put(
        "zmtp_1",
        new Codec(zeps.wire.zmtp1.Zmtp1.class)
            .with("FRAME", zeps.wire.zmtp1.Frame.class, "content:b"));
    found.put(
        "zmtp_2",
        new Codec(zeps.wire.zmtp2.Zmtp2.class)
            .with("GREETING", zeps.wire.zmtp2.Greeting.class, "socket_type:u", "identity:b"));
    found.put(
        "zmtp_frame",
        new Codec(zeps.wire.zmtpframe.ZmtpFrame.class)
            .with("LAST", zeps.wire.zmtpframe.Last.class, "body:b")
            .with("MORE", zeps.wire.zmtpframe.More.class, "body:b")
            .with("LONG-LAST", zeps.wire.zmtpframe.LongLast.class, "body:b")
            .with("LONG-MORE", zeps.wire.zmtpframe.LongMore.class, "body:b")
            .with("COMMAND", zeps.wire.zmtpframe.Command.class, "body:b")
            .with("LONG-COMMAND", zeps.wire.zmtpframe.LongCommand.class, "body:b"));
    return found;
  }

  static Map<String, Automaton> machines(Map<String, Codec> codecs) {
    final Map<String, Automaton> found = new LinkedHashMap<>();
    found.put(
        "zeps_client",
        new Automaton(
                codecs.get("zeps"),
                zeps.wire.zepsclient.ClientMachine.class,
                zeps.wire.zepsclient.ClientHost.class,
                zeps.wire.zepsclient.InternalEvent.class)
            .call("heartbeat", "heartbeat")
            .call("expired", "expired")
            .call("malformed", "malformed")
            .call("ended", "ended")
            .call("subscribe_refused", "subscribeRefused")
            .call("open", "open", "stream:s")
            .call("follow", "follow", "pattern:s", "latest:u")
            .call("grant", "grant", "octets:u")
            .call("post", "post", "key:s", "body:b")
            .call("probe", "probe")
            .call("close", "close")
            .variable("credit:u", "getCredit", "setCredit")
            .variable("pending:u", "getPending", "setPending")
            .variable("unanswered:u", "getUnanswered", "setUnanswered")
            .variable("unanswered_max:u", "getUnansweredMax", "setUnansweredMax")
            .variable("stale:u", "getStale", "setStale")
            .variable("stream:s", "getStream", "setStream")
            .action("attached", "attached")
            .action("attach_refused", "attachRefused")
            .action("detached", "detached")
            .action("broker_lost", "brokerLost")
            .action("subscribed", "subscribed")
            .action("take_message", "takeMessage")
            .action("answered", "answered")
            .action("read_notice", "readNotice")
            .action("session_lost", "sessionLost")
            .action("refused", "refused"));
    found.put(
        "zeps_server",
        new Automaton(
                codecs.get("zeps"),
                zeps.wire.zepsserver.ServerMachine.class,
                zeps.wire.zepsserver.ServerHost.class,
                zeps.wire.zepsserver.InternalEvent.class)
            .call("malformed", "malformed")
            .call("attach_refused", "attachRefused")
            .call("subscribe_refused", "subscribeRefused")
            .call("gap", "gap")
            .call("expired", "expired")
            .call("heartbeat", "heartbeat")
            .call("shutdown", "shutdown")
            .carrier("deliver", "deliver", "DELIVER")
            .variable("credit:u", "getCredit", "setCredit")
            .variable("reason:s", "getReason", "setReason")
            .action("open_stream", "openStream")
            .action("close_stream", "closeStream")
            .action("check_subscription", "checkSubscription")
            .action("add_subscription", "addSubscription")
            .action("use_credit", "useCredit")
            .action("store_message", "storeMessage"));
    found.put(
        "zmtp_publisher",
        new Automaton(
                codecs.get("zmtp"),
                zeps.wire.zmtppublisher.ServerMachine.class,
                zeps.wire.zmtppublisher.ServerHost.class,
                zeps.wire.zmtppublisher.InternalEvent.class)
            .call("downgrade", "downgrade")
            .call("connected", "connected")
            .carrier("introduce", "introduce", "READY")
            .call("refused", "refused")
            .call("heartbeat", "heartbeat")
            .call("expired", "expired")
            .call("malformed", "malformed")
            .call("unknown", "unknown")
            .call("disconnected", "disconnected")
            .variable("mechanism:b", "getMechanism", "setMechanism")
            .variable("minor:u", "getMinor", "setMinor")
            .variable("ttl:u", "getTtl", "setTtl")
            .variable("unanswered:u", "getUnanswered", "setUnanswered")
            .variable("unanswered_max:u", "getUnansweredMax", "setUnansweredMax")
            .variable("reason:b", "getReason", "setReason")
            .action("check_greeting", "checkGreeting")
            .action("ask_for_introduction", "askForIntroduction")
            .action("close_connection", "closeConnection")
            .action("check_peer", "checkPeer")
            .action("opened", "opened")
            .action("peer_refused", "peerRefused")
            .action("add_subscription", "addSubscription")
            .action("remove_subscription", "removeSubscription"));
    found.put(
        "zmtp_subscriber",
        new Automaton(
                codecs.get("zmtp"),
                zeps.wire.zmtpsubscriber.ClientMachine.class,
                zeps.wire.zmtpsubscriber.ClientHost.class,
                zeps.wire.zmtpsubscriber.InternalEvent.class)
            .call("downgrade", "downgrade")
            .call("connected", "connected")
            .carrier("introduce", "introduce", "READY")
            .call("refused", "refused")
            .call("heartbeat", "heartbeat")
            .call("expired", "expired")
            .call("malformed", "malformed")
            .call("unknown", "unknown")
            .call("disconnected", "disconnected")
            .call("subscribe", "subscribe", "topic:b")
            .call("unsubscribe", "unsubscribe", "topic:b")
            .call("subscribe_filter", "subscribeFilter", "kind:u", "octets:b")
            .call("unsubscribe_filter", "unsubscribeFilter", "kind:u", "octets:b")
            .variable("mechanism:b", "getMechanism", "setMechanism")
            .variable("minor:u", "getMinor", "setMinor")
            .variable("peer_minor:u", "getPeerMinor", "setPeerMinor")
            .variable("ttl:u", "getTtl", "setTtl")
            .variable("unanswered:u", "getUnanswered", "setUnanswered")
            .variable("unanswered_max:u", "getUnansweredMax", "setUnansweredMax")
            .variable("reason:b", "getReason", "setReason")
            .action("check_greeting", "checkGreeting")
            .action("ask_for_introduction", "askForIntroduction")
            .action("close_connection", "closeConnection")
            .action("check_peer", "checkPeer")
            .action("opened", "opened")
            .action("peer_refused", "peerRefused"));
    return found;
  }
}
