//! Decoding does not allocate memory, and encoding allocates only the frame.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use zeps_wire::list::{ListBuf, U32};
use zeps_wire::{zeps, Encode};

struct Counting;

thread_local! {
    // per thread, since the threads of the test runner allocate too
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        System.dealloc(place, layout);
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(mut work: impl FnMut()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn allocations_are_counted() {
    let body = [7; 250];
    let message = zeps::Deliver {
        sequence: 9,
        key: "NASDAQ.AAPL.0001",
        body: &body,
    };
    let mut frame = Vec::new();
    assert_eq!(allocations(|| frame = message.encode().unwrap()), 1);
    assert_eq!(frame.capacity(), message.size());
    assert_eq!(allocations(|| assert!(zeps::decode(&frame).is_ok())), 0);
    for size in 0..frame.len() {
        assert_eq!(
            allocations(|| assert!(zeps::decode(&frame[..size]).is_err())),
            0
        );
    }
    frame.clear();
    assert_eq!(allocations(|| message.encode_into(&mut frame).unwrap()), 0);
    assert_eq!(
        allocations(|| assert!(message.encode_to_slice(&mut frame).is_ok())),
        0
    );
    let numbers: ListBuf<U32> = (0..100).collect();
    assert_eq!(
        allocations(|| assert_eq!(numbers.as_list().iter().sum::<u32>(), 4950)),
        0
    );
}
