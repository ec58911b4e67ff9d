//! Measures the time and the allocations of decoding.

#![allow(unsafe_code)] // needed for an allocator that counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

struct Counting;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: all calls go to the system's allocator
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size() as u64, Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        System.dealloc(place, layout);
    }
}

/// Decodes `count` times; the answer has the nanoseconds and the allocated bytes.
pub fn measured<T, E>(count: u8, decode: impl Fn() -> Result<T, E>) -> Vec<u8> {
    let mut answer = Vec::with_capacity(17);
    let (mut verdict, before, start) = (b'-', ALLOCATED.load(Relaxed), Instant::now());
    for _ in 0..count {
        verdict = if black_box(decode()).is_ok() { b'+' } else { b'-' };
    }
    let (elapsed, after) = (start.elapsed().as_nanos() as u64, ALLOCATED.load(Relaxed));
    answer.push(verdict);
    answer.extend_from_slice(&elapsed.to_be_bytes());
    answer.extend_from_slice(&(after - before).to_be_bytes());
    answer
}
