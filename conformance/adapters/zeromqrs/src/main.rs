//! Adapter of the crate `zeromq` for the conformance suite: a JSON request per line of standard input, an answer
//! per line of standard output.

#![forbid(unsafe_code)]

mod adapter;
mod failure;
mod held_socket;
mod proxy;
mod request;
mod socket;

use std::io::{self, BufRead, Write};

use adapter::Adapter;

fn main() -> io::Result<()> {
    let mut adapter = Adapter::new()?;
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        writeln!(answers, "{}", adapter.answer(&line?))?;
        answers.flush()?;
        if adapter.over {
            break;
        }
    }
    Ok(())
}
