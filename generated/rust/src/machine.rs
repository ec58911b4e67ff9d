//! What the generated machines share: a row of their tables.

use crate::wire::Encode;

/// Events in turn that host actions may fail with while one event is handled.
pub const RAISES_MAX: usize = 8;

/// Octets of the encoded message, as guards count them.
#[allow(dead_code)] // not every machine counts
pub(crate) fn octets_of(message: &impl Encode) -> u64 {
    message.size() as u64
}

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
#[allow(dead_code)] // not every machine has guards
pub(crate) enum Verdict {
    /// A row was taken.
    Taken,
    /// There are rows, and none of their guards held.
    NotTaken,
    /// The state has no row for the event.
    NoRow,
}
