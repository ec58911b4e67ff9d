/** @file
 * The common parts of all codecs of this package: views, lists, errors, and the checks of text.
 *
 * These functions do not allocate memory. Decoded messages contain pointers into their frame, and are valid as long as
 * the frame is.
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

/** The kind of an error in a frame, or in a message to be encoded. */
typedef enum wire_code {
    WIRE_OK = 0,
    WIRE_TRUNCATED,       /**< the frame ends before the field does */
    WIRE_TRAILING,        /**< bytes follow the last field */
    WIRE_BAD_SIGNATURE,   /**< the frame has another signature */
    WIRE_UNKNOWN_MESSAGE, /**< the protocol has no such message */
    WIRE_BAD_CONSTANT,    /**< a constant field has another value, or a value is not in its enumeration */
    WIRE_BAD_TEXT,        /**< text that its field does not permit */
    WIRE_TOO_LONG,        /**< a number, a length or a count is beyond its limit */
    WIRE_NO_ROOM,         /**< the caller's buffer is too small; encoders only */
    WIRE_BAD_RELATION,    /**< a relation between two numbers is false */
    WIRE_NOT_SET          /**< the host has not filled a field; machines only */
} wire_code;

/** An error and its place. `message` and `field` are the model's names, or NULL; `offset` is in bytes. */
typedef struct wire_error {
    wire_code code;
    const char *message;
    const char *field;
    size_t offset;
} wire_error;

/** The code's name, which is the same in every language: "too-long". */
const char *wire_code_name(wire_code code);

/** A view of bytes that it does not own. */
typedef struct wire_octets {
    const uint8_t *data;
    size_t size;
} wire_octets;

/** A view of text that it does not own; no zero byte ends it. */
typedef struct wire_text {
    const char *data;
    size_t size;
} wire_text;

/** An entry of a hash. */
typedef struct wire_pair {
    wire_text key;
    wire_text value;
} wire_pair;

/** The class of a text. */
typedef enum wire_class { WIRE_ANY_OCTETS, WIRE_UTF8, WIRE_PRINTABLE, WIRE_VCHAR } wire_class;

struct wire_field;

/** The items of a decoded list, encoded in the frame. */
typedef struct wire_encoded {
    const uint8_t *data;
    size_t size;
    const struct wire_field *item;
} wire_encoded;

/** A list of unsigned numbers. To encode a list, set `count` and `items` (and leave the rest zero); to read a decoded
 * list, use wire_numbers_next() or wire_numbers_at(). The other lists work alike. */
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

/** A list of bytes. */
typedef struct wire_blobs {
    size_t count;
    const wire_octets *items;
    wire_encoded encoded;
} wire_blobs;

/** A hash: its pairs, in the order of the frame. Keys may be equal. */
typedef struct wire_pairs {
    size_t count;
    const wire_pair *items;
    wire_encoded encoded;
} wire_pairs;

/** A list whose items are numbers, integers, texts, bytes, pairs or lists: `items`, if it is not NULL, points to the
 * same type as in the struct for these. */
typedef struct wire_list {
    size_t count;
    const void *items;
    wire_encoded encoded;
} wire_list;

/** A list of lists. */
typedef struct wire_lists {
    size_t count;
    const wire_list *items;
    wire_encoded encoded;
} wire_lists;

/** The position in a list; begins as `{0, 0}`. */
typedef struct wire_cursor {
    size_t index;
    size_t offset;
} wire_cursor;

/** Each of these functions returns the next item, or false after the last. */
bool wire_numbers_next(const wire_numbers *list, wire_cursor *cursor, uint64_t *item);
bool wire_integers_next(const wire_integers *list, wire_cursor *cursor, int64_t *item);
bool wire_texts_next(const wire_texts *list, wire_cursor *cursor, wire_text *item);
bool wire_blobs_next(const wire_blobs *list, wire_cursor *cursor, wire_octets *item);
bool wire_pairs_next(const wire_pairs *list, wire_cursor *cursor, wire_pair *item);
bool wire_lists_next(const wire_lists *list, wire_cursor *cursor, wire_list *item);

