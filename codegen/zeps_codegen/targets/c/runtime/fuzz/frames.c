/* Decodes arbitrary bytes as a frame of every protocol: a decoded message must survive a round trip, and the inline
 * decoders must agree with the tables. Run it as `zeps_wire_fuzz -max_total_time=600 CORPUS`. */
#include "driver.h"

#include <stdlib.h>

static void insist(bool truth) {
    if (!truth) {
        abort();
    }
}

static void same_values(const wire_schema *schema, const void *left, const void *right) {
    driver_buffer values[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    driver_put_values(&values[0], schema, left);
    driver_put_values(&values[1], schema, right);
    insist(values[0].size == values[1].size && memcmp(values[0].data, values[1].data, values[0].size) == 0);
    driver_free(&values[0]);
    driver_free(&values[1]);
}

static void try_protocol(const wire_protocol *protocol, const uint8_t *data, size_t size) {
    driver_arena arena = {NULL};
    uint8_t *message = (uint8_t *)driver_allocate(&arena, protocol->message_size, 1);
    uint8_t *other = (uint8_t *)driver_allocate(&arena, protocol->message_size, 1);
    const size_t body = protocol->body_offset;
    wire_error error = {WIRE_OK, NULL, NULL, 0};
    wire_error careful = {WIRE_OK, NULL, NULL, 0};
    const wire_code code = protocol->decode(message, data, size, &error);
    const wire_schema *schema = wire_find(protocol, data, size, &careful);
    wire_blobs frames;
    if (schema != NULL) {
        careful.code = wire_decode_message(protocol, schema, other, data, size, &careful);
    }
    insist(code == careful.code && (code == WIRE_OK || code == error.code));
    if (code == WIRE_OK) {
        same_values(schema, message + body, other);
        insist(driver_encode(&arena, protocol, message, &frames, &error));
        insist(wire_decode_frames(protocol, other, frames.items, frames.count, &error) == WIRE_OK);
        same_values(schema, message + body, other + body);
    }
    driver_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    driver_buffer answer = {NULL, 0, 0};
    for (size_t index = 0; index < driver_protocol_count; index++) {
        try_protocol(driver_protocols[index], data, size);
    }
    driver_handle(data, size, &answer);
    driver_free(&answer);
    return 0;
}
