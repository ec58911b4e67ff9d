//! Encode and decode one DELIVER (16-byte key, 250-byte body): the generated codec, a hand-written floor, and prost.
//!
//! ```text
//! codec-rust [RUNS [COUNT]]
//! ```
//!
//! Prints one line of JSON per figure: nanoseconds per call (median of RUNS), and allocations per call.

mod floor;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use prost::Message as _;
use zeps_wire::{zeps, Encode};

/// Counts allocations and passes them to the system's allocator.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all calls are passed to the system's allocator
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        System.dealloc(place, layout);
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        System.realloc(place, layout, size)
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The same message in protobuf.
#[derive(Clone, PartialEq, prost::Message)]
struct Protobuf {
    #[prost(uint64, tag = "1")]
    sequence: u64,
    #[prost(string, tag = "2")]
    key: String,
    #[prost(bytes = "vec", tag = "3")]
    body: Vec<u8>,
}

const KEY: &str = "NASDAQ.AAPL.0001";
const SEQUENCE: u64 = 1 << 40;

struct Peer<'p> {
    name: &'static str,
    call: Box<dyn Fn(u64) + 'p>,
    times: Vec<f64>,
}

fn peer<'p>(name: &'static str, call: impl Fn(u64) + 'p) -> Peer<'p> {
    Peer {
        name,
        call: Box::new(call),
        times: Vec::new(),
    }
}

/// Calls `once` `count` times; its result is opaque to the compiler.
fn repeat<T>(count: u64, mut once: impl FnMut() -> T) {
    for _ in 0..count {
        black_box(once());
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |otherwise| {
        arguments
            .next()
            .map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let (runs, count) = (next(15), next(200_000));
    let body: Vec<u8> = (0..250).collect();
    let message = zeps::Deliver {
        sequence: SEQUENCE,
        key: KEY,
        body: &body,
    };
    let by_hand = floor::Deliver {
        sequence: SEQUENCE,
        key: KEY,
        body: &body,
    };
    let protobuf = Protobuf {
        sequence: SEQUENCE,
        key: KEY.into(),
        body: body.clone(),
    };
    let frame = message.encode().expect("a message");
    let protobuf_frame = protobuf.encode_to_vec();
    assert_eq!(zeps::decode(&frame), Ok(zeps::Message::Deliver(message)));
    assert_eq!(floor::decode(&frame), Some(by_hand));
    let mut again = [0; 512];
    assert_eq!(floor::encode(&by_hand, &mut again), Some(frame.len()));
    assert_eq!(again[..frame.len()], frame);

    let mut peers = [
        peer("decode: zeps_wire", |count| {
            repeat(count, || zeps::decode(black_box(&frame)));
        }),
        peer("decode: floor, by hand", |count| {
            repeat(count, || floor::decode(black_box(&frame)));
        }),
        peer("decode: floor, key as bytes, unchecked", |count| {
            repeat(count, || floor::decode_octets(black_box(&frame)));
        }),
        peer("decode: prost", |count| {
            repeat(count, || Protobuf::decode(black_box(&protobuf_frame[..])));
        }),
        peer("encode: zeps_wire", |count| {
            let mut buffer = [0; 512];
            repeat(count, || {
                black_box(&message).encode_to_slice(black_box(&mut buffer))
            });
        }),
        peer("encode: zeps_wire, reused Vec", |count| {
            let mut buffer = Vec::with_capacity(512);
            repeat(count, || {
                let buffer = black_box(&mut buffer);
                buffer.clear();
                black_box(&message).encode_into(buffer)
            });
        }),
        peer("encode: floor, by hand", |count| {
            let mut buffer = [0; 512];
            repeat(count, || {
                floor::encode(black_box(&by_hand), black_box(&mut buffer))
            });
        }),
        peer("encode: prost, reused buffer", |count| {
            let mut buffer = Vec::with_capacity(512);
            repeat(count, || {
                let buffer = black_box(&mut buffer);
                buffer.clear();
                black_box(&protobuf).encode(buffer)
            });
        }),
    ];
    for _ in 0..runs {
        for peer in &mut peers {
            let start = Instant::now();
            (peer.call)(count);
            peer.times
                .push(start.elapsed().as_nanos() as f64 / count as f64);
        }
    }
    for peer in &mut peers {
        let mut sorted = peer.times.clone();
        sorted.sort_by(f64::total_cmp);
        let runs: Vec<String> = peer.times.iter().map(|time| format!("{time:.3}")).collect();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        (peer.call)(1000);
        let allocations = (ALLOCATIONS.load(Ordering::Relaxed) - before) / 1000;
        println!(
            "{{\"what\": \"{}\", \"ns\": {:.3}, \"allocations\": {allocations}, \"runs\": [{}]}}",
            peer.name,
            sorted[sorted.len() / 2],
            runs.join(", ")
        );
    }
}
