//! The reason of an INVALID: `code [SP first SP last] SP text`.

use std::fmt;

use zeps_wire::list::Worded;
use zeps_wire::zeps::OpenCode;

/// The reason of an INVALID. `code` is `None` if the code is unknown or ends the session.
#[derive(Clone, Default)]
pub struct Notice {
    pub code: Option<OpenCode>,
    pub first: u64,
    pub last: u64,
    pub reason: String,
}

impl Notice {
    pub fn of(reason: &str) -> Self {
        let mut words = reason.splitn(4, ' ');
        let code = OpenCode::of_text(words.next().unwrap_or_default());
        let mut sequence = || words.next().and_then(|word| word.parse().ok());
        let (first, last) = sequence().zip(sequence()).unwrap_or_default();
        let reason = reason.into();
        Notice {
            code,
            first,
            last,
            reason,
        }
    }

    /// Whether messages from first to last are lost.
    pub fn is_gap(&self) -> bool {
        matches!(self.code, Some(OpenCode::Retention | OpenCode::Damage))
    }

    /// Whether it refuses a SUBSCRIBE.
    pub fn is_refusal(&self) -> bool {
        use OpenCode::{BadPattern, BeyondEnd, NotRetained, TooManySubscriptions};
        matches!(
            self.code,
            Some(BadPattern | TooManySubscriptions | NotRetained | BeyondEnd)
        )
    }
}

/// The missing range, as the client prints it.
impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or("", OpenCode::as_str);
        write!(f, "{} {} {code}", self.first, self.last)
    }
}
