/* A program that answers requests about this package's codecs and machines, for tests that compare languages. */
#ifndef ZEPS_WIRE_DRIVER_H
#define ZEPS_WIRE_DRIVER_H

#include "zeps_wire/machine.h"

/* --- storage: growing buffers, and memory with the lifetime of a request */

typedef struct driver_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
} driver_buffer;

void driver_put(driver_buffer *buffer, const void *octets, size_t size);
void driver_put_octet(driver_buffer *buffer, unsigned octet);
void driver_put_number(driver_buffer *buffer, unsigned size, uint64_t number);
void driver_put_name(driver_buffer *buffer, const char *name);
void driver_put_blob(driver_buffer *buffer, wire_octets octets);

/* Release a buffer's memory. */
void driver_free(driver_buffer *buffer);

typedef struct driver_arena {
    struct driver_block *blocks;
} driver_arena;

/* Allocate zeroed memory; the program ends if that fails. */
void *driver_allocate(driver_arena *arena, size_t count, size_t each);
void driver_release(driver_arena *arena);

/* --- requests */

/* A position in a request; `problem` describes the error, or is NULL. */
typedef struct driver_cursor {
    const uint8_t *data;
    size_t size;
    size_t at;
    const char *problem;
    driver_arena *arena;
} driver_cursor;

bool driver_fault(driver_cursor *cursor, const char *problem);
bool driver_take(driver_cursor *cursor, size_t count, const uint8_t **octets);
bool driver_number(driver_cursor *cursor, unsigned size, uint64_t *number);
bool driver_name(driver_cursor *cursor, wire_text *name);
bool driver_blob(driver_cursor *cursor, wire_octets *octets);
/* Skip values; `*begin` is their offset. */
bool driver_skip_value(driver_cursor *cursor, size_t *begin);
bool driver_skip_values(driver_cursor *cursor, size_t *begin);

/* --- values by schema */

/* Set a member from a value; `*beyond` becomes the field if it cannot hold the number. */
bool driver_value(driver_cursor *cursor, const wire_field *field, void *place, const wire_field **beyond);
/* Set a struct's members from values; `*beyond` becomes the first field that cannot hold its number, or NULL. */
bool driver_build(driver_cursor *cursor, const wire_field *fields, size_t count, void *into, const wire_field **beyond);
/* Build a message from values. Returns NULL if they do not match the schema. */
void *driver_message(driver_cursor *cursor, const wire_protocol *protocol, const wire_schema *schema,
                     const wire_field **beyond);
void driver_put_values(driver_buffer *answer, const wire_schema *schema, const void *message);

/* --- protocols and machines */

/* The description of a machine's type for the driver. */
typedef struct driver_machine {
    const wire_table *table;
    const wire_protocol *protocol;
    size_t size;
    bool (*init)(void *machine, void *context);
    void (*free)(void *machine);
    wire_outcome (*receive)(void *machine, const void *message);
} driver_machine;

extern const wire_protocol *const driver_protocols[];
extern const size_t driver_protocol_count;
extern const driver_machine driver_machines[];
extern const size_t driver_machine_count;

/* The callbacks of all hosts: they record the calls. */
void driver_send(void *context, const void *message);
void driver_unsendable(void *context, const wire_error *error);
void driver_act(void *context, size_t action);

/* Whether the message has frames after the first. */
bool driver_is_multipart(const wire_schema *schema);
/* The frames of a request: a count, then the frames. */
bool driver_frames(driver_cursor *cursor, wire_blobs *frames);
/* Encode the message. Returns false, with `error`, if it cannot be encoded. */
bool driver_encode(driver_arena *arena, const wire_protocol *protocol, const void *message, wire_blobs *frames,
                   wire_error *error);
/* Append the frames, each as a blob. */
void driver_put_frames(driver_buffer *answer, const wire_blobs *frames);
/* Run a new machine through steps. Returns false if the request cannot be parsed. */
bool driver_run(driver_cursor *cursor, const driver_machine *machine, driver_buffer *answer);

/* Append the answer to a request. */
void driver_handle(const uint8_t *request, size_t size, driver_buffer *answer);

#endif
