//! Holds sockets of the crate `zeromq` for the conformance suite: a JSON request per line of standard input, an answer
//! per line of standard output.

#![forbid(unsafe_code)]

mod failure;
mod proxy;
mod request;
mod shim;
mod socket;
mod testee;

use std::io::{self, BufRead, Write};

use shim::Shim;

fn main() -> io::Result<()> {
    let mut shim = Shim::new()?;
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        writeln!(answers, "{}", shim.answer(&line?))?;
        answers.flush()?;
        if shim.over {
            break;
        }
    }
    Ok(())
}
