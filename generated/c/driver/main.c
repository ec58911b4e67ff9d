/* Requests on stdin, answers on stdout; each follows a length of four bytes. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): the name is reserved for this */
#include "driver.h"

#include <stdio.h>
#include <unistd.h>

enum { READ_OCTETS = 65536, REQUEST_OCTETS_MAX = 64 * 1024 * 1024 };

static bool write_all(const uint8_t *octets, size_t size) {
    while (size != 0) {
        const ssize_t written = write(1, octets, size);
        if (written <= 0) {
            return false;
        }
        octets += written;
        size -= (size_t)written;
    }
    return true;
}

/* Answer the complete requests in `input`, and keep the rest. Returns 0, or the exit code. */
static int serve(driver_buffer *input, driver_buffer *output) {
    size_t at = 0;
    while (input->size - at >= 4) {
        const size_t size = wire_load4(input->data + at);
        const size_t begin = output->size;
        if (size > REQUEST_OCTETS_MAX) {
            fprintf(stderr, "a request of %zu bytes is too large\n", size);
            return 2;
        }
        if (input->size - at - 4 < size) {
            break;
        }
        driver_put_number(output, 4, 0);
        driver_handle(input->data + at + 4, size, output);
        wire_store4(output->data + begin, (uint32_t)(output->size - begin - 4));
        at += 4 + size;
    }
    memmove(input->data, input->data + at, input->size - at);
    input->size -= at;
    return 0;
}

int main(void) {
    static uint8_t piece[READ_OCTETS];
    driver_buffer input = {NULL, 0, 0};
    driver_buffer output = {NULL, 0, 0};
    int code = 0;
    ssize_t size = 0;
    while (code == 0 && (size = read(0, piece, sizeof piece)) > 0) {
        driver_put(&input, piece, (size_t)size);
        code = serve(&input, &output);
        if (!write_all(output.data, output.size)) {
            code = 1;
        }
        output.size = 0;
    }
    driver_free(&input);
    driver_free(&output);
    return code;
}
