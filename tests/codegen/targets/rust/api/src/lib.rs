//! A crate without the standard library that uses `zeps-wire`; the tests of `zeps-wire` build it.

#![no_std]
#![forbid(unsafe_code)]

use zeps_wire::{zeps, DecodeError};

/// The sequence of a DELIVER.
///
/// # Errors
///
/// The frame does not contain a message.
pub fn sequence_of(frame: &[u8]) -> Result<Option<u64>, DecodeError> {
    match zeps::decode(frame)? {
        zeps::Message::Deliver(message) => Ok(Some(message.sequence)),
        _ => Ok(None),
    }
}
