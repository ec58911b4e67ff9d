/** @file
 * What every codec of this package shares: views, lists, errors, and the checks of text.
 *
 * Nothing here allocates. Decoded messages point into the frame that they were decoded from, and are good for as
 * long as it is.
 */
#ifndef ZEPS_WIRE_WIRE_H
#define ZEPS_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) && !defined(WIRE_PORTABLE)
#define WIRE_SSE2
#include <emmintrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What is wrong with a frame, or with a message that is to become one. */
typedef enum wire_code {
    WIRE_OK = 0,
    WIRE_TRUNCATED,       /**< the frame ends too early */
    WIRE_TRAILING,        /**< octets follow the last field */
    WIRE_BAD_SIGNATURE,   /**< the frame is of another protocol */
    WIRE_UNKNOWN_MESSAGE, /**< the protocol has no such message */
    WIRE_BAD_CONSTANT,    /**< a constant or the member of an enumeration is another */
    WIRE_BAD_TEXT,        /**< text holds what its field does not admit */
    WIRE_TOO_LONG,        /**< a number, a length or a count is beyond its limit */
    WIRE_NO_ROOM          /**< the caller's buffer is too small; encoders only */
} wire_code;

/** The code, and where it was found. `message` and `field` are the model's names, or NULL; `offset` is in octets. */
typedef struct wire_error {
    wire_code code;
    const char *message;
    const char *field;
    size_t offset;
} wire_error;

/** The code's name, as every language has it: "too-long". */
const char *wire_code_name(wire_code code);

/** Octets that somebody else owns. */
typedef struct wire_octets {
    const uint8_t *data;
    size_t size;
} wire_octets;

/** Text that somebody else owns; no zero octet ends it. */
typedef struct wire_text {
    const char *data;
    size_t size;
} wire_text;

/** One entry of a hash. */
typedef struct wire_pair {
    wire_text key;
    wire_text value;
} wire_pair;

struct wire_field;

/** The items of a decoded list, as they lie in the frame. */
typedef struct wire_encoded {
    const uint8_t *data;
    size_t size;
    const struct wire_field *item;
} wire_encoded;

/** A list of unsigned numbers. To encode one, set `count` and `items` (and leave the rest zero); to read one that
 * was decoded, use wire_numbers_next() or wire_numbers_at(). The other lists are alike. */
typedef struct wire_numbers {
    size_t count;
    const uint64_t *items;
    wire_encoded encoded;
} wire_numbers;

/** A list of signed numbers. */
typedef struct wire_integers {
    size_t count;
    const int64_t *items;
    wire_encoded encoded;
} wire_integers;

/** A list of texts. */
typedef struct wire_texts {
    size_t count;
    const wire_text *items;
    wire_encoded encoded;
} wire_texts;

/** A list of octets. */
typedef struct wire_blobs {
    size_t count;
    const wire_octets *items;
    wire_encoded encoded;
} wire_blobs;

/** A hash: its pairs, in the order of the frame. Two may have one key. */
typedef struct wire_pairs {
    size_t count;
    const wire_pair *items;
    wire_encoded encoded;
} wire_pairs;

/** How far a list has been read; begins as `{0, 0}`. */
typedef struct wire_cursor {
    size_t index;
    size_t offset;
} wire_cursor;

/** Each gives the next item, or false after the last. */
bool wire_numbers_next(const wire_numbers *list, wire_cursor *cursor, uint64_t *item);
bool wire_integers_next(const wire_integers *list, wire_cursor *cursor, int64_t *item);
bool wire_texts_next(const wire_texts *list, wire_cursor *cursor, wire_text *item);
bool wire_blobs_next(const wire_blobs *list, wire_cursor *cursor, wire_octets *item);
bool wire_pairs_next(const wire_pairs *list, wire_cursor *cursor, wire_pair *item);

/** Item number `index`, or 0 beyond the last. At once for numbers of a fixed size; for others the list is walked. */
uint64_t wire_numbers_at(const wire_numbers *list, size_t index);
int64_t wire_integers_at(const wire_integers *list, size_t index);

/** The view of a string that a zero octet ends. */
static inline wire_text wire_text_of(const char *string) {
    wire_text text;
    text.data = string;
    text.size = strlen(string);
    return text;
}

/** The view of `size` octets. */
static inline wire_octets wire_octets_of(const void *data, size_t size) {
    wire_octets octets;
    octets.data = (const uint8_t *)data;
    octets.size = size;
    return octets;
}

/** The view of octets as text, whatever they hold. */
static inline wire_text wire_text_view(wire_octets octets) {
    wire_text text;
    text.data = (const char *)octets.data;
    text.size = octets.size;
    return text;
}

