/// @file
/// The kinds of fields. Each can read itself (`read`, which says what is wrong), say what it cannot carry (`check`),
/// tell its size, and write itself. One that can be an item of a list reads itself again as well (`next`, of octets
/// that were checked); `width` are the octets that it always takes, 0 if they vary, and `plain` says whether any octets
/// are one.
///
/// Those that are `quick` can be read at a glance. A message's least octets are compared with the frame once; `spare`
/// are those that the frame has beyond them. What always takes the same octets has no need to look again, and what
/// varies takes from the spare ones. A glance that finds anything amiss says no more than that.
#pragma once

#include "items.hpp"
#include "numbers.hpp"
#include "octets.hpp"
