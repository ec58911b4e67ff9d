//! The engine of the generated machines, their tables as data, and conversions of values that machines send.

#![allow(dead_code)] // the models determine which parts are used

use crate::error::{Code, EncodeError, MachineError};
use crate::list::{Numbered, Worded};
use crate::wire::{self, Put};

/// The greatest number of events that host actions may fail with or raise while one event is handled.
pub const RAISES_MAX: usize = 8;

/// One row of a machine's table, as data. Rows of one state and event are tried in order; the first with a true guard
/// is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<S: 'static, E: 'static> {
    /// The state that the row belongs to.
    pub state: S,
    /// The event that the row handles.
    pub event: E,
    /// The guard in the model's language.
    pub guard: Option<&'static str>,
    /// The steps in their order.
    pub steps: &'static [&'static str],
    /// The next state. Without one the machine stays in its state and neither leaves nor enters it.
    pub next: Option<S>,
    /// The number of steps that run before the state changes.
    pub before_at: usize,
}

/// The outcome of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A row was taken.
    Taken,
    /// The event has rows, but none of their guards is true.
    NotTaken,
    /// The state has no row for the event.
    NoRow,
}

/// The interface of a machine for the engine.
pub(crate) trait Rows {
    type State: Copy + PartialEq + 'static;
    type Event: Copy + 'static;
    /// The events that host actions may fail with or raise.
    type Internal: Copy;
    type Input<'a>;

    fn state(&self) -> Self::State;

    /// The names of an event and of a state.
    fn names(state: Self::State, event: Self::Event) -> (&'static str, &'static str);

    fn event_of(input: &Self::Input<'_>) -> Self::Event;

    fn internal(event: Self::Internal) -> Self::Input<'static>;

    /// Takes the event that the row has raised.
    fn take_raised(&mut self) -> Option<Self::Internal> {
        None
    }

    /// Reports a row that was taken.
    fn took(&mut self, from: Self::State, event: Self::Event);

    /// Restarts the timers that count from the last message received.
    fn received(&mut self) {}

    /// Runs the row for `input` in the current state. An error is the event that a host action failed with.
    fn step(&mut self, input: &Self::Input<'_>) -> Result<Verdict, Self::Internal>;
}

/// Runs the row for `input`. Returns its outcome and the event to handle next: the one that a host action failed
/// with or raised.
fn take<M: Rows>(machine: &mut M, input: &M::Input<'_>) -> (Verdict, Option<M::Internal>) {
    machine.take_raised();
    let (from, result) = (machine.state(), machine.step(input));
    let following = match result {
        Ok(Verdict::Taken) => machine.take_raised(),
        Ok(verdict) => return (verdict, None),
        Err(failed) => Some(failed),
    };
    machine.took(from, M::event_of(input));
    (Verdict::Taken, following)
}

/// Runs the row for `input`, then the rows of the events that follow from it.
fn run<M: Rows>(machine: &mut M, input: &M::Input<'_>) -> Result<Verdict, MachineError> {
    let (verdict, mut following) = take(machine, input);
    let mut count = 0;
    while let Some(internal) = following {
        let (input, state) = (M::internal(internal), machine.state());
        let (event, state) = M::names(state, M::event_of(&input));
        if count == RAISES_MAX {
            return Err(MachineError::TooDeep { event, state });
        }
        let (verdict, next) = take(machine, &input);
        if verdict != Verdict::Taken {
            return Err(MachineError::Unhandled { event, state });
        }
        following = next;
        count += 1;
    }
    Ok(verdict)
}

/// Handles a received message.
pub(crate) fn receive<M: Rows>(machine: &mut M, input: &M::Input<'_>) -> Result<(), MachineError> {
    machine.received();
    let state = machine.state();
    match run(machine, input)? {
        Verdict::Taken => Ok(()),
        _ => {
            let (event, state) = M::names(state, M::event_of(input));
            Err(unexpected(event, state))
        }
    }
}

/// Handles an event of the host or the application. Returns whether a row was taken.
pub(crate) fn handle<M: Rows>(
    machine: &mut M,
    input: &M::Input<'_>,
) -> Result<bool, MachineError> {
    let state = machine.state();
    match run(machine, input)? {
        Verdict::Taken => Ok(true),
        Verdict::NotTaken => Ok(false),
        Verdict::NoRow => {
            let (event, state) = M::names(state, M::event_of(input));
            Err(MachineError::Unhandled { event, state })
        }
    }
}

/// The error of a message that the state does not handle.
#[cold]
pub(crate) fn unexpected(event: &'static str, state: &'static str) -> MachineError {
    MachineError::Unexpected { event, state }
}

/// The events that the running host action fails with and raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signals<E> {
    acting: bool,
    failed: Option<E>,
    raised: Option<E>,
}

impl<E> Default for Signals<E> {
    fn default() -> Self {
        Signals {
            acting: false,
            failed: None,
            raised: None,
        }
    }
}

impl<E> Signals<E> {
    /// Sets the event that the running action fails with. Returns false if no action runs.
    pub(crate) fn fail(&mut self, event: E) -> bool {
        if self.acting {
            self.failed = Some(event);
        }
        self.acting
    }

