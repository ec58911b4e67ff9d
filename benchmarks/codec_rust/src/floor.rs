//! Hand-written codec for one DELIVER, with the same checks as the generated one.
//!
//! `decode` checks the head, compares each length with the remaining bytes, requires a key in UTF-8 without control
//! characters, and rejects trailing bytes; `encode` rejects the same values. They do not name the error, and support
//! only this message.

const HEAD: [u8; 3] = [0xaa, 0xa5, 7];
const BODY_MAX: usize = 1 << 24;

/// Sequence, key and body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deliver<'a> {
    pub sequence: u64,
    pub key: &'a str,
    pub body: &'a [u8],
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// Checks eight bytes at once for printable ASCII; other text is checked a second time, character by character.
#[inline]
fn is_printable(text: &str) -> bool {
    let mut words = text.as_bytes().chunks_exact(8);
    let mut suspects = 0;
    for word in &mut words {
        let word = u64::from_ne_bytes(word.try_into().unwrap_or_default());
        let low = word & !HIGH;
        suspects |= (word | !(low + LOW * 0x60) | (low + LOW)) & HIGH;
    }
    let rest = words.remainder();
    let plain = suspects == 0 && rest.iter().all(|octet| matches!(octet, 0x20..=0x7e));
    plain || !text.contains(char::is_control)
}

#[inline]
pub fn decode(frame: &[u8]) -> Option<Deliver<'_>> {
    let rest = frame.strip_prefix(&HEAD)?;
    let (sequence, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first()?;
    let (key, rest) = rest.split_at_checked(usize::from(*length))?;
    let (length, body) = rest.split_first_chunk::<4>()?;
    let length = u32::from_be_bytes(*length) as usize;
    if length != body.len() || length > BODY_MAX {
        return None;
    }
    let key = std::str::from_utf8(key).ok()?;
    if !is_printable(key) {
        return None;
    }
    Some(Deliver {
        sequence: u64::from_be_bytes(*sequence),
        key,
        body,
    })
}

/// Encodes into the start of `buffer`. Returns the number of bytes.
#[inline]
pub fn encode(message: &Deliver<'_>, buffer: &mut [u8]) -> Option<usize> {
    let (key, body) = (message.key.as_bytes(), message.body);
    if key.len() > 255 || body.len() > BODY_MAX || !is_printable(message.key) {
        return None;
    }
    let size = 16 + key.len() + body.len();
    let frame = buffer.get_mut(..size)?;
    let (head, rest) = frame.split_first_chunk_mut::<12>()?;
    head[..3].copy_from_slice(&HEAD);
    head[3..11].copy_from_slice(&message.sequence.to_be_bytes());
    head[11] = key.len() as u8;
    let (place, rest) = rest.split_at_mut(key.len());
    place.copy_from_slice(key);
    let (length, rest) = rest.split_first_chunk_mut::<4>()?;
    *length = (body.len() as u32).to_be_bytes();
    rest.copy_from_slice(body);
    Some(size)
}

/// The same as `decode` without a check of the key, which therefore is not text in safe Rust.
#[inline]
pub fn decode_octets(frame: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let rest = frame.strip_prefix(&HEAD)?;
    let (sequence, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first()?;
    let (key, rest) = rest.split_at_checked(usize::from(*length))?;
    let (length, body) = rest.split_first_chunk::<4>()?;
    let length = u32::from_be_bytes(*length) as usize;
    (length == body.len() && length <= BODY_MAX).then(|| (u64::from_be_bytes(*sequence), key, body))
}