/** Item number `index`, or 0 beyond the last. Takes constant time for numbers of a fixed size, else linear time. */
uint64_t wire_numbers_at(const wire_numbers *list, size_t index);
int64_t wire_integers_at(const wire_integers *list, size_t index);

/* NOLINTBEGIN(bugprone-macro-parentheses): names and types take none */
#define WIRE_LIST_OF(function, list_type, item_type)                                                                   \
    static inline list_type function(wire_list list) {                                                                 \
        list_type found;                                                                                               \
        found.count = list.count;                                                                                      \
        found.items = (const item_type *)list.items;                                                                   \
        found.encoded = list.encoded;                                                                                  \
        return found;                                                                                                  \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
/** Converts an item of a list of lists to its type: `wire_numbers wire_numbers_of(wire_list)` and so on. */
WIRE_LIST_OF(wire_numbers_of, wire_numbers, uint64_t)
WIRE_LIST_OF(wire_integers_of, wire_integers, int64_t)
WIRE_LIST_OF(wire_texts_of, wire_texts, wire_text)
WIRE_LIST_OF(wire_blobs_of, wire_blobs, wire_octets)
WIRE_LIST_OF(wire_pairs_of, wire_pairs, wire_pair)
WIRE_LIST_OF(wire_lists_of, wire_lists, wire_list)
#undef WIRE_LIST_OF

/** The view of `size` bytes. */
static inline wire_octets wire_octets_of(const void *data, size_t size) {
    wire_octets octets;
    octets.data = (const uint8_t *)data;
    octets.size = size;
    return octets;
}

/** The view of bytes as text, which is not checked. */
static inline wire_text wire_text_view(wire_octets octets) {
    wire_text text;
    text.data = (const char *)octets.data;
    text.size = octets.size;
    return text;
}

/** The view of a zero-terminated string. */
static inline wire_text wire_text_of(const char *string) {
    return wire_text_view(wire_octets_of(string, strlen(string)));
}

/** Whether two views have equal bytes. */
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
/** Visible ASCII. */
bool wire_is_vchar(const void *text, size_t size);

/** @cond: building blocks of the inline codecs */

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

/** Eight bytes in native byte order, for tests that treat all of them alike. */
static inline uint64_t wire_eight(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

#define WIRE_EACH(octet) (UINT64_C(0x0101010101010101) * (octet))

/** Nonzero in a high bit if a byte is outside %x20-7E: the sum detects %x7F, the difference bytes below %x20. */
static inline uint64_t wire_odd(uint64_t word) {
    return ((word + WIRE_EACH(0x01)) | (word - WIRE_EACH(0x20)) | word) & WIRE_EACH(0x80);
}

/** Whether 16 to 32 bytes, the usual size of keys, are all %x20-7E: they are tested in place, the overlap twice. For
 * other sizes the result is false. */
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

/** wire_copy() for short text: 8 to 32 bytes are copied in place. */
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

static WIRE_INLINE bool wire_is_text(const void *text, size_t size, wire_class allowed) {
    switch (allowed) {
    case WIRE_UTF8:
        return wire_is_utf8((const uint8_t *)text, size);
    case WIRE_PRINTABLE:
        return wire_is_printable((const uint8_t *)text, size);
    case WIRE_VCHAR:
        return wire_is_vchar(text, size);
    default:
        return true;
    }
}

/** The sum of two sizes, limited to SIZE_MAX. */
static inline size_t wire_plus(size_t left, size_t right) { return left > SIZE_MAX - right ? SIZE_MAX : left + right; }

/* A position of a reader: `spare` is the number of bytes beyond the minimum that is still to come. Each function below
 * reads one operation and returns false for invalid input; wire_decode_message() finds the error. */
typedef struct wire_reader {
    const uint8_t *at;
    size_t spare;
} wire_reader;

/* A position of a writer, and the space beyond the minimum size of the rest. */
typedef struct wire_writer {
    uint8_t *at;
    size_t space;
} wire_writer;

static WIRE_INLINE uint64_t wire_load(const uint8_t *at, unsigned size) {
    return size == 1 ? at[0] : size == 2 ? wire_load2(at) : size == 4 ? wire_load4(at) : wire_load8(at);
}

static WIRE_INLINE void wire_store(uint8_t *at, unsigned size, uint64_t value) {
    if (size == 1) {
        wire_store1(at, (uint8_t)value);
    } else if (size == 2) {
        wire_store2(at, (uint16_t)value);
    } else if (size == 4) {
        wire_store4(at, (uint32_t)value);
    } else {
        wire_store8(at, value);
    }
}

/** Whether `data` begins with `head`; a short head takes one comparison. */
static WIRE_INLINE bool wire_begins(const uint8_t *data, size_t space, const char *head, size_t size) {
    const uint8_t *wanted = (const uint8_t *)head;
    switch (size) {
    case 0:
        return true;
    case 1:
        return data[0] == wanted[0];
    case 2:
        return wire_load2(data) == wire_load2(wanted);
    case 3: /* the literal's terminating zero is the fourth byte */
        return space < 4 ? memcmp(data, head, size) == 0 : ((wire_load4(data) ^ wire_load4(wanted)) >> 8) == 0;
    case 4:
        return wire_load4(data) == wire_load4(wanted);
    case 8:
        return wire_load8(data) == wire_load8(wanted);
    default:
        return memcmp(data, head, size) == 0;
    }
}

static WIRE_INLINE bool wire_read_begin(wire_reader *in, const uint8_t *data, size_t size, size_t least,
                                        const char *head, size_t head_size) {
    if (WIRE_RARELY(size < least || !wire_begins(data, least, head, head_size))) {
        return false;
    }
    in->at = head_size == 0 ? data : data + head_size;
    in->spare = size - least;
    return true;
}

static WIRE_INLINE bool wire_write_begin(wire_writer *out, uint8_t *buffer, size_t capacity, size_t least,
                                         const char *head, size_t head_size) {
    if (WIRE_RARELY(capacity < least)) {
        return false;
    }
    wire_copy(buffer, head, head_size);
    out->at = head_size == 0 ? buffer : buffer + head_size;
    out->space = capacity - least;
    return true;
}

static WIRE_INLINE bool wire_read_constant(wire_reader *in, const char *octets, size_t size) {
    in->at += size;
    return wire_begins(in->at - size, size, octets, size);
}

static WIRE_INLINE bool wire_write_constant(wire_writer *out, const char *octets, size_t size) {
    wire_copy(out->at, octets, size);
    out->at += size;
    return true;
}

static WIRE_INLINE bool wire_read_reserved(wire_reader *in, size_t size) {
    in->at += size;
    return true;
}

static WIRE_INLINE bool wire_write_reserved(wire_writer *out, size_t size) {
    memset(out->at, 0, size);
    out->at += size;
    return true;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): names and types take none */
#define WIRE_NUMBERS(name, type, size)                                                                                 \
    static WIRE_INLINE bool wire_read_##name(wire_reader *in, type *value, type most) {                                \
        *value = (type)wire_load(in->at, size);                                                                        \
        in->at += (size);                                                                                              \
        return !WIRE_RARELY(*value > most);                                                                            \
    }                                                                                                                  \
    static WIRE_INLINE bool wire_write_##name(wire_writer *out, const type *value, type most) {                        \
        wire_store(out->at, size, (uint64_t)*value);                                                                   \
        out->at += (size);                                                                                             \
        return !WIRE_RARELY(*value > most);                                                                            \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
WIRE_NUMBERS(u8, uint8_t, 1)
WIRE_NUMBERS(u16, uint16_t, 2)
WIRE_NUMBERS(u32, uint32_t, 4)
WIRE_NUMBERS(u64, uint64_t, 8)
WIRE_NUMBERS(i8, int8_t, 1)
WIRE_NUMBERS(i16, int16_t, 2)
WIRE_NUMBERS(i32, int32_t, 4)
WIRE_NUMBERS(i64, int64_t, 8)
#undef WIRE_NUMBERS

static WIRE_INLINE bool wire_read_fixed(wire_reader *in, wire_octets *octets, size_t size) {
    octets->data = in->at;
    octets->size = size;
    in->at += size;
    return true;
}

static WIRE_INLINE bool wire_write_fixed(wire_writer *out, const wire_octets *octets, size_t size) {
    if (WIRE_RARELY(octets->size != size)) {
        return false;
    }
    wire_copy(out->at, octets->data, size);
    out->at += size;
    return true;
}

/* Bytes after their length. The last field of variable size must use all spare bytes. */
static WIRE_INLINE bool wire_read_text(wire_reader *in, wire_text *text, unsigned prefix, uint64_t most, bool is_last,
                                       wire_class allowed) {
    const uint64_t size = wire_load(in->at, prefix);
    const uint8_t *octets = in->at + prefix;
    if (WIRE_RARELY(is_last ? size != in->spare : size > in->spare) || WIRE_RARELY(size > most) ||
        !wire_is_text(octets, (size_t)size, allowed)) {
        return false;
    }
    text->data = (const char *)octets;
    text->size = (size_t)size;
    in->at = octets + (size_t)size;
    in->spare = is_last ? 0 : in->spare - (size_t)size;
    return true;
}

static WIRE_INLINE bool wire_read_octets(wire_reader *in, wire_octets *octets, unsigned prefix, uint64_t most,
                                         bool is_last) {
    wire_text text;
    if (!wire_read_text(in, &text, prefix, most, is_last, WIRE_ANY_OCTETS)) {
        return false;
    }
    octets->data = (const uint8_t *)text.data;
    octets->size = text.size;
    return true;
}

static WIRE_INLINE bool wire_write_octets(wire_writer *out, const wire_octets *octets, unsigned prefix, uint64_t most) {
    const size_t size = octets->size;
    wire_store(out->at, prefix, size); /* store early: later, compilers split the store */
    if (WIRE_RARELY(size > most) || WIRE_RARELY(size > out->space)) {
        return false;
    }
    wire_copy(out->at + prefix, octets->data, size);
    out->at += prefix + size;
    out->space -= size;
    return true;
}

static WIRE_INLINE bool wire_write_text(wire_writer *out, const wire_text *text, unsigned prefix, uint64_t most,
                                        wire_class allowed) {
    const size_t size = text->size;
    if (WIRE_RARELY(size > most) || WIRE_RARELY(size > out->space) || !wire_is_text(text->data, size, allowed)) {
        return false;
    }
    wire_store(out->at, prefix, size);
    if (prefix == 1) {
        wire_copy_text(out->at + prefix, text->data, size);
    } else {
        wire_copy(out->at + prefix, text->data, size);
    }
    out->at += prefix + size;
    out->space -= size;
    return true;
}

/* The remaining bytes, to the end of the frame. */
static WIRE_INLINE bool wire_read_rest(wire_reader *in, wire_octets *octets, uint64_t most) {
    octets->data = in->at;
    octets->size = in->spare;
    in->spare = 0;
    return !WIRE_RARELY(octets->size > most);
}

static WIRE_INLINE bool wire_write_rest(wire_writer *out, const wire_octets *octets, uint64_t most) {
    if (WIRE_RARELY(octets->size > most) || WIRE_RARELY(octets->size > out->space)) {
        return false;
    }
    wire_copy(out->at, octets->data, octets->size);
    out->space -= octets->size;
    return true;
}
/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
