//! The machine's host: what it makes of the machine's actions. It touches no socket.

use std::collections::VecDeque;
use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use zeps_wire::{zeps, zeps_client, Encode, MachineError};

use crate::Machine;

const PREFIX: &str = "demo/";
/// Octets of credit that the broker may use at a time.
const WINDOW: u64 = 1 << 16;

/// What follows from an action, once the machine has finished its step.
pub enum Step {
    Follow,
    Grant(u64),
    Publish,
    Close,
}

impl Step {
    /// Ask the machine for it.
    pub fn take(self, machine: &mut Machine) -> Result<(), MachineError> {
        match self {
            Step::Follow => machine.follow(PREFIX, zeps::LATEST_ALL)?,
            Step::Grant(octets) => machine.grant(octets)?,
            Step::Close => machine.close()?,
            Step::Publish => {
                let tag = machine.host.tag.clone();
                for number in 1..=machine.host.count {
                    machine.post(
                        &format!("{PREFIX}{number}"),
                        format!("{tag}{number}").as_bytes(),
                    )?;
                }
                true
            }
        };
        Ok(())
    }
}

/// One run of the client.
pub struct Session {
    count: u64,
    /// Begins the bodies of this run, so that messages of others are not taken for ours.
    tag: String,
    outbox: Vec<Vec<u8>>,
    steps: VecDeque<Step>,
    /// Octets of credit since the last grant.
    used: u64,
    received: u64,
    first: u64,
    last: u64,
    over: bool,
    error: Option<String>,
}

impl Session {
    pub fn new(count: u64) -> Self {
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Session {
            count,
            tag: format!("{}-{} ", std::process::id(), time.as_nanos()),
            outbox: Vec::new(),
            steps: VecDeque::new(),
            used: 0,
            received: 0,
            first: 0,
            last: 0,
            over: false,
            error: None,
        }
    }

    /// The frames that the machine has sent since this was last asked.
    pub fn sent(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.outbox)
    }

    pub fn next_step(&mut self) -> Option<Step> {
        if self.over() {
            return None;
        }
        self.steps.pop_front()
    }

    pub fn over(&self) -> bool {
        self.over || self.error.is_some()
    }

    /// The sequences of the first and of the last message.
    pub fn result(&self) -> Result<(u64, u64), Box<dyn Error>> {
        if let Some(error) = &self.error {
            return Err(error.as_str().into());
        }
        if self.received != self.count {
            return Err(format!(
                "detached after {} of {} messages",
                self.received, self.count
            )
            .into());
        }
        Ok((self.first, self.last))
    }

    fn fail(&mut self, error: impl Into<String>) {
        self.error.get_or_insert(error.into());
    }
}

impl zeps_client::Host for Session {
    fn send(&mut self, message: zeps::Message<'_>) {
        match message.encode() {
            Ok(frame) => self.outbox.push(frame),
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn attached(&mut self, _context: &mut zeps_client::Context, _message: &zeps::AttachOk) {
        self.steps.push_back(Step::Follow);
    }

    /// Let messages come, and publish.
    fn subscribed(&mut self, _context: &mut zeps_client::Context, _message: &zeps::SubscribeOk) {
        self.steps.extend([Step::Grant(WINDOW), Step::Publish]);
        if self.count == 0 {
            self.steps.push_back(Step::Close);
        }
    }

    /// Messages come back in order; the credit is renewed, and the last one ends the session.
    fn take_message(&mut self, _context: &mut zeps_client::Context, message: &zeps::Deliver<'_>) {
        self.used += message.size() as u64;
        if self.used > WINDOW / 2 {
            self.steps
                .push_back(Step::Grant(std::mem::take(&mut self.used)));
        }
        if !message.body.starts_with(self.tag.as_bytes()) {
            return;
        }
        self.received += 1;
        let wanted = format!("{PREFIX}{}", self.received);
        if message.key != wanted || message.sequence <= self.last {
            let (key, sequence, last) = (message.key, message.sequence, self.last);
            self.fail(format!(
                "got {key} with sequence {sequence} after {last}, not {wanted}"
            ));
        }
        if self.received == 1 {
            self.first = message.sequence;
        }
        self.last = message.sequence;
        if self.received == self.count {
            self.steps.push_back(Step::Close);
        }
    }

    /// The machine counts the PINGs.
    fn answered(&mut self, _context: &mut zeps_client::Context, _message: &zeps::PingOk) {}

    fn attach_refused(&mut self, _context: &mut zeps_client::Context, message: &zeps::Invalid<'_>) {
        self.fail(format!("the broker refused: {}", message.reason));
    }

    fn session_lost(&mut self, _context: &mut zeps_client::Context, message: &zeps::Invalid<'_>) {
        self.fail(format!("the session is lost: {}", message.reason));
    }

    /// A client that lives longer would attach again, and resume after its last sequence.
    fn broker_lost(
        &mut self,
        _context: &mut zeps_client::Context,
        _input: &zeps_client::Input<'_>,
    ) {
        self.fail("the broker is lost");
    }

    fn detached(&mut self, _context: &mut zeps_client::Context, _input: &zeps_client::Input<'_>) {
        self.over = true;
    }
}
