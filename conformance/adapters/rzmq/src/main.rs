//! Adapter of the crate `rzmq` for the conformance suite: a JSON request per line of standard input, an answer per
//! line of standard output.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use rzmq::socket::options;
use rzmq::{Context, Msg, MsgFlags, Socket, SocketType, ZmqError};
use serde_json::{json, Value};
use tokio::runtime::Runtime;

/// The crate's version in Cargo.toml.
const VERSION: &str = "0.5.28";
const FREE: &str = "tcp://127.0.0.1:0";

/// Why a request was not executed.
enum Failure {
    Unsupported(String),
    Error(String),
}

impl From<ZmqError> for Failure {
    fn from(error: ZmqError) -> Self {
        match error {
            ZmqError::UnsupportedFeature(text) => Failure::Unsupported(text.to_string()),
            other => Failure::Error(other.to_string()),
        }
    }
}

type Answer = Result<Value, Failure>;

struct Adapter {
    runtime: Runtime,
    context: Context,
    sockets: HashMap<String, Socket>,
}

impl Adapter {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let runtime = Runtime::new()?;
        let context = {
            let _guard = runtime.enter();
            Context::new()?
        };
        Ok(Adapter { runtime, context, sockets: HashMap::new() })
    }

    fn answer(&mut self, line: &[u8]) -> Value {
        let result = serde_json::from_slice::<Value>(line)
            .map_err(|error| Failure::Error(error.to_string()))
            .and_then(|request| self.execute(&request));
        match result {
            Ok(mut answer) => {
                answer["ok"] = Value::Bool(true);
                answer
            }
            Err(Failure::Unsupported(text)) => json!({"ok": false, "unsupported": text}),
            Err(Failure::Error(text)) => json!({"ok": false, "error": text}),
        }
    }

    fn execute(&mut self, request: &Value) -> Answer {
        match text(request, "op")? {
            "hello" => Ok(json!({"name": "rzmq", "version": VERSION, "types": ["PUB", "SUB"]})),
            "open" => self.open(request),
            "close" => {
                let name = text(request, "socket")?;
                let socket = self.sockets.remove(name).ok_or_else(|| unknown(name))?;
                self.runtime.block_on(socket.close())?;
                Ok(json!({}))
            }
            "bind" => {
                let socket = self.socket(request)?;
                let endpoint = self.runtime.block_on(async {
                    socket.bind(FREE).await?;
                    socket.get_option(options::LAST_ENDPOINT).await
                })?;
                Ok(json!({"endpoint": String::from_utf8_lossy(&endpoint)}))
            }
            "unbind" => self.endpoint(request, |socket, endpoint| self.runtime.block_on(socket.unbind(endpoint))),
            "connect" => self.endpoint(request, |socket, endpoint| self.runtime.block_on(socket.connect(endpoint))),
            "disconnect" => {
                self.endpoint(request, |socket, endpoint| self.runtime.block_on(socket.disconnect(endpoint)))
            }
            "subscribe" => self.subscription(request, options::SUBSCRIBE),
            "unsubscribe" => self.subscription(request, options::UNSUBSCRIBE),
            "send" => self.send(request),
            "recv" => self.receive(request),
            "proxy" | "proxy_close" => Err(Failure::Unsupported("the crate has no proxy".into())),
            "exit" => Ok(json!({})),
            other => Err(Failure::Error(format!("unknown op {other}"))),
        }
    }

    fn socket(&self, request: &Value) -> Result<&Socket, Failure> {
        let name = text(request, "socket")?;
        self.sockets.get(name).ok_or_else(|| unknown(name))
    }

    fn open(&mut self, request: &Value) -> Answer {
        let name = text(request, "socket")?;
        if self.sockets.contains_key(name) {
            return Err(Failure::Error(format!("socket {name} is open already")));
        }
        let kind = match text(request, "type")? {
            "PUB" => SocketType::Pub,
            "SUB" => SocketType::Sub,
            other => return Err(Failure::Unsupported(format!("type {other}"))),
        };
        let mut chosen = vec![(options::LINGER, 0), (options::SNDTIMEO, 0)];
        for (option, value) in request["options"].as_object().into_iter().flatten() {
            let number = match option.as_str() {
                "sndhwm" => options::SNDHWM,
                "rcvhwm" => options::RCVHWM,
                "linger" => options::LINGER,
                "heartbeat_ivl" => options::HEARTBEAT_IVL,
                "heartbeat_timeout" => options::HEARTBEAT_TIMEOUT,
                "handshake_ivl" => options::HANDSHAKE_IVL,
                "reconnect_ivl" => options::RECONNECT_IVL,
                "nodrop" => options::XPUB_NODROP,
                "maxmsgsize" => options::MAXMSGSIZE,
                other => return Err(Failure::Unsupported(format!("option {other}"))),
            };
            let value = value.as_i64().ok_or_else(|| Failure::Error(format!("{option} must be a number")))?;
            chosen.push((number, value));
        }
        let context = &self.context;
        let socket = self.runtime.block_on(async {
            let socket = context.socket(kind)?;
            for (number, value) in chosen {
                if number == options::MAXMSGSIZE {
                    socket.set_option_raw(number, &value.to_ne_bytes()).await?;
                } else {
                    socket.set_option(number, value as i32).await?;
                }
            }
            Ok::<_, ZmqError>(socket)
        })?;
        self.sockets.insert(name.to_string(), socket);
        Ok(json!({}))
    }

    fn endpoint(&self, request: &Value, call: impl Fn(&Socket, &str) -> Result<(), ZmqError>) -> Answer {
        call(self.socket(request)?, text(request, "endpoint")?)?;
        Ok(json!({}))
    }

    fn subscription(&self, request: &Value, option: i32) -> Answer {
        let topic = octets(&request["topic"])?;
        let socket = self.socket(request)?;
        self.runtime.block_on(socket.set_option_raw(option, &topic))?;
        Ok(json!({}))
    }

    fn send(&self, request: &Value) -> Answer {
        let socket = self.socket(request)?;
        let parts = request["parts"].as_array().filter(|parts| !parts.is_empty());
        let parts = parts.ok_or_else(|| Failure::Error("a message needs at least one part".into()))?;
        let mut message = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let mut frame = Msg::from_vec(octets(part)?);
            if index + 1 < parts.len() {
                frame.set_flags(MsgFlags::MORE);
            }
            message.push(frame);
        }
        match self.runtime.block_on(socket.send_multipart(message)) {
            Ok(()) => Ok(json!({})),
            Err(ZmqError::ResourceLimitReached | ZmqError::Timeout) => Ok(json!({"again": true})),
            Err(error) => Err(error.into()),
        }
    }

    fn receive(&self, request: &Value) -> Answer {
        let socket = self.socket(request)?;
        let timeout = request["timeout"].as_i64().unwrap_or(0) as i32;
        let received = self.runtime.block_on(async {
            socket.set_option(options::RCVTIMEO, timeout).await?;
            socket.recv_multipart().await
        });
        match received {
            Ok(frames) => {
                let parts: Vec<String> = frames.iter().map(|frame| hex::encode(frame.data().unwrap_or(&[]))).collect();
                Ok(json!({"parts": parts}))
            }
            Err(ZmqError::Timeout | ZmqError::ResourceLimitReached) => Ok(json!({"parts": Value::Null})),
            Err(error) => Err(error.into()),
        }
    }
}

fn text<'a>(request: &'a Value, name: &str) -> Result<&'a str, Failure> {
    request[name].as_str().ok_or_else(|| Failure::Error(format!("{name} must be a string")))
}

fn octets(value: &Value) -> Result<Vec<u8>, Failure> {
    let text = value.as_str().ok_or_else(|| Failure::Error("bytes must be hexadecimal text".into()))?;
    hex::decode(text).map_err(|error| Failure::Error(error.to_string()))
}

fn unknown(name: &str) -> Failure {
    Failure::Error(format!("unknown socket {name}"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut adapter = Adapter::new()?;
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        writeln!(answers, "{}", adapter.answer(&line))?;
        answers.flush()?;
        if serde_json::from_slice::<Value>(&line).is_ok_and(|request| request["op"] == "exit") {
            break;
        }
    }
    Ok(())
}
