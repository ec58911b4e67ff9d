//! The machine's host, which performs the machine's actions. It does not use sockets.

use std::collections::VecDeque;
use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use zeps_wire::{zeps, zeps_client, Encode, MachineError};

use crate::notice::Notice;
use crate::Machine;

pub const PREFIX: &str = "demo/";
/// Bytes of credit that the broker may use at a time.
const WINDOW: u64 = 1 << 16;

/// A step that follows from an action; it is taken after the machine has finished its own step.
pub enum Step {
    Follow,
    Grant(u64),
    Publish,
    Close,
}

impl Step {
    /// Raise the step's event in the machine.
    pub fn take(self, machine: &mut Machine) -> Result<(), MachineError> {
        match self {
            Step::Follow => {
                let (pattern, latest) = (machine.host.pattern.clone(), machine.host.latest);
                machine.follow(&pattern, latest)?
            }
            Step::Grant(octets) => machine.grant(octets)?,
            Step::Close => machine.close()?,
            Step::Publish => {
                let tag = machine.host.tag.clone();
                for number in machine.host.number + 1..=machine.host.count {
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
#[derive(Default)]
pub struct Session {
    count: u64,
    pattern: String,
    /// Last sequence that was delivered or is lost; subscribing resumes after it.
    latest: u64,
    /// Prefix of this run's bodies; messages of other clients do not have it.
    tag: String,
    outbox: Vec<Vec<u8>>,
    steps: VecDeque<Step>,
    /// The last notice.
    notice: Notice,
    /// Bytes of credit used since the last grant.
    used: u64,
    /// Number of the last own message that was received back.
    number: u64,
    /// Whether messages are missing since then.
    gap: bool,
    received: u64,
    first: u64,
    last: u64,
    lost: bool,
    over: bool,
    error: Option<String>,
}

impl Session {
    pub fn new(count: u64, pattern: &str, latest: u64) -> Self {
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Session {
            count,
            pattern: pattern.into(),
            latest,
            tag: format!("{}-{} ", std::process::id(), time.as_nanos()),
            ..Session::default()
        }
    }

    /// The same run over a new connection; steps queued for the old connection are discarded.
    pub fn over_a_new_connection(self) -> Self {
        Session {
            outbox: Vec::new(),
            steps: VecDeque::new(),
            lost: false,
            ..self
        }
    }

    /// The frames that the machine has sent since the last call.
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

    /// Whether a new connection is needed.
    pub fn lost(&self) -> bool {
        self.lost
    }

    /// Report of the received messages and their sequences; an error if the run failed.
    pub fn result(&self) -> Result<String, Box<dyn Error>> {
        if let Some(error) = &self.error {
            return Err(error.as_str().into());
        }
        let (number, count) = (self.number, self.count);
        if number != count {
            return Err(format!("detached after {number} of {count} messages").into());
        }
        let (received, first, last) = (self.received, self.first, self.last);
        Ok(format!(
            "received {received} messages, sequences {first}..{last}"
        ))
    }

    fn fail(&mut self, error: impl Into<String>) {
        self.error.get_or_insert(error.into());
    }

    fn miss(&mut self) {
        println!("missing {}", self.notice);
        if self.latest == zeps::LATEST_NEW || self.latest < self.notice.last {
            self.latest = self.notice.last;
        }
        self.gap = true;
    }

    fn take_ours(&mut self, number: u64, message: &zeps::Deliver<'_>) {
        if number <= self.number {
            return; // a duplicate: published again after the session was lost
        }
        if number > self.number + 1 && !self.gap {
            self.fail(format!("got {} after {PREFIX}{}", message.key, self.number));
        }
        self.number = number;
        self.gap = false;
        self.received += 1;
        if self.received == 1 {
            self.first = message.sequence;
        }
        self.last = message.sequence;
        if self.number == self.count {
            self.steps.push_back(Step::Close);
        }
    }
}

impl zeps_client::Host for Session {
    fn send(&mut self, _context: &mut zeps_client::Context, message: zeps::Message<'_>) {
        match message.encode() {
            Ok(frame) => self.outbox.push(frame),
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn attached(&mut self, _context: &mut zeps_client::Context, _message: &zeps::AttachOk) {
        self.steps.push_back(Step::Follow);
    }

    /// Grant credit, and publish the messages that were not received back yet.
    fn subscribed(&mut self, _context: &mut zeps_client::Context, _message: &zeps::SubscribeOk) {
        self.used = 0;
        self.steps.extend([Step::Grant(WINDOW), Step::Publish]);
        if self.number == self.count {
            self.steps.push_back(Step::Close);
        }
    }

    /// Check the order of messages, renew the credit, and detach after the last one.
    fn take_message(&mut self, _context: &mut zeps_client::Context, message: &zeps::Deliver<'_>) {
        self.used += message.size() as u64;
        if self.used > WINDOW / 2 {
            self.steps
                .push_back(Step::Grant(std::mem::take(&mut self.used)));
        }
        if self.latest != zeps::LATEST_NEW && message.sequence <= self.latest {
            self.fail(format!(
                "sequence {} after {}",
                message.sequence, self.latest
            ));
        }
        self.latest = message.sequence;
        let digits = message.body.strip_prefix(self.tag.as_bytes());
        let number = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        if let Some(number) = number {
            self.take_ours(number, message);
        }
    }

    /// Handle INVALID by its code: a gap, a refused SUBSCRIBE, another notice, or the end of the session. An unknown code
    /// ends the session (ZEPS-INVALID-6).
    fn read_notice(&mut self, context: &mut zeps_client::Context, message: &zeps::Invalid<'_>) {
        self.notice = Notice::of(message.reason);
        if self.notice.is_gap() {
            self.miss();
        } else if self.notice.is_refusal() {
            context.fail(zeps_client::InternalEvent::OnSubscribeRefused);
        } else if self.notice.code.is_some() {
            eprintln!("zeps-client: notice from the broker: {}", message.reason);
        } else {
            context.fail(zeps_client::InternalEvent::OnEnded);
        }
    }

    /// Subscribe again with a request that the broker accepts.
    fn refused(&mut self, _context: &mut zeps_client::Context) {
        match self.notice.code {
            Some(zeps::OpenCode::NotRetained) => self.miss(),
            Some(zeps::OpenCode::BeyondEnd) => {
                self.latest = self.notice.first.saturating_sub(1);
                println!("reset {}", self.latest);
            }
            _ if !self.pattern.is_empty() => {
                println!("refused {}: {}", self.pattern, self.notice.reason);
                self.pattern.clear(); // matches every key
            }
            _ => self.fail(format!("the broker refused: {}", self.notice.reason)),
        }
        self.steps.push_back(Step::Follow);
    }

    /// The machine counts the PINGs.
    fn answered(&mut self, _context: &mut zeps_client::Context, _message: &zeps::PingOk) {}

    fn attach_refused(&mut self, _context: &mut zeps_client::Context, message: &zeps::Invalid<'_>) {
        self.fail(format!("the broker refused: {}", message.reason));
    }

    /// The machine attaches again, over the same connection.
    fn session_lost(&mut self, _context: &mut zeps_client::Context) {
        eprintln!("zeps-client: the session is lost: {}", self.notice.reason);
        self.steps.clear();
    }

    fn broker_lost(
        &mut self,
        _context: &mut zeps_client::Context,
        _input: &zeps_client::Input<'_>,
    ) {
        self.steps.clear();
        self.lost = true;
    }

    fn detached(&mut self, _context: &mut zeps_client::Context, _input: &zeps_client::Input<'_>) {
        self.over = true;
    }
}
