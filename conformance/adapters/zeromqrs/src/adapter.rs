//! The sockets and proxies by the suite's names for them, and the requests.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{json, Value};
use tokio::runtime::{Builder, Runtime};
use zeromq::ZmqMessage;

use crate::failure::Failure;
use crate::held_socket::HeldSocket;
use crate::proxy::Proxy;
use crate::request::Request;
use crate::socket::{Call, Socket};

type Done = Result<Value, Failure>;

pub struct Adapter {
    runtime: Runtime,
    sockets: HashMap<String, HeldSocket>,
    proxies: HashMap<String, Proxy>,
    proxies_started: u32,
    /// The exit request was received.
    pub over: bool,
}

impl Adapter {
    pub fn new() -> io::Result<Self> {
        Ok(Adapter {
            runtime: Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()?,
            sockets: HashMap::new(),
            proxies: HashMap::new(),
            proxies_started: 0,
            over: false,
        })
    }

    /// Executes the request in a line.
    pub fn answer(&mut self, line: &[u8]) -> Value {
        match Request::parse(line).and_then(|request| self.perform(&request)) {
            Ok(mut done) => {
                done["ok"] = json!(true);
                done
            }
            Err(failure) => failure.answer(),
        }
    }

    fn perform(&mut self, request: &Request) -> Done {
        match request.text("op")? {
            "hello" => Ok(hello()),
            "open" => self.open(request),
            "bind" => self.call(request, Call::Bind),
            "unbind" => self.call(request, Call::Unbind(request.text("endpoint")?.into())),
            "connect" => self.connect(request),
            "disconnect" => Err(Failure::Unsupported("zeromq cannot disconnect".into())),
            "subscribe" => self.call(request, Call::Subscribe(request.octets("topic")?)),
            "unsubscribe" => self.call(request, Call::Unsubscribe(request.octets("topic")?)),
            "send" => self.send(request),
            "recv" => self.receive(request),
            "close" => self.close(request),
            "proxy" => self.proxy(request),
            "proxy_close" => self.close_proxy(request.text("proxy")?),
            "exit" => {
                self.over = true;
                Ok(json!({}))
            }
            unknown => Err(Failure::Error(format!("unknown op {unknown}"))),
        }
    }

    fn open(&mut self, request: &Request) -> Done {
        let (name, kind) = (request.text("socket")?, request.text("type")?);
        if self.sockets.contains_key(name) {
            return Err(Failure::Error(format!("{name} is open")));
        }
        let _inside = self.runtime.enter();
        let socket =
            Socket::new(kind).ok_or_else(|| Failure::Unsupported(format!("type {kind}")))?;
        for (option, value) in request.options() {
            if !is_how_it_is(kind, option, value) {
                return Err(Failure::Unsupported(format!("option {option} = {value}")));
            }
        }
        let held = HeldSocket::start(&self.runtime, socket);
        self.sockets.insert(name.into(), held);
        Ok(json!({}))
    }

    fn socket(&self, request: &Request) -> Result<&HeldSocket, Failure> {
        let name = request.text("socket")?;
        self.sockets.get(name).ok_or_else(|| unknown(name))
    }

    fn call(&self, request: &Request, call: Call) -> Done {
        self.runtime.block_on(self.socket(request)?.call(call))
    }

    /// Connects in the background, because the library's connect returns after the handshake or after 30 s.
    fn connect(&self, request: &Request) -> Done {
        let endpoint = request.text("endpoint")?.into();
        self.socket(request)?.begin(Call::Connect(endpoint))?;
        Ok(json!({}))
    }

    fn send(&self, request: &Request) -> Done {
        let parts: Vec<Bytes> = request.parts()?;
        let message = ZmqMessage::try_from(parts).map_err(Failure::error)?;
        match self.call(request, Call::Send(message)) {
            Err(Failure::Blocks) => Ok(json!({"again": true})),
            done => done,
        }
    }

    fn receive(&mut self, request: &Request) -> Done {
        let name = request.text("socket")?;
        let limit = Duration::from_millis(request.number("timeout"));
        let socket = self.sockets.get_mut(name).ok_or_else(|| unknown(name))?;
        self.runtime.block_on(socket.receive(limit))
    }

    fn close(&mut self, request: &Request) -> Done {
        let name = request.text("socket")?;
        let socket = self.sockets.remove(name).ok_or_else(|| unknown(name))?;
        self.runtime.block_on(socket.close());
        Ok(json!({}))
    }

    fn proxy(&mut self, request: &Request) -> Done {
        if (request.text("frontend")?, request.text("backend")?) != ("XSUB", "XPUB") {
            return Err(Failure::Unsupported(
                "a proxy other than from XSUB to XPUB".into(),
            ));
        }
        let upstream = request.optional("connect").map(str::to_owned);
        let (proxy, mut done) = Proxy::start(upstream)?;
        self.proxies_started += 1;
        let name = format!("p{}", self.proxies_started);
        done["proxy"] = json!(name);
        self.proxies.insert(name, proxy);
        Ok(done)
    }

    fn close_proxy(&mut self, name: &str) -> Done {
        let proxy = self.proxies.remove(name);
        proxy
            .ok_or_else(|| Failure::Error(format!("no proxy {name}")))?
            .close()?;
        Ok(json!({}))
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Error(format!("no socket {name}"))
}

fn hello() -> Value {
    json!({
        "name": "zeromq (Rust)",
        "version": version(),
        "types": ["PUB", "XPUB", "SUB", "XSUB", "PROXY"],
    })
}

/// The pinned version, because the library does not report its version.
fn version() -> &'static str {
    let manifest = include_str!("../Cargo.toml");
    let pinned = manifest.split_once("\nzeromq = { version = \"=");
    pinned
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("unknown", |(version, _)| version)
}

/// The library does not have the suite's options, but two of them match its only behaviour.
fn is_how_it_is(kind: &str, option: &str, value: &Value) -> bool {
    match option {
        "linger" => value == 0,
        "verbose" => kind == "XPUB" && (value == true || value == 1),
        _ => false,
    }
}
