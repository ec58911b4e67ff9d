/* Classes of text. */
#include "zeps_wire/wire.h"

/* The size of the well-formed UTF-8 sequence at `at`, with its code point in `*point`; 0 for other bytes (RFC 3629). */
static size_t sequence(const uint8_t *at, size_t left, uint32_t *point) {
    const uint8_t first = at[0];
    size_t size;
    uint8_t least = 0x80;
    uint8_t most = 0xBF;
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first < 0xC2 || first > 0xF4) {
        return 0;
    }
    size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (size > left) {
        return 0;
    }
    if (first == 0xE0) {
        least = 0xA0;
    } else if (first == 0xED) {
        most = 0x9F; /* no surrogates */
    } else if (first == 0xF0) {
        least = 0x90;
    } else if (first == 0xF4) {
        most = 0x8F;
    }
    if (at[1] < least || at[1] > most) {
        return 0;
    }
    *point = first & (0xFFU >> (size + 1));
    for (size_t index = 1; index < size; index++) {
        if ((at[index] & 0xC0) != 0x80) {
            return 0;
        }
        *point = (*point << 6) | (at[index] & 0x3FU);
    }
    return size;
}

static bool is_control(uint32_t point) { return point < 0x20 || (point >= 0x7F && point <= 0x9F); }

/* Fewer than eight bytes in one word, some of them repeated. */
static uint64_t few(const uint8_t *text, size_t size) {
    if (size >= 4) {
        return ((uint64_t)wire_load4(text) << 32) | wire_load4(text + size - 4);
    }
    return (WIRE_EACH(0x20) << 24) | ((uint64_t)text[0] << 16) | ((uint64_t)text[size / 2] << 8) | text[size - 1];
}

/* Whether all bytes are %x20-7E. */
static bool is_plain(const uint8_t *text, size_t size) {
    uint64_t odd;
    if (size < 8) {
        return size == 0 || wire_odd(few(text, size)) == 0;
    }
    odd = wire_odd(wire_eight(text + size - 8));
    for (size_t at = 0; at + 8 < size; at += 8) {
        odd |= wire_odd(wire_eight(text + at));
    }
    return odd == 0;
}

static bool is_text(const uint8_t *octets, size_t size, bool is_printable) {
    uint32_t point = 0;
    size_t at = 0;
    if (is_plain(octets, size)) {
        return true;
    }
    while (at < size) {
        const size_t step = sequence(octets + at, size - at, &point);
        if (step == 0 || (is_printable && is_control(point))) {
            return false;
        }
        at += step;
    }
    return true;
}

bool wire_is_utf8_text(const void *text, size_t size) { return is_text((const uint8_t *)text, size, false); }

bool wire_is_printable_text(const void *text, size_t size) { return is_text((const uint8_t *)text, size, true); }

bool wire_is_vchar(const void *text, size_t size) {
    const uint8_t *octets = (const uint8_t *)text;
    for (size_t at = 0; at < size; at++) {
        if (octets[at] < 0x21 || octets[at] > 0x7E) {
            return false;
        }
    }
    return true;
}
