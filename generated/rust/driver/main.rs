//! The conformance driver: requests on standard input, answers on standard output.

#![deny(unsafe_code)]

#[path = "../tests/answers/mod.rs"]
mod answers;

use std::io::{self, Read, Write};
use std::process::ExitCode;

const REQUEST_OCTETS_MAX: usize = 64 * 1024 * 1024;

fn main() -> ExitCode {
    match serve(&mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("driver: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers requests until the input ends. Answers are written when no complete request is left in the buffer.
fn serve(input: &mut impl Read, output: &mut impl Write) -> io::Result<ExitCode> {
    let mut buffer = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let count = match input.read(&mut piece) {
            Ok(0) => return Ok(ExitCode::SUCCESS),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        buffer.extend_from_slice(&piece[..count]);
        let mut rest = &buffer[..];
        let mut answers = Vec::new();
        while let Some((length, following)) = rest.split_first_chunk::<4>() {
            let size = u32::from_be_bytes(*length) as usize;
            if size > REQUEST_OCTETS_MAX {
                output.write_all(&answers)?;
                output.flush()?;
                eprintln!("driver: a request of {size} bytes is too large");
                return Ok(ExitCode::from(2));
            }
            let Some(request) = following.get(..size) else {
                break;
            };
            let answer = answers::handle(request);
            answers.extend_from_slice(&(answer.len() as u32).to_be_bytes());
            answers.extend_from_slice(&answer);
            rest = &following[size..];
        }
        let done = buffer.len() - rest.len();
        buffer.drain(..done);
        output.write_all(&answers)?;
        output.flush()?;
    }
}
