//! Classes of text: UTF-8, UTF-8 without control characters, and visible ASCII.

use crate::error::Code;

/// A class of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    Utf8,
    /// UTF-8 without the control characters: Unicode's category Cc, U+0000 to U+001F and U+007F to U+009F.
    Printable,
    /// `%x21-7E`
    Vchar,
}

impl Text {
    /// Converts bytes to text of this class, or returns `bad-text`.
    #[inline]
    pub(crate) fn of(self, octets: &[u8]) -> Result<&str, Code> {
        let text = core::str::from_utf8(octets).map_err(|_| Code::BadText)?;
        self.check(text)?;
        Ok(text)
    }

    /// Returns `bad-text` if `text` contains a character that the class forbids.
    #[inline]
    pub(crate) fn check(self, text: &str) -> Result<(), Code> {
        let is_right = match self {
            Text::Utf8 => true,
            Text::Printable => is_printable(text),
            Text::Vchar => text.bytes().all(|octet| octet.is_ascii_graphic()),
        };
        if is_right {
            return Ok(());
        }
        Err(Code::BadText)
    }
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte that may be part of a control character: below 0x20, 0x7F, or not ASCII.
#[inline]
const fn suspects(octets: u64) -> u64 {
    let low = octets & !HIGH;
    // 0x60 + (0x20 to 0x7F) reaches the high bit; 0x01 + 0x7F does
    (octets | !(low + LOW * 0x60) | (low + LOW)) & HIGH
}

/// Whether all bytes are ASCII without control characters.
#[inline]
pub(crate) fn is_plain(octets: &[u8]) -> bool {
    let Some(last) = octets.last_chunk::<8>() else {
        return octets.iter().all(|octet| matches!(octet, 0x20..=0x7e));
    };
    // the last word may overlap the one before it
    let mut found = suspects(u64::from_ne_bytes(*last));
    let mut rest = octets;
    while let Some((word, following)) = rest.split_first_chunk::<8>() {
        found |= suspects(u64::from_ne_bytes(*word));
        rest = following;
    }
    found == 0
}

#[inline]
fn is_printable(text: &str) -> bool {
    is_plain(text.as_bytes()) || !has_control(text)
}

#[inline(never)] // so that encoders and decoders of plain text stay small
fn has_control(text: &str) -> bool {
    text.contains(char::is_control)
}
