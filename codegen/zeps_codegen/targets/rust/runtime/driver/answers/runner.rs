//! Machines: steps are run here, and what they did is told.

#![allow(dead_code)] // which of it is used depends on the models

use zeps_wire::EncodeError;

use super::fields::{Fields, Values};
use super::request::{put_blob, put_count, put_name, Cursor, Refusal, Value};

/// The host of any machine: it writes down what it is asked for, and fails when it has been told to.
pub struct Recorder<E> {
    log: Vec<(&'static str, Vec<u8>)>,
    armed: Vec<(&'static str, E)>,
    refused: bool,
}

impl<E: Copy> Recorder<E> {
    pub fn new() -> Self {
        Recorder {
            log: Vec::new(),
            armed: Vec::new(),
            refused: false,
        }
    }

    /// A message was sent: its frame, or its frames one after the other, each with its length.
    pub fn sent(&mut self, frames: Result<Vec<Vec<u8>>, EncodeError>) {
        self.refused |= frames.is_err();
        let mut frames = frames.unwrap_or_default();
        let mut blob = Vec::new();
        if frames.len() == 1 {
            blob = frames.remove(0);
        }
        frames.iter().for_each(|frame| put_blob(&mut blob, frame));
        self.log.push(("send", blob));
    }

    /// A host action runs: the event that it fails with, if it has been told to.
    pub fn act(&mut self, action: &'static str) -> Option<E> {
        self.log.push((action, Vec::new()));
        let place = self.armed.iter().position(|(name, _)| *name == action)?;
        Some(self.armed.remove(place).1)
    }

    pub fn arm(&mut self, action: &'static str, event: E) {
        self.armed.retain(|(name, _)| *name != action);
        self.armed.push((action, event));
    }

    fn begin(&mut self) {
        self.log.clear();
        self.refused = false;
    }

    fn report(&self, outcome: u8) -> u8 {
        if self.refused {
            b'e'
        } else {
            outcome
        }
    }
}

/// A machine that requests can drive.
pub trait Runner {
    type Event: Copy;

    fn recorder(&mut self) -> &mut Recorder<Self::Event>;
    fn receive(&mut self, frame: &[u8]) -> u8;
    fn call(&mut self, event: &str, values: &[Value<'_>]) -> Result<u8, Refusal>;
    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal>;
    fn arm(&mut self, action: &str, event: &str) -> u8;
    fn place(&self) -> (&'static str, bool);
    fn variables(&self, values: &mut Values);
}

/// Take a fresh machine through the steps of a request.
pub fn run(mut runner: impl Runner, cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Refusal> {
    let mut answer = vec![b'+'];
    for _ in 0..cursor.number()? {
        runner.recorder().begin();
        let outcome = match step(&mut runner, cursor) {
            Ok(outcome) => outcome,
            Err(Refusal::Value(_)) => b'x',
            Err(refusal) => return Err(refusal),
        };
        answer.push(runner.recorder().report(outcome));
        let (state, terminated) = runner.place();
        put_name(&mut answer, state);
        answer.push(u8::from(terminated));
        let mut values = Values::default();
        runner.variables(&mut values);
        values.end(&mut answer);
        let log = &runner.recorder().log;
        put_count(&mut answer, log.len());
        for (name, frame) in log {
            put_name(&mut answer, name);
            put_blob(&mut answer, frame);
        }
    }
    cursor.end()?;
    Ok(answer)
}

fn step(runner: &mut impl Runner, cursor: &mut Cursor<'_>) -> Result<u8, Refusal> {
    match cursor.octet()? {
        b'm' => Ok(runner.receive(cursor.blob()?)),
        b'c' => {
            let event = cursor.name()?;
            runner.call(event, &cursor.values()?)
        }
        b'v' => {
            let variable = cursor.name()?;
            runner.set(variable, &mut Fields::new("a variable", &[cursor.value()?]))
        }
        b'f' => {
            let action = cursor.name()?;
            Ok(runner.arm(action, cursor.name()?))
        }
        other => Err(format!("no step begins with {other:#04x}").into()),
    }
}

/// The outcome of a call: taken, no guard held, or not handled.
pub fn called<E>(outcome: Result<bool, E>) -> u8 {
    match outcome {
        Ok(true) => b't',
        Ok(false) => b'n',
        Err(_) => b'h',
    }
}
