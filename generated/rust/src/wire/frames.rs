//! The frames of a message that has several.

use alloc::vec::Vec;
use core::fmt;

/// Borrowed ZeroMQ frames, made of slices or of vectors.
#[derive(Clone, Copy)]
pub struct Frames<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Slices(&'a [&'a [u8]]),
    Vecs(&'a [Vec<u8>]),
}

impl<'a> Frames<'a> {
    /// The number of frames.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.0 {
            Source::Slices(frames) => frames.len(),
            Source::Vecs(frames) => frames.len(),
        }
    }

    /// Whether the number of frames is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The frame at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        match self.0 {
            Source::Slices(frames) => frames.get(index).copied(),
            Source::Vecs(frames) => frames.get(index).map(Vec::as_slice),
        }
    }

    /// The first frame and those after it.
    #[must_use]
    pub fn split_first(&self) -> Option<(&'a [u8], Frames<'a>)> {
        match self.0 {
            Source::Slices(frames) => frames
                .split_first()
                .map(|(first, more)| (*first, more.into())),
            Source::Vecs(frames) => frames
                .split_first()
                .map(|(first, more)| (&first[..], more.into())),
        }
    }

    /// Iterates over the frames.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let frames = *self;
        (0..self.len()).map(move |index| frames.get(index).unwrap_or_default())
    }

    /// Copies the frames.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Vec<u8>> {
        self.iter().map(<[u8]>::to_vec).collect()
    }
}

impl Default for Frames<'_> {
    fn default() -> Self {
        Frames(Source::Slices(&[]))
    }
}

impl<'a> From<&'a [&'a [u8]]> for Frames<'a> {
    fn from(frames: &'a [&'a [u8]]) -> Self {
        Frames(Source::Slices(frames))
    }
}

impl<'a> From<&'a [Vec<u8>]> for Frames<'a> {
    fn from(frames: &'a [Vec<u8>]) -> Self {
        Frames(Source::Vecs(frames))
    }
}

impl fmt::Debug for Frames<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Frames<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Frames<'_> {}