    /// Sets the event that the running action raises. Returns false if no action runs.
    pub(crate) fn raise(&mut self, event: E) -> bool {
        if self.acting {
            self.raised = Some(event);
        }
        self.acting
    }

    /// Marks the beginning of an action.
    pub(crate) fn begin(&mut self) {
        self.acting = true;
    }

    /// Marks the end of an action. An error is the event that it failed with.
    pub(crate) fn end(&mut self) -> Result<(), E> {
        self.acting = false;
        self.failed.take().map_or(Ok(()), Err)
    }

    pub(crate) fn take_raised(&mut self) -> Option<E> {
        self.raised.take()
    }
}

// --- timers

/// The start of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Since {
    /// The entry to the state.
    Entered,
    /// The last message sent.
    Sent,
    /// The last message received.
    Received,
}

/// A timer of a machine as data: `event` is due the given milliseconds after `since`, while the machine is in one of
/// `states`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer<S: 'static, E: 'static> {
    /// The event that is due.
    pub event: E,
    /// The duration in the model's language; 0 disables the timer.
    pub milliseconds: &'static str,
    /// The start of the timer. Before the first message it is the entry to the state.
    pub since: Since,
    /// The states in which the timer runs.
    pub states: &'static [S],
}

/// The time and the deadlines of `N` timers, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock<const N: usize> {
    now: Option<u64>,
    due: [Option<u64>; N],
}

impl<const N: usize> Default for Clock<N> {
    fn default() -> Self {
        Clock {
            now: None,
            due: [None; N],
        }
    }
}

impl<const N: usize> Clock<N> {
    pub(crate) fn deadline(&self) -> Option<u64> {
        self.due.iter().flatten().min().copied()
    }
}

/// A machine with timers.
pub(crate) trait Timed<const N: usize>: Rows {
    const TIMERS: &'static [Timer<Self::State, Self::Event>];

    fn set_state(&mut self, state: Self::State);

    fn clock(&mut self) -> &mut Clock<N>;

    /// The duration of the timer.
    fn milliseconds(&self, timer: usize) -> u64;

    /// The event of the timer.
    fn expired(timer: usize) -> Self::Input<'static>;
}

/// Starts or restarts the timer.
fn start<M: Timed<N>, const N: usize>(machine: &mut M, timer: usize) {
    let milliseconds = machine.milliseconds(timer);
    let clock = machine.clock();
    let due = clock.now.and_then(|now| now.checked_add(milliseconds));
    clock.due[timer] = due.filter(|due| milliseconds > 0 && *due < u64::MAX);
}

/// Changes the state, starts the timers of the new state, and stops the others.
pub(crate) fn enter<M: Timed<N>, const N: usize>(machine: &mut M, state: M::State) {
    let before = machine.state();
    machine.set_state(state);
    for (number, timer) in M::TIMERS.iter().enumerate() {
        if !timer.states.contains(&state) {
            machine.clock().due[number] = None;
        } else if timer.since == Since::Entered || !timer.states.contains(&before) {
            start(machine, number);
        }
    }
}

/// Restarts the timers that count from `since`.
pub(crate) fn restart<M: Timed<N>, const N: usize>(machine: &mut M, since: Since) {
    let state = machine.state();
    for (number, timer) in M::TIMERS.iter().enumerate() {
        if timer.since == since && timer.states.contains(&state) {
            start(machine, number);
        }
    }
}

/// Restarts the timers that count from the last message sent, if the message can be encoded.
pub(crate) fn sent<M: Timed<N>, const N: usize>(machine: &mut M, message: &impl Put) {
    if wire::check(message).is_ok() {
        restart(machine, Since::Sent);
    }
}

/// Sets the clock to `now` and handles the events that are due. Returns whether a row was taken.
pub(crate) fn advance<M: Timed<N>, const N: usize>(
    machine: &mut M,
    now: u64,
) -> Result<bool, MachineError> {
    let (before, state) = (machine.clock().now, machine.state());
    let now = now.max(before.unwrap_or(0));
    machine.clock().now = Some(now);
    if before.is_none() {
        let timers = M::TIMERS.iter().enumerate();
        timers.filter(|(_, timer)| timer.states.contains(&state)).for_each(|(number, _)| start(machine, number));
    }
    let mut taken = false;
    loop {
        let due = machine.clock().due.iter().enumerate();
        let next = due.filter_map(|(number, due)| due.map(|due| (due, number))).min();
        let Some((_, number)) = next.filter(|(due, _)| *due <= now) else {
            return Ok(taken);
        };
        start(machine, number);
        taken |= handle(machine, &M::expired(number))?;
    }
}

// --- values that a message is sent with, as its fields hold them

/// The names of a message and a field.
pub(crate) type Place = (&'static str, &'static str);

fn refused(code: Code, (message, field): Place) -> EncodeError {
    EncodeError::new(code, message, field)
}

/// The value of a field that the host has filled, or the code of an error if the message cannot carry it.
pub type Draft<T> = Option<Result<T, Code>>;

/// The value of a filled field, or an error if the field is not set.
pub(crate) fn filled<T>(draft: &Draft<T>, place: Place) -> Result<&T, EncodeError> {
    match draft {
        Some(Ok(value)) => Ok(value),
        Some(Err(code)) => Err(refused(*code, place)),
        None => Err(refused(Code::NotSet, place)),
    }
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
