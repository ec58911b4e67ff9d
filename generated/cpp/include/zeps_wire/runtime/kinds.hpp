/// @file
/// The kinds of fields. A kind decodes a value (`read`, which returns the code of an error), checks whether a value can be
/// encoded (`check`), and encodes it (`size`, `write`). A kind of list items decodes checked bytes again (`next`); `width`
/// is the number of bytes of every value, 0 if it varies, and `plain` says whether any bytes are a value.
///
/// Kinds that have a fast path can `read_fast`: the decoder compares the message's least size with the frame once, and
/// `spare` is the number of bytes beyond it. Values of a fixed size need no further check; others take from `spare`. The
/// fast path only tells whether a frame is valid; the slow path finds the error.
#pragma once

#include "items.hpp"
#include "numbers.hpp"
#include "octets.hpp"
