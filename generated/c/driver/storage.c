/* Growing buffers, memory of a request, and positions in requests. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 64, NAME_MAX_OCTETS = 255 };

struct driver_block {
    struct driver_block *next;
    uint64_t memory[];
};

static void *checked(void *memory) {
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

void driver_put(driver_buffer *buffer, const void *octets, size_t size) {
    if (size > buffer->capacity - buffer->size) {
        buffer->capacity = 2 * (buffer->size + size) + 256;
        buffer->data = (uint8_t *)checked(realloc(buffer->data, buffer->capacity));
    }
    wire_copy(buffer->data + buffer->size, octets, size);
    buffer->size += size;
}

void driver_put_octet(driver_buffer *buffer, unsigned octet) {
    const uint8_t one = (uint8_t)octet;
    driver_put(buffer, &one, 1);
}

void driver_put_number(driver_buffer *buffer, unsigned size, uint64_t number) {
    uint8_t octets[8];
    wire_store8(octets, number);
    driver_put(buffer, octets + 8 - size, size);
}

void driver_put_name(driver_buffer *buffer, const char *name) {
    const size_t length = name == NULL ? 0 : strlen(name);
    const size_t size = length > NAME_MAX_OCTETS ? NAME_MAX_OCTETS : length;
    driver_put_octet(buffer, (unsigned)size);
    driver_put(buffer, name, size);
}

void driver_put_blob(driver_buffer *buffer, wire_octets octets) {
    driver_put_number(buffer, 4, octets.size);
    driver_put(buffer, octets.data, octets.size);
}

void driver_free(driver_buffer *buffer) {
    free(buffer->data);
    memset(buffer, 0, sizeof *buffer);
}

void *driver_allocate(driver_arena *arena, size_t count, size_t each) {
    const size_t words = (count * each) / sizeof(uint64_t) + 1;
    struct driver_block *block = (struct driver_block *)checked(calloc(words + 1, sizeof(uint64_t)));
    block->next = arena->blocks;
    arena->blocks = block;
    return block->memory;
}

void driver_release(driver_arena *arena) {
    while (arena->blocks != NULL) {
        struct driver_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

bool driver_fault(driver_cursor *cursor, const char *problem) {
    cursor->problem = problem;
    return false;
}

bool driver_take(driver_cursor *cursor, size_t count, const uint8_t **octets) {
    if (count > cursor->size - cursor->at) {
        return driver_fault(cursor, "the request is truncated");
    }
    *octets = cursor->data + cursor->at;
    cursor->at += count;
    return true;
}

bool driver_number(driver_cursor *cursor, unsigned size, uint64_t *number) {
    const uint8_t *octets = NULL;
    if (!driver_take(cursor, size, &octets)) {
        return false;
    }
    *number = wire_load(octets, size);
    return true;
}

bool driver_name(driver_cursor *cursor, wire_text *name) {
    uint64_t size = 0;
    const uint8_t *octets = NULL;
    if (!driver_number(cursor, 1, &size) || !driver_take(cursor, (size_t)size, &octets)) {
        return false;
    }
    if (!wire_is_utf8(octets, (size_t)size)) {
        return driver_fault(cursor, "a name is not UTF-8");
    }
    name->data = (const char *)octets;
    name->size = (size_t)size;
    return true;
}

bool driver_blob(driver_cursor *cursor, wire_octets *octets) {
    uint64_t size = 0;
    if (!driver_number(cursor, 4, &size) || !driver_take(cursor, (size_t)size, &octets->data)) {
        return false;
    }
    octets->size = (size_t)size;
    return true;
}

static bool skip_list(driver_cursor *cursor, unsigned each, unsigned depth);

static bool skip(driver_cursor *cursor, unsigned depth) {
    const uint8_t *tag = NULL;
    uint64_t number = 0;
    wire_octets octets;
    if (depth == DEPTH_MAX) {
        return driver_fault(cursor, "values are nested too deeply");
    }
    if (!driver_take(cursor, 1, &tag)) {
        return false;
    }
    switch (*tag) {
    case 'u':
    case 'i':
        return driver_number(cursor, 8, &number);
    case 's':
    case 'b':
        return driver_blob(cursor, &octets);
    case 'l':
        return skip_list(cursor, 1, depth + 1);
    case 'h':
        return skip_list(cursor, 2, depth + 1);
    default:
        return driver_fault(cursor, "unknown kind of value");
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX bounds it */
static bool skip_list(driver_cursor *cursor, unsigned each, unsigned depth) {
    uint64_t count = 0;
    if (!driver_number(cursor, 4, &count)) {
        return false;
    }
    if (count * each > cursor->size - cursor->at) {
        return driver_fault(cursor, "a count exceeds the request");
    }
    for (count *= each; count != 0; count--) {
        if (!skip(cursor, depth)) {
            return false;
        }
    }
    return true;
}

bool driver_skip_value(driver_cursor *cursor, size_t *begin) {
    *begin = cursor->at;
    return skip(cursor, 0);
}

bool driver_skip_values(driver_cursor *cursor, size_t *begin) {
    *begin = cursor->at;
    return skip_list(cursor, 1, 0);
}
