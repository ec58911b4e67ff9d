//! What the generated machines share: the engine, rows of tables, and values that messages are sent with.

#![allow(dead_code)] // which of it is used depends on the models

use crate::error::{Code, EncodeError, MachineError};
use crate::list::{Numbered, Worded};

/// Events in turn that host actions may fail with while one event is handled.
pub const RAISES_MAX: usize = 8;

/// One row of a machine's table, as data. Rows of one state and event are tried in order; the first whose guard
/// holds is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<S: 'static, E: 'static> {
    /// The state in which the row counts.
    pub state: S,
    /// The event that it is for.
    pub event: E,
    /// What has to hold, as the model says it.
    pub guard: Option<&'static str>,
    /// What is done, in order.
    pub steps: &'static [&'static str],
    /// The state that follows; without one the state stays, and is neither left nor entered.
    pub next: Option<S>,
    /// How many steps run before the state changes.
    pub before_at: usize,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A row was taken.
    Taken,
    /// There are rows, and none of their guards held.
    NotTaken,
    /// The state has no row for the event.
    NoRow,
}

/// A machine, as the engine drives it.
pub(crate) trait Rows {
    type Event: Copy;
    type Input<'a>;

    fn state_name(&self) -> &'static str;

    fn event_name(event: Self::Event) -> &'static str;

    fn event_of(input: &Self::Input<'_>) -> Self::Event;

    /// The event as a host action may fail with it; None if it carries something.
    fn bare(event: Self::Event) -> Option<Self::Input<'static>>;

    /// The event that a host action has failed with, which is then forgotten.
    fn take_failed(&mut self) -> Option<Self::Event>;

    /// Take the row for `input` in the state that the machine is in; or the event that a host action fails with.
    fn step(&mut self, input: &Self::Input<'_>) -> Result<Verdict, Self::Event>;
}

/// Take the row for `input`; should a host action fail, then that for the event it names, and so on.
fn take<M: Rows>(machine: &mut M, input: &M::Input<'_>) -> Result<Verdict, MachineError> {
    machine.take_failed();
    match machine.step(input) {
        Ok(verdict) => Ok(verdict),
        Err(event) => recover(machine, event),
    }
}

#[cold]
fn recover<M: Rows>(machine: &mut M, mut failed: M::Event) -> Result<Verdict, MachineError> {
    for _ in 0..RAISES_MAX {
        let (event, state) = (M::event_name(failed), machine.state_name());
        let verdict = match M::bare(failed) {
            Some(input) => machine.step(&input),
            None => Ok(Verdict::NoRow),
        };
        match verdict {
            Ok(Verdict::Taken) => return Ok(Verdict::Taken),
            Ok(_) => return Err(MachineError::Unhandled { event, state }),
            Err(another) => failed = another,
        }
    }
    let (event, state) = (M::event_name(failed), machine.state_name());
    Err(MachineError::TooDeep { event, state })
}

/// The event that a host action has failed with, as an error.
pub(crate) fn done<E>(failed: &mut Option<E>) -> Result<(), E> {
    failed.take().map_or(Ok(()), Err)
}

/// Handle a message that arrived.
pub(crate) fn receive<M: Rows>(machine: &mut M, input: &M::Input<'_>) -> Result<(), MachineError> {
    let state = machine.state_name();
    match take(machine, input)? {
        Verdict::Taken => Ok(()),
        _ => Err(unexpected(M::event_name(M::event_of(input)), state)),
    }
}

/// Handle an event of the host's or the application's; whether a guard held.
pub(crate) fn handle<M: Rows>(
    machine: &mut M,
    input: &M::Input<'_>,
) -> Result<bool, MachineError> {
    let state = machine.state_name();
    match take(machine, input)? {
        Verdict::Taken => Ok(true),
        Verdict::NotTaken => Ok(false),
        Verdict::NoRow => {
            let event = M::event_name(M::event_of(input));
            Err(MachineError::Unhandled { event, state })
        }
    }
}

/// The error of a message that the state does not take.
#[cold]
pub(crate) fn unexpected(event: &'static str, state: &'static str) -> MachineError {
    MachineError::Unexpected { event, state }
}

// --- values that a message is sent with, as its fields hold them

/// The message and the field that a value is for.
pub(crate) type Place = (&'static str, &'static str);

fn refused(code: Code, (message, field): Place) -> EncodeError {
    EncodeError::new(code, message, field)
}

pub(crate) fn number<T: TryFrom<u64>>(value: u64, place: Place) -> Result<T, EncodeError> {
    T::try_from(value).map_err(|_| refused(Code::TooLong, place))
}

pub(crate) fn member<E: Numbered>(value: u64, place: Place) -> Result<E, EncodeError> {
    let is_positive = !E::IS_SIGNED || i64::try_from(value).is_ok();
    let member = E::of_number(value).filter(|_| is_positive);
    member.ok_or_else(|| refused(Code::BadConstant, place))
}

pub(crate) fn word<E: Worded>(value: &str, place: Place) -> Result<E, EncodeError> {
    E::of_text(value).ok_or_else(|| refused(Code::BadConstant, place))
}

pub(crate) fn octets<const N: usize>(value: &[u8], place: Place) -> Result<&[u8; N], EncodeError> {
    let code = if value.len() > N { Code::TooLong } else { Code::Truncated };
    value.try_into().map_err(|_| refused(code, place))
}

/// The number of an enumeration's member; 0 if it is negative.
pub(crate) fn natural<E: Numbered>(member: E) -> u64 {
    let number = member.to_number();
    if E::IS_SIGNED && number > i64::MAX as u64 {
        return 0;
    }
    number
}
