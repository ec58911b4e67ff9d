//! A ZEPS client over the crate `zeromq`, on the generated client machine.
//!
//! ```text
//! zeps-client ENDPOINT STREAM COUNT [PATTERN [LATEST]]
//! ```
//!
//! It attaches to STREAM, subscribes to PATTERN (`demo/`) from LATEST (0) on, publishes COUNT messages with keys
//! `demo/1`, `demo/2`, …, receives them all back, detaches, and prints their number and their sequences.

#![forbid(unsafe_code)]

mod notice;
mod session;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use session::{Session, PREFIX};
use tokio::time::{timeout, Instant};
use zeps_wire::{zeps, zeps_client};
use zeromq::{DealerSocket, Socket, SocketRecv, SocketSend};

/// Maximum silence of the broker in general, and in answer to ATTACH or DETACH.
const PATIENCE: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(3);
const HEARTBEAT: Duration = Duration::from_secs(1);

type Machine = zeps_client::Machine<Session>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((endpoint, stream, session)) = parse(&arguments) else {
        eprintln!("usage: zeps-client ENDPOINT STREAM COUNT [PATTERN [LATEST]]");
        return ExitCode::from(2);
    };
    match run(endpoint, stream, session).await {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("zeps-client: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Option<(&str, &str, Session)> {
    let (required, optional) = arguments.split_at_checked(3)?;
    let (pattern, latest) = match optional {
        [] => (PREFIX, 0),
        [pattern] => (pattern.as_str(), 0),
        [pattern, latest] => (pattern.as_str(), latest.parse().ok()?),
        _ => return None,
    };
    let count = required[2].parse().ok()?;
    Some((
        &required[0],
        &required[1],
        Session::new(count, pattern, latest),
    ))
}

/// Runs the session to its end, over as many connections as necessary. Returns the report.
async fn run(endpoint: &str, stream: &str, session: Session) -> Result<String, Box<dyn Error>> {
    let mut machine = Machine::new(session);
    let mut heard = Instant::now();
    while !machine.host.over() {
        let mut socket = DealerSocket::new();
        match timeout(ANSWER, socket.connect(endpoint)).await {
            Ok(connected) => connected?,
            Err(late) => return Err(late.into()),
        }
        machine = Machine::new(machine.host.over_a_new_connection());
        machine.open(stream)?;
        if let Err(error) = serve(&mut machine, &mut socket, &mut heard).await {
            eprintln!("zeps-client: {error}");
            if heard.elapsed() > PATIENCE {
                return Err("the broker does not answer".into());
            }
        }
    }
    machine.host.result()
}

/// Receive until the session is over or the connection is lost; send PING, or return an error, if the broker is silent.
async fn serve(
    machine: &mut Machine,
    socket: &mut DealerSocket,
    heard: &mut Instant,
) -> Result<(), Box<dyn Error>> {
    let mut asked = Instant::now();
    loop {
        flush(machine, socket).await?;
        if machine.host.over() {
            return Ok(());
        }
        if machine.host.lost() {
            return Err("the broker is lost".into());
        }
        match timeout(HEARTBEAT, socket.recv()).await {
            Ok(message) => {
                let frames = message?.into_vec();
                let [frame] = &frames[..] else {
                    return Err("received a message of several frames".into());
                };
                asked = Instant::now();
                *heard = asked;
                take(machine, frame)?;
            }
            Err(_) if heard.elapsed() > PATIENCE => return Err("silence".into()),
            Err(_) if machine.state() == zeps_client::State::Open || asked.elapsed() < ANSWER => {
                machine.heartbeat()?;
            }
            Err(_) => {
                machine.expired()?;
            }
        }
    }
}

/// Pass a frame to the machine.
fn take(machine: &mut Machine, frame: &[u8]) -> Result<(), Box<dyn Error>> {
    match zeps::decode(frame) {
        Ok(message) => machine.receive(message)?,
        Err(_) => {
            machine.malformed()?;
        }
    }
    Ok(())
}

/// Take the steps that the machine's actions have queued, and send the machine's frames.
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