/** Whether two views hold the same octets. */
static inline bool wire_text_equal(wire_text left, wire_text right) {
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}
static inline bool wire_octets_equal(wire_octets left, wire_octets right) {
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

/** Well-formed UTF-8. */
bool wire_is_utf8_text(const void *text, size_t size);
/** UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F). */
bool wire_is_printable_text(const void *text, size_t size);
/** Visible ASCII alone. */
bool wire_is_vchar(const void *text, size_t size);

/** @cond: what the inline codecs are made of */

#if defined(__GNUC__)
#define WIRE_USUALLY(test) __builtin_expect(!!(test), 1)
#define WIRE_RARELY(test) __builtin_expect(!!(test), 0)
#define WIRE_INLINE inline __attribute__((always_inline))
#else
#define WIRE_USUALLY(test) (test)
#define WIRE_RARELY(test) (test)
#define WIRE_INLINE inline
#endif

static inline uint16_t wire_load2(const uint8_t *at) { return (uint16_t)(((uint32_t)at[0] << 8) | at[1]); }

static inline uint32_t wire_load4(const uint8_t *at) {
    return ((uint32_t)at[0] << 24) | ((uint32_t)at[1] << 16) | ((uint32_t)at[2] << 8) | at[3];
}

static inline uint64_t wire_load8(const uint8_t *at) {
    return ((uint64_t)at[0] << 56) | ((uint64_t)at[1] << 48) | ((uint64_t)at[2] << 40) | ((uint64_t)at[3] << 32) |
           ((uint64_t)at[4] << 24) | ((uint64_t)at[5] << 16) | ((uint64_t)at[6] << 8) | at[7];
}

static inline void wire_store1(uint8_t *at, uint8_t value) { at[0] = value; }

static inline void wire_store2(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void wire_store4(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static inline void wire_store8(uint8_t *at, uint64_t value) {
    at[0] = (uint8_t)(value >> 56);
    at[1] = (uint8_t)(value >> 48);
    at[2] = (uint8_t)(value >> 40);
    at[3] = (uint8_t)(value >> 32);
    at[4] = (uint8_t)(value >> 24);
    at[5] = (uint8_t)(value >> 16);
    at[6] = (uint8_t)(value >> 8);
    at[7] = (uint8_t)value;
}

static inline void wire_copy(uint8_t *at, const void *octets, size_t size) {
    if (size != 0) {
        memcpy(at, octets, size);
    }
}

/** Eight octets in the machine's order: for tests that treat all of them alike. */
static inline uint64_t wire_eight(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

#define WIRE_EACH(octet) (UINT64_C(0x0101010101010101) * (octet))

/** Nonzero in a high bit if an octet is outside %x20-7E: the sum finds %x7F, the difference what is below %x20. */
static inline uint64_t wire_odd(uint64_t word) {
    return ((word + WIRE_EACH(0x01)) | (word - WIRE_EACH(0x20)) | word) & WIRE_EACH(0x80);
}

/** Whether all octets are %x20-7E, if they are 16 to 32, as those of keys often are: they are looked at in place, twice
 * where the looks overlap. False says nothing. */
static WIRE_INLINE bool wire_is_plain(const uint8_t *text, size_t size) {
    if (WIRE_RARELY(size - 16 > 16)) {
        return false;
    }
#if defined(WIRE_SSE2)
    {
        const __m128i space = _mm_set1_epi8(0x20);
        const __m128i one = _mm_set1_epi8(1);
        const __m128i first = _mm_loadu_si128((const __m128i *)(const void *)text);
        const __m128i last = _mm_loadu_si128((const __m128i *)(const void *)(text + size - 16));
        const __m128i good = _mm_and_si128(_mm_cmpgt_epi8(_mm_add_epi8(first, one), space),
                                           _mm_cmpgt_epi8(_mm_add_epi8(last, one), space));
        return _mm_movemask_epi8(good) == 0xFFFF;
    }
#else
    return (wire_odd(wire_eight(text)) | wire_odd(wire_eight(text + 8)) | wire_odd(wire_eight(text + size - 16)) |
            wire_odd(wire_eight(text + size - 8))) == 0;
#endif
}

/** wire_copy() for what is often short: 8 to 32 octets are copied in place. */
static WIRE_INLINE void wire_copy_text(uint8_t *at, const char *text, size_t size) {
    uint64_t words[4];
    if (WIRE_USUALLY(size - 16 <= 16)) {
        memcpy(words, text, 16);
        memcpy(words + 2, text + size - 16, 16);
        memcpy(at, words, 16);
        memcpy(at + size - 16, words + 2, 16);
    } else if (size - 8 < 8) {
        memcpy(words, text, 8);
        memcpy(words + 1, text + size - 8, 8);
        memcpy(at, words, 8);
        memcpy(at + size - 8, words + 1, 8);
    } else {
        wire_copy(at, text, size);
    }
}

static WIRE_INLINE bool wire_is_utf8(const uint8_t *text, size_t size) {
    return WIRE_USUALLY(wire_is_plain(text, size)) || wire_is_utf8_text(text, size);
}

static WIRE_INLINE bool wire_is_printable(const uint8_t *text, size_t size) {
    return WIRE_USUALLY(wire_is_plain(text, size)) || wire_is_printable_text(text, size);
}
/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
