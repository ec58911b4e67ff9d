//! The library's four types of socket as one.

use std::future;
use std::str;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{json, Value};
use zeromq::{
    Endpoint, PubSocket, Socket as _, SocketRecv, SocketSend, SubSocket, XPubSocket, XSubSocket,
    ZmqMessage, ZmqResult,
};

use crate::failure::Failure;

/// A free port of the loopback interface.
pub const ANYWHERE: &str = "tcp://127.0.0.1:0";

pub enum Socket {
    Pub(PubSocket),
    XPub(XPubSocket),
    Sub(SubSocket),
    XSub(XSubSocket),
}

/// The calls of a socket, except receiving.
pub enum Call {
    Bind,
    Unbind(String),
    Connect(String),
    Subscribe(Bytes),
    Unsubscribe(Bytes),
    Send(ZmqMessage),
}

/// Runs the same expression for each type.
macro_rules! each {
    ($socket:expr, $one:ident => $work:expr) => {
        match $socket {
            Socket::Pub($one) => $work,
            Socket::XPub($one) => $work,
            Socket::Sub($one) => $work,
            Socket::XSub($one) => $work,
        }
    };
}

impl Socket {
    /// Requires a runtime, because some types start a task.
    pub fn new(kind: &str) -> Option<Self> {
        match kind {
            "PUB" => Some(Socket::Pub(PubSocket::new())),
            "XPUB" => Some(Socket::XPub(XPubSocket::new())),
            "SUB" => Some(Socket::Sub(SubSocket::new())),
            "XSUB" => Some(Socket::XSub(XSubSocket::new())),
            _ => None,
        }
    }

    /// Runs the call. Returns the answer's members in addition to "ok".
    pub async fn perform(&mut self, call: Call) -> Result<Value, Failure> {
        match call {
            Call::Bind => {
                let endpoint = each!(self, one => one.bind(ANYWHERE).await)?;
                return Ok(json!({"endpoint": endpoint.to_string()}));
            }
            Call::Unbind(endpoint) => {
                let endpoint: Endpoint = endpoint.parse().map_err(Failure::error)?;
                each!(self, one => one.unbind(endpoint).await)?;
            }
            Call::Connect(endpoint) => each!(self, one => one.connect(&endpoint).await)?,
            Call::Subscribe(topic) => self.subscribe(topic, true).await?,
            Call::Unsubscribe(topic) => self.subscribe(topic, false).await?,
            Call::Send(message) => self.send(message).await?,
        }
        Ok(json!({}))
    }

    async fn subscribe(&mut self, topic: Bytes, more: bool) -> Result<(), Failure> {
        match self {
            Socket::Sub(socket) => {
                let topic = str::from_utf8(&topic)
                    .map_err(|_| Failure::Unsupported("a topic that is not UTF-8".into()))?;
                if more {
                    socket.subscribe(topic).await?;
                } else {
                    socket.unsubscribe(topic).await?;
                }
            }
            Socket::XSub(socket) => {
                let mut message = BytesMut::with_capacity(1 + topic.len());
                message.put_u8(more.into());
                message.extend_from_slice(&topic);
                socket.send(message.freeze().into()).await?;
            }
            Socket::Pub(_) | Socket::XPub(_) => {
                return Err(Failure::Unsupported("a publisher's subscription".into()))
            }
        }
        Ok(())
    }

    async fn send(&mut self, message: ZmqMessage) -> Result<(), Failure> {
        match self {
            Socket::Pub(socket) => socket.send(message).await?,
            Socket::XPub(socket) => socket.send(message).await?,
            Socket::XSub(socket) => socket.send(message).await?,
            Socket::Sub(_) => return Err(Failure::Unsupported("SUB cannot send".into())),
        }
        Ok(())
    }

    /// Returns the next message. The future may be dropped while it waits; with PUB it waits forever.
    pub async fn recv(&mut self) -> ZmqResult<ZmqMessage> {
        match self {
            Socket::Pub(_) => future::pending().await,
            Socket::XPub(socket) => socket.recv().await,
            Socket::Sub(socket) => socket.recv().await,
            Socket::XSub(socket) => socket.recv().await,
        }
    }

    pub async fn close(self) {
        for error in each!(self, one => one.close().await) {
            eprintln!("adapter: {error}");
        }
    }
}
