//! Runs the steps of a machine request and reports their outcomes.

#![allow(dead_code)] // the models determine which parts are used

use std::collections::BTreeMap;

use zeps_wire::EncodeError;

use super::fields::{Fields, Values};
use super::request::{put_blob, put_count, put_name, Cursor, Refusal, Value};

/// A host that records its calls, and fails or raises events as the request specifies.
#[derive(Default)]
pub struct Recorder {
    log: Vec<(&'static str, Vec<u8>)>,
    failing: BTreeMap<&'static str, &'static str>,
    raising: BTreeMap<&'static str, &'static str>,
    refused: bool,
}

impl Recorder {
    /// Records a sent message: its frame, or its frames with their lengths.
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

    /// Records a host action. Returns the events that it fails with and raises.
    pub fn act(&mut self, action: &'static str) -> (Option<&'static str>, Option<&'static str>) {
        self.log.push((action, Vec::new()));
        (self.failing.remove(action), self.raising.remove(action))
    }
}

/// A machine that requests can drive.
pub trait Runner {
    /// The host actions.
    const ACTIONS: &'static [&'static str];
    /// The events that they may fail with or raise.
    const INTERNAL: &'static [&'static str];

    fn recorder(&mut self) -> &mut Recorder;
    fn receive(&mut self, frames: &[&[u8]]) -> u8;
    fn call(&mut self, event: &str, values: &[Value<'_>]) -> Result<u8, Refusal>;
    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal>;
    fn fill(
        &mut self,
        message: &str,
        field: &str,
        fields: &mut Fields<'_, '_>,
    ) -> Result<u8, Refusal>;

    /// Returns the outcome and the next deadline of a machine with timers.
    fn advance(&mut self, _now: u64) -> Option<(u8, Option<u64>)> {
        None
    }

    fn place(&self) -> (&'static str, bool);
    fn variables(&self, values: &mut Values);
}

/// Runs the steps of a request on a new machine.
pub fn run(mut runner: impl Runner, cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Refusal> {
    let mut answer = vec![b'+'];
    for _ in 0..cursor.number(4)? {
        runner.recorder().log.clear();
        runner.recorder().refused = false;
        let mut deadline = None;
        let outcome = match step(&mut runner, cursor, &mut deadline) {
            Ok(outcome) => outcome,
            Err(Refusal::Value(_)) => b'x',
            Err(refusal) => return Err(refusal),
        };
        let refused = runner.recorder().refused;
        answer.push(if refused { b'e' } else { outcome });
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
        if let Some(due) = deadline {
            answer.push(u8::from(due.is_some()));
            answer.extend_from_slice(&due.unwrap_or(0).to_be_bytes());
        }
    }
    cursor.end()?;
    Ok(answer)
}

fn step<R: Runner>(
    runner: &mut R,
    cursor: &mut Cursor<'_>,
    deadline: &mut Option<Option<u64>>,
) -> Result<u8, Refusal> {
    let kind = cursor.octet()?;
    match kind {
        b'm' => Ok(runner.receive(&[cursor.blob()?])),
        b'a' => Ok(runner.receive(&cursor.blobs()?)),
        b'c' => {
            let event = cursor.name()?;
            runner.call(event, &cursor.values()?)
        }
        b'v' => {
            let variable = cursor.name()?;
            runner.set(variable, &mut Fields::new("a variable", &[cursor.value()?]))
        }
        b'w' => {
            let (message, field) = (cursor.name()?, cursor.name()?);
            runner.fill(
                message,
                field,
                &mut Fields::new("a field", &[cursor.value()?]),
            )
        }
        b'f' | b'n' => {
            let (action, event) = (cursor.name()?, cursor.name()?);
            let action = R::ACTIONS.iter().find(|one| **one == action);
            let event = R::INTERNAL.iter().find(|one| **one == event);
            let Some((action, event)) = action.zip(event) else {
                return Ok(b'x');
            };
            let recorder = runner.recorder();
            let armed = if kind == b'f' {
                &mut recorder.failing
            } else {
                &mut recorder.raising
            };
            armed.insert(action, event);
            Ok(b'v')
        }
        b't' => {
            let advanced = runner.advance(cursor.number(8)?);
            *deadline = advanced.map(|(_, due)| due);
            Ok(advanced.map_or(b'x', |(outcome, _)| outcome))
        }
        other => Err(format!("unknown kind of step {other:#04x}").into()),
    }
}

/// The outcome of a call, as a letter of answers.
pub fn called<E>(outcome: Result<bool, E>) -> u8 {
    match outcome {
        Ok(true) => b't',
        Ok(false) => b'n',
        Err(_) => b'h',
    }
}
