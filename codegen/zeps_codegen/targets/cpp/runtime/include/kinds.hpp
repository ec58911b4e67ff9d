/// @file
/// The kinds of fields. Each can read itself (`read`, which says what is wrong), read itself again (`next`, of
/// octets that were checked), say what it cannot carry, tell its size, and write itself.
///
/// Some can be read at a glance as well. A message's least octets are compared with the frame once; `spare` are
/// those that the frame has beyond them. What always takes the same octets has no need to look again, and what
/// varies takes from the spare ones. A glance that finds anything amiss says no more than that.
///
/// Writing looks twice before it writes: `refuse` finds values that the model forbids, `fits` those that their
/// octets cannot hold. All fields are asked the first question before any is asked the second, except within
/// the items of a list that is `eager`; so every language reports the same error of a message with several.
#pragma once

#include "items.hpp"
#include "numbers.hpp"
#include "octets.hpp"
