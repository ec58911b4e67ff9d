/* codec_c [RUNS [COUNT]]: encodes and decodes one DELIVER (16-byte key, 250-byte body) many times, and prints the
 * nanoseconds of each as JSON lines.
 *
 * The floor is hand-written code for this message alone: a reused buffer, views, lengths compared with the remaining
 * bytes, text not checked. Ours also checks that the key is printable UTF-8, and the body's limit. */
#define _POSIX_C_SOURCE 200809L
#include "zeps_wire/zeps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef ZEPS_SBE
#include "deliver/deliver.h"
#endif

enum { CAPACITY = 512 };

static const char key[] = "NASDAQ.AAPL.0001";
static uint8_t body[250];
static uint8_t buffer[CAPACITY] __attribute__((aligned(64)));
static size_t frame_size;

/* --- allocations */

static size_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t each);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t each);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t each) {
    allocations++;
    return __real_calloc(count, each);
}

void *__wrap_realloc(void *memory, size_t size) {
    allocations++;
    return __real_realloc(memory, size);
}

/* --- the floor */

typedef struct floor_deliver {
    uint64_t sequence;
    const char *key;
    size_t key_size;
    const uint8_t *body;
    size_t body_size;
} floor_deliver;

static inline bool floor_decode(floor_deliver *message, const uint8_t *data, size_t size) {
    size_t left;
    if (size < 12 || data[0] != 0xAA || data[1] != 0xA5 || data[2] != 7) {
        return false;
    }
    message->sequence = wire_load8(data + 3);
    message->key_size = data[11];
    message->key = (const char *)data + 12;
    left = size - 12;
    if (left < message->key_size + 4) {
        return false;
    }
    message->body_size = wire_load4(data + 12 + message->key_size);
    message->body = data + 16 + message->key_size;
    return message->body_size == left - message->key_size - 4;
}

static inline size_t floor_encode(const floor_deliver *message, uint8_t *to, size_t capacity) {
    if (message->key_size > 255 || capacity < 16 + message->key_size + message->body_size) {
        return 0;
    }
    to[0] = 0xAA;
    to[1] = 0xA5;
    to[2] = 7;
    wire_store8(to + 3, message->sequence);
    to[11] = (uint8_t)message->key_size;
    memcpy(to + 12, message->key, message->key_size);
    wire_store4(to + 12 + message->key_size, (uint32_t)message->body_size);
    memcpy(to + 16 + message->key_size, message->body, message->body_size);
    return 16 + message->key_size + message->body_size;
}

/* --- measured functions: each does its work `count` times */

/* Makes the compiler assume that `place` and the memory that it refers to were read and changed. */
static inline void seen(const void *place) { __asm__ volatile("" : : "r"(place) : "memory"); }

static inline void insist(bool truth) {
    if (!truth) {
        abort();
    }
}

static void floor_encodes(size_t count) {
    floor_deliver message = {UINT64_C(1) << 40, key, 16, body, sizeof body};
    for (; count != 0; count--) {
        seen(&message);
        insist(floor_encode(&message, buffer, sizeof buffer) == frame_size);
        seen(buffer);
    }
}

static void floor_decodes(size_t count) {
    floor_deliver message;
    for (; count != 0; count--) {
        seen(buffer);
        insist(floor_decode(&message, buffer, frame_size));
        seen(&message);
    }
}

static void zeps_encodes(size_t count) {
    zeps_deliver message = {UINT64_C(1) << 40, {key, 16}, {body, sizeof body}};
    size_t size = 0;
    for (; count != 0; count--) {
        seen(&message);
        insist(zeps_deliver_encode(&message, buffer, sizeof buffer, &size, NULL) == WIRE_OK);
        seen(buffer);
    }
}

static void zeps_decodes(size_t count) {
    zeps_deliver message;
    for (; count != 0; count--) {
        seen(buffer);
        insist(zeps_deliver_decode(&message, buffer, frame_size, NULL) == WIRE_OK);
        seen(&message);
    }
}

static void any_encodes(size_t count) {
    zeps_message message = {ZEPS_DELIVER, {.deliver = {UINT64_C(1) << 40, {key, 16}, {body, sizeof body}}}};
    size_t size = 0;
    for (; count != 0; count--) {
        seen(&message);
        insist(zeps_encode(&message, buffer, sizeof buffer, &size, NULL) == WIRE_OK);
        seen(buffer);
    }
}

static void any_decodes(size_t count) {
    zeps_message message;
    for (; count != 0; count--) {
        seen(buffer);
        insist(zeps_decode(&message, buffer, frame_size, NULL) == WIRE_OK);
        seen(&message);
    }
}

#ifdef ZEPS_SBE
static char sbe_buffer[CAPACITY] __attribute__((aligned(64)));
static uint64_t sbe_size;

