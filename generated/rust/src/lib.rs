//! Codecs and state machines, generated from the models.
//!
//! Protocols: ZEPS journal, ZeroMQ Enterprise Publish-Subscribe, ZMTP 3, publish-subscribe,
//! ZMTP 1.0, ZMTP 2.0, ZMTP frames.
//!
//! A decoded message borrows its text, bytes and lists from the frame. An encoder allocates exactly one frame. Without
//! the feature `std` the crate needs only `alloc`.
//!
//! ```
//! use zeps_wire::{zeps, Encode};
//!
//! let message = zeps::Deliver { sequence: 1, key: "a", body: b"a" };
//! let frame = message.encode()?;
//! assert_eq!(zeps::decode(&frame), Ok(zeps::Message::Deliver(message)));
//! if let Err(error) = zeps::decode(&frame[1..]) {
//!     println!("{error}"); // the kind of the error, and the offset
//! }
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod error;
pub mod list;
mod machine;
mod text;
#[allow(dead_code)] // the models determine which parts are used
mod wire;

pub mod journal;
pub mod zeps;
pub mod zeps_client;
pub mod zeps_server;
pub mod zmtp;
pub mod zmtp_1;
pub mod zmtp_2;
pub mod zmtp_frame;
pub mod zmtp_publisher;
pub mod zmtp_subscriber;

pub use error::{Code, DecodeError, EncodeError, MachineError};
pub use machine::{Row, Since, Timer, RAISES_MAX};
pub use wire::{Encode, EncodeFrames, Frames, Sink};
