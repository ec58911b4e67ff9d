/* Files and folders of faultfs: their current and their durable state. Included by faultfs.c only. */

#define _GNU_SOURCE
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <fuse_log.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define SECTOR 512

struct bytes { unsigned char *data; size_t size, room; };
struct range { size_t start, end; };
struct node;
struct entry { char *name; struct node *node; };
struct folder { struct entry *entries; size_t count, room; };
struct node {
    uint64_t number;
    mode_t mode;
    uid_t uid;
    gid_t gid;
    struct timespec modified;
    unsigned links, opened, mark;
    struct bytes now, durable;             /* content of a file, target of a link */
    struct range *dirty;                   /* unsynced writes, in their order */
    size_t dirty_count, dirty_room;
    struct folder now_entries, durable_entries;
    struct node *next;                     /* of all nodes */
};

static struct node *root, *all;
static uint64_t last_number, used, marks;
static int posix_entries, entries_changed, serving;
static uint64_t random_state;

static uint64_t next_random(void) /* splitmix64 */
{
    uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void *grown(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (!memory) { fprintf(stderr, "faultfs: out of memory\n"); _exit(3); }
    return memory;
}

static void resize(struct bytes *b, size_t size) /* new bytes are zero, and so are those behind the end */
{
    if (size > b->room) {
        size_t room = size < 4096 ? 4096 : size + size / 2;
        b->data = grown(b->data, room);
        memset(b->data + b->room, 0, room - b->room);
        b->room = room;
    }
    if (size < b->size) memset(b->data + size, 0, b->size - size);
    b->size = size;
}

static void note_dirty(struct node *n, size_t start, size_t end)
{
    struct range *last = n->dirty_count ? &n->dirty[n->dirty_count - 1] : NULL;
    if (last && last->end == start && end - last->start <= 65536) { last->end = end; return; }
    if (n->dirty_count == n->dirty_room) {
        n->dirty_room = 2 * n->dirty_room + 16;
        n->dirty = grown(n->dirty, n->dirty_room * sizeof *n->dirty);
    }
    n->dirty[n->dirty_count++] = (struct range){start, end};
}

static void copy_range(struct node *n, size_t start, size_t end)
{
    if (end > n->now.size) end = n->now.size;
    if (start >= end) return;
    if (end > n->durable.size) resize(&n->durable, end);
    memcpy(n->durable.data + start, n->now.data + start, end - start);
}

static void sync_content(struct node *n)
{
    for (size_t i = 0; i < n->dirty_count; i++) copy_range(n, n->dirty[i].start, n->dirty[i].end);
    resize(&n->durable, n->now.size);
    n->dirty_count = 0;
}

/* Folders ------------------------------------------------------------------------------------------------------- */

static struct entry *find_entry(struct folder *f, const char *name, size_t length)
{
    for (size_t i = 0; i < f->count; i++)
        if (!strncmp(f->entries[i].name, name, length) && !f->entries[i].name[length]) return &f->entries[i];
    return NULL;
}

static void add_entry(struct folder *f, const char *name, struct node *n)
{
    if (f->count == f->room) {
        f->room = 2 * f->room + 8;
        f->entries = grown(f->entries, f->room * sizeof *f->entries);
    }
    f->entries[f->count++] = (struct entry){strdup(name), n};
}

static void remove_entry(struct folder *f, struct entry *e)
{
    free(e->name);
    memmove(e, e + 1, (char *)(f->entries + f->count) - (char *)(e + 1));
    f->count--;
}

static void copy_entries(struct folder *to, const struct folder *from)
{
    while (to->count) free(to->entries[--to->count].name);
    for (size_t i = 0; i < from->count; i++) add_entry(to, from->entries[i].name, from->entries[i].node);
}

static void sync_entries(struct node *folder)
{
    if (posix_entries) { copy_entries(&folder->durable_entries, &folder->now_entries); return; }
    if (!entries_changed) return;
    entries_changed = 0;
    for (struct node *n = all; n; n = n->next)
        if (S_ISDIR(n->mode)) copy_entries(&n->durable_entries, &n->now_entries);
}

static struct node *make_node(mode_t mode)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n) _exit(3);
    n->number = ++last_number;
    n->mode = mode;
    n->links = 1;
    if (serving) { n->uid = fuse_get_context()->uid; n->gid = fuse_get_context()->gid; }
    clock_gettime(CLOCK_REALTIME, &n->modified);
    n->next = all;
    return all = n;
}

static struct node *walk(const char *path, size_t length)
{
    struct node *n = root;
    const char *end = path + length;
    while (n) {
        while (path < end && *path == '/') path++;
        if (path >= end) return n;
        const char *stop = path;
        while (stop < end && *stop != '/') stop++;
        if (!S_ISDIR(n->mode)) return NULL;
        struct entry *e = find_entry(&n->now_entries, path, stop - path);
        n = e ? e->node : NULL;
        path = stop;
    }
    return NULL;
}

static struct node *find(const char *path) { return walk(path, strlen(path)); }
static const char *name_of(const char *path) { return strrchr(path, '/') + 1; }
static struct node *parent_of(const char *path) { return walk(path, strrchr(path, '/') - path); }

static struct node *node_of(const char *path, struct fuse_file_info *fi)
{
    return fi && fi->fh ? (struct node *)(uintptr_t)fi->fh : find(path);
}

static void count_used(void)
{
    used = 0;
    for (struct node *n = all; n; n = n->next)
        if (S_ISREG(n->mode) && (n->links || n->opened)) used += n->now.size;
}