/* As for the others, the input is opaque to the compiler, so sizes are not constants. */
static void sbe_encodes(size_t count) {
    const uint64_t head = deliver_messageHeader_encoded_length();
    floor_deliver from = {UINT64_C(1) << 40, key, 16, body, sizeof body};
    for (; count != 0; count--) {
        struct deliver_messageHeader header;
        struct deliver_deliver message;
        seen(&from);
        insist(deliver_messageHeader_wrap(&header, sbe_buffer, 0, 0, sizeof sbe_buffer) != NULL);
        deliver_messageHeader_set_blockLength(&header, deliver_deliver_sbe_block_length());
        deliver_messageHeader_set_templateId(&header, deliver_deliver_sbe_template_id());
        deliver_messageHeader_set_schemaId(&header, deliver_deliver_sbe_schema_id());
        deliver_messageHeader_set_version(&header, deliver_deliver_sbe_schema_version());
        insist(deliver_deliver_wrap_for_encode(&message, sbe_buffer, head, sizeof sbe_buffer) != NULL);
        deliver_deliver_set_sequence(&message, from.sequence);
        insist(deliver_deliver_put_key(&message, from.key, (uint8_t)from.key_size) != NULL);
        insist(deliver_deliver_put_body(&message, (const char *)from.body, (uint32_t)from.body_size) != NULL);
        sbe_size = head + deliver_deliver_encoded_length(&message);
        seen(sbe_buffer);
    }
}

static WIRE_INLINE void sbe_decode(floor_deliver *out) {
    const uint64_t head = deliver_messageHeader_encoded_length();
    struct deliver_messageHeader header;
    struct deliver_deliver message;
    insist(deliver_messageHeader_wrap(&header, sbe_buffer, 0, 0, sbe_size) != NULL);
    insist(deliver_messageHeader_templateId(&header) == deliver_deliver_sbe_template_id());
    insist(deliver_deliver_wrap_for_decode(&message, sbe_buffer, head, deliver_messageHeader_blockLength(&header),
                                           deliver_messageHeader_version(&header), sbe_size) != NULL);
    out->sequence = deliver_deliver_sequence(&message);
    out->key_size = deliver_deliver_key_length(&message);
    out->key = deliver_deliver_key(&message);
    out->body_size = deliver_deliver_body_length(&message);
    out->body = (const uint8_t *)deliver_deliver_body(&message);
}

static void sbe_decodes(size_t count) {
    floor_deliver out;
    for (; count != 0; count--) {
        seen(sbe_buffer);
        sbe_decode(&out);
        seen(&out);
    }
}

/* The same, with our check of the text. */
static void sbe_checks(size_t count) {
    floor_deliver out;
    for (; count != 0; count--) {
        seen(sbe_buffer);
        sbe_decode(&out);
        insist(wire_is_printable((const uint8_t *)out.key, out.key_size));
        seen(&out);
    }
}
#endif

typedef struct subject {
    const char *what;
    void (*run)(size_t count);
} subject;

static const subject subjects[] = {
    {"floor encode", floor_encodes},
    {"zeps encode", zeps_encodes},
    {"zeps encode, any message", any_encodes},
#ifdef ZEPS_SBE
    {"SBE encode", sbe_encodes},
#endif
    {"floor decode", floor_decodes},
    {"zeps decode", zeps_decodes},
    {"zeps decode, any message", any_decodes},
#ifdef ZEPS_SBE
    {"SBE decode", sbe_decodes},
    {"SBE decode, text checked", sbe_checks},
#endif
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static double nanoseconds(void (*run)(size_t count), size_t count) {
    struct timespec begin;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    run(count);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / (double)count;
}

int main(int count, char **arguments) {
    const size_t runs = count > 1 ? strtoul(arguments[1], NULL, 10) : 201;
    const size_t each = count > 2 ? strtoul(arguments[2], NULL, 10) : 100000;
    size_t index;
    size_t run;
    size_t before;
    for (index = 0; index < sizeof body; index++) {
        body[index] = (uint8_t)index;
    }
    frame_size = 16 + 16 + sizeof body;
    zeps_encodes(1);
    for (index = 0; index < SUBJECTS; index++) {
        subjects[index].run(each);
    }
    for (run = 0; run < runs; run++) {
        for (index = 0; index < SUBJECTS; index++) {
            printf("{\"what\": \"%s\", \"ns\": %.4f}\n", subjects[index].what, nanoseconds(subjects[index].run, each));
        }
    }
    before = allocations;
    zeps_decodes(1000);
    any_decodes(1000);
    printf("{\"what\": \"allocations per decode\", \"count\": %zu}\n", allocations - before);
    return 0;
}
