//! The library's own proxy between an XSUB and an XPUB, in a thread, because its result is not `Send`.

use std::thread::{self, JoinHandle};

use serde_json::{json, Value};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use zeromq::{Socket, XPubSocket, XSubSocket, ZmqResult};

use crate::failure::Failure;
use crate::socket::ANYWHERE;

pub struct Proxy {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy whose frontend connects to the endpoint in the background, or binds without an endpoint. Returns
    /// the endpoints of both sides, null for a frontend that connects.
    pub fn start(upstream: Option<String>) -> Result<(Self, Value), Failure> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Failure::error)?;
        let (mut frontend, mut backend) = (XSubSocket::new(), XPubSocket::new());
        let back = runtime.block_on(backend.bind(ANYWHERE))?.to_string();
        let front = match upstream {
            Some(_) => None,
            None => Some(runtime.block_on(frontend.bind(ANYWHERE))?.to_string()),
        };
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    ended = run(frontend, backend, upstream) => {
                        eprintln!("adapter: the proxy has ended: {ended:?}");
                    }
                    _ = stopped => {}
                }
            });
        });
        Ok((
            Proxy { stop, thread },
            json!({"frontend": front, "backend": back}),
        ))
    }

    /// Stops the proxy. The library's only way is to drop its future.
    pub fn close(self) -> Result<(), Failure> {
        let _ = self.stop.send(());
        self.thread
            .join()
            .map_err(|_| Failure::error("the proxy has panicked"))
    }
}

async fn run(
    mut frontend: XSubSocket,
    backend: XPubSocket,
    upstream: Option<String>,
) -> ZmqResult<()> {
    if let Some(endpoint) = upstream {
        frontend.connect(&endpoint).await?;
    }
    zeromq::proxy(frontend, backend, None).await
}
