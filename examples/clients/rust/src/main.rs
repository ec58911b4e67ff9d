//! A ZEPS client over the crate `zeromq`, on the generated client machine.
//!
//! ```text
//! zeps-client ENDPOINT STREAM COUNT
//! ```
//!
//! It attaches to STREAM, subscribes to everything under `demo/`, publishes COUNT messages with keys `demo/1`,
//! `demo/2`, …, receives them all back, detaches, and prints how many came and with which sequences.

#![forbid(unsafe_code)]

mod session;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use session::Session;
use tokio::time::{interval, timeout};
use zeps_wire::{zeps, zeps_client};
use zeromq::{DealerSocket, Socket, SocketRecv, SocketSend};

const PATIENCE: Duration = Duration::from_secs(30);
const HEARTBEAT: Duration = Duration::from_secs(2);

type Machine = zeps_client::Machine<Session>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, stream, count] = &arguments[..] else {
        eprintln!("usage: zeps-client ENDPOINT STREAM COUNT");
        return ExitCode::from(2);
    };
    let Ok(count) = count.parse() else {
        eprintln!("zeps-client: COUNT is a number of messages");
        return ExitCode::from(2);
    };
    let done = match timeout(PATIENCE, run(endpoint, stream, count)).await {
        Ok(done) => done,
        Err(_) => Err(format!("not done after {} seconds", PATIENCE.as_secs()).into()),
    };
    match done {
        Ok((first, last)) => {
            println!("received {count} messages, sequences {first}..{last}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("zeps-client: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The whole job; the sequences of the first and of the last message.
async fn run(endpoint: &str, stream: &str, count: u64) -> Result<(u64, u64), Box<dyn Error>> {
    let mut socket = DealerSocket::new();
    socket.connect(endpoint).await?;
    let mut machine = Machine::new(Session::new(count));
    let mut quiet = interval(HEARTBEAT);
    quiet.reset();
    machine.open(stream)?;
    loop {
        flush(&mut machine, &mut socket).await?;
        if machine.host.over() {
            return machine.host.result();
        }
        tokio::select! {
            message = socket.recv() => {
                let frames = message?.into_vec();
                let [frame] = &frames[..] else {
                    return Err("a message of several frames".into());
                };
                take(&mut machine, frame)?;
            }
            _ = quiet.tick() => {
                machine.heartbeat()?;
            }
        }
    }
}

/// Hand a frame to the machine.
fn take(machine: &mut Machine, frame: &[u8]) -> Result<(), Box<dyn Error>> {
    match zeps::decode(frame) {
        Ok(message) => machine.receive(message)?,
        Err(_) => {
            machine.malformed()?;
        }
    }
    Ok(())
}

/// Do what the machine's actions have asked for, and send what the machine has sent.
async fn flush(machine: &mut Machine, socket: &mut DealerSocket) -> Result<(), Box<dyn Error>> {
    loop {
        for frame in machine.host.sent() {
            socket.send(frame.into()).await?;
        }
        let Some(step) = machine.host.next_step() else {
            return Ok(());
        };
        step.take(machine)?;
    }
}
