//! A socket in a task of its own, which receives continuously.
//!
//! The library's subscribers and XPUB handle their connections (reading subscriptions, detecting their end) mostly while
//! the application waits in `recv`; so the task waits there whenever it is idle, as an application would. Received
//! messages are queued without a limit.

use std::time::Duration;

use serde_json::{json, Value};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{timeout, timeout_at, Instant};
use zeromq::{ZmqMessage, ZmqResult};

use crate::failure::Failure;
use crate::socket::{Call, Socket};

/// The maximum time for which a call of the library may delay an answer.
pub const PATIENCE: Duration = Duration::from_secs(2);

type Done = Result<Value, Failure>;

struct Order {
    call: Call,
    /// The receiver of the answer, and its deadline. A call that takes longer is dropped, as by an application's timeout.
    waiting: Option<(oneshot::Sender<Done>, Instant)>,
}

pub struct HeldSocket {
    orders: mpsc::UnboundedSender<Order>,
    received: mpsc::UnboundedReceiver<ZmqResult<ZmqMessage>>,
    task: JoinHandle<()>,
    can_receive: bool,
}

impl HeldSocket {
    pub fn start(runtime: &Runtime, socket: Socket) -> Self {
        let can_receive = !matches!(socket, Socket::Pub(_));
        let (orders, coming) = mpsc::unbounded_channel();
        let (queue, received) = mpsc::unbounded_channel();
        let task = runtime.spawn(run(socket, coming, queue));
        HeldSocket {
            orders,
            received,
            task,
            can_receive,
        }
    }

    /// Runs a call after the pending calls.
    pub async fn call(&self, call: Call) -> Done {
        let (sender, answer) = oneshot::channel();
        let deadline = Instant::now() + PATIENCE;
        self.order(call, Some((sender, deadline)))?;
        match timeout_at(deadline, answer).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(ended())),
            Err(_) => Err(Failure::Blocks),
        }
    }

    /// Starts a call without waiting for its result.
    pub fn begin(&self, call: Call) -> Result<(), Failure> {
        self.order(call, None)
    }

    fn order(
        &self,
        call: Call,
        waiting: Option<(oneshot::Sender<Done>, Instant)>,
    ) -> Result<(), Failure> {
        self.orders
            .send(Order { call, waiting })
            .map_err(|_| ended())
    }

    /// Returns the next message, if it arrives in time.
    pub async fn receive(&mut self, limit: Duration) -> Done {
        if !self.can_receive {
            return Err(Failure::Unsupported("PUB cannot receive".into()));
        }
        match timeout(limit, self.received.recv()).await {
            Err(_) => Ok(json!({"parts": null})),
            Ok(None) => Err(ended()),
            Ok(Some(message)) => {
                let parts: Vec<String> = message?.iter().map(hex::encode).collect();
                Ok(json!({"parts": parts}))
            }
        }
    }

    pub async fn close(self) {
        let HeldSocket {
            orders, mut task, ..
        } = self;
        drop(orders);
        if timeout(PATIENCE, &mut task).await.is_err() {
            task.abort();
        }
    }
}

fn ended() -> Failure {
    Failure::error("the library has panicked")
}

async fn run(
    mut socket: Socket,
    mut orders: mpsc::UnboundedReceiver<Order>,
    queue: mpsc::UnboundedSender<ZmqResult<ZmqMessage>>,
) {
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(order) => carry_out(&mut socket, order).await,
                None => break,
            },
            message = socket.recv() => {
                let _ = queue.send(message);
            }
        }
    }
    socket.close().await;
}

async fn carry_out(socket: &mut Socket, order: Order) {
    let Some((sender, deadline)) = order.waiting else {
        if let Err(Failure::Error(reason)) = socket.perform(order.call).await {
            eprintln!("adapter: {reason}");
        }
        return;
    };
    if !sender.is_closed() {
        let done = timeout_at(deadline, socket.perform(order.call)).await;
        let _ = sender.send(done.unwrap_or(Err(Failure::Blocks)));
    }
}
