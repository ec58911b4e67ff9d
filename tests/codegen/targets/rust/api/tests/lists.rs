//! Lists, made and read by handwritten code.

use zeps_wire::list::{
    Fixed, List, ListBuf, Nested, Octets, Pair, Text, Varint, Zigzag, I16, U16, U64,
};
use zeps_wire::Code;

#[test]
fn numbers_are_collected() {
    let list: ListBuf<U64> = [1, u64::MAX, 3].into_iter().collect();
    let view = list.as_list();
    assert_eq!((view.len(), view.is_empty()), (3, false));
    assert_eq!(view.iter().collect::<Vec<_>>(), [1, u64::MAX, 3]);
    assert_eq!((view.get(1), view.get(3)), (Some(u64::MAX), None));
    assert_eq!(view.iter().len(), 3);
    assert_eq!(format!("{view:?}"), format!("[1, {}, 3]", u64::MAX));
    let negative: ListBuf<I16> = [-1, i16::MIN].into_iter().collect();
    assert_eq!(
        negative.as_list().into_iter().collect::<Vec<_>>(),
        [-1, i16::MIN]
    );
}

#[test]
fn an_item_that_has_no_room_is_not_appended() {
    let mut list = ListBuf::<Text<1>>::new();
    list.push(&"x".repeat(255)).unwrap();
    assert_eq!(list.push(&"x".repeat(256)), Err(Code::TooLong));
    list.push("é").unwrap();
    assert_eq!(
        list.as_list().iter().map(str::len).collect::<Vec<_>>(),
        [255, 2]
    );
}

#[test]
fn equal_lists_are_equal_wherever_they_lie() {
    let one = ListBuf::<Octets<2>>::of([&b"a"[..], b""]).unwrap();
    let other = ListBuf::<Octets<2>>::of([&b"a"[..], b""]).unwrap();
    assert_eq!(one.as_list(), other.as_list());
    assert_ne!(one.as_list(), List::empty());
    assert_eq!(List::<U16>::default(), List::empty());
}

#[test]
fn every_form_gives_back_what_it_got() {
    let numbers = [0, 127, 128, 1 << 35, u64::MAX];
    let varints = ListBuf::<Varint>::of(numbers).unwrap();
    assert!(varints.as_list().iter().eq(numbers));
    let signed = [0, -1, 1, i64::MIN, i64::MAX];
    let zigzags = ListBuf::<Zigzag>::of(signed).unwrap();
    assert!(zigzags.as_list().iter().eq(signed));
    let fixed = ListBuf::<Fixed<3>>::of([b"abc", b"def"]).unwrap();
    assert_eq!(fixed.as_list().get(1), Some(b"def"));
    let pairs = ListBuf::<Pair<Text<1>, Text<4>>>::of([("k", "v"), ("k", "w")]).unwrap();
    assert_eq!(pairs.as_list().iter().last(), Some(("k", "w")));
    let nested = ListBuf::<Nested<Varint, 2>>::of([varints.as_list(), List::empty()]).unwrap();
    assert_eq!(nested.as_list().get(0), Some(varints.as_list()));
    assert_eq!(nested.as_list().get(1), Some(List::empty()));
}

#[test]
fn an_item_of_a_fixed_size_is_found_at_once() {
    const COUNT: u64 = 1 << 20;
    let list: ListBuf<U64> = (0..COUNT).collect();
    let view = list.as_list();
    let started = std::time::Instant::now();
    // if each access read the list from its start, this would take hours
    assert!((0..view.len()).all(|index| view.get(index) == Some(index as u64)));
    assert!(started.elapsed().as_secs() < 60);
    assert_eq!(view.get(usize::MAX), None);
    assert_eq!(view.iter().next_back(), Some(COUNT - 1));
    let (mut items, copy) = (view.iter(), view.iter().clone());
    assert_eq!(
        (items.nth(2), items.next_back(), items.len()),
        (Some(2), Some(COUNT - 1), 1048572)
    );
    assert_eq!(
        (items.nth(COUNT as usize), items.next(), items.next_back()),
        (None, None, None)
    );
    assert_eq!(
        copy.rev().skip(2).step_by(2).map(|item| item % 2).max(),
        Some(1)
    );
}

#[test]
fn items_that_vary_in_size_are_stepped_over() {
    let list = ListBuf::<Text<1>>::of(["a", "", "long", "é"]).unwrap();
    let mut items = list.as_list().iter();
    assert_eq!(
        (items.nth(1), items.nth(1), items.next()),
        (Some(""), Some("é"), None)
    );
    assert_eq!(list.as_list().get(4), None);
    assert_eq!(list.as_list().to_buf(), list.clone());
}
