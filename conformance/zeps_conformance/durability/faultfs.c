/* A file system in memory that knows what was synced.

   Each file has two contents: the current one, and the durable one, into which fsync copies. Folders likewise have
   current and durable entries. Commands on standard input, each answered by one line on standard output:

     limit BYTES            from now on, writes beyond BYTES in total fail with ENOSPC (0: no limit)
     arm N                  the next mount stops answering before its N-th call that changes something (0: never)
     mount                  mounts, prints "mounted", and later "unmounted OPERATIONS"; "frozen" when an armed mount
                            stops answering; once a line arrives, all calls fail with EIO
     entries KIND           what makes a folder's entries durable: "journaled", any later fsync, as with ext4;
                            "posix", only fsync of the folder
     settle                 makes everything durable
     cut WRITES SEED        power cut, WRITES "lost" or "torn" (a random part of each file's unsynced writes is kept,
                            in sectors); prints the number of files and bytes that were not synced
     flip N SEED            flips N random bits of files, prints "flipped OFFSET PATH" for each, then "done"

   Commands are accepted only while nothing is mounted. The end of standard input unmounts and ends the program. */

#include "faultfs_nodes.h"

static uint64_t operations, armed, limit;
static const char *mountpoint;
static int frozen, dead;

/* Counts a call that changes something, and stops answering at the armed one. */
static int changing(void)
{
    if (dead) return -EIO;
    if (++operations == armed && !frozen) {
        frozen = 1;
        printf("frozen\n");
        fflush(stdout);
        char line[64];
        if (!fgets(line, sizeof line, stdin)) _exit(0);
        dead = 1;
        return -EIO;
    }
    return 0;
}

#define CHANGING() do { int error_ = changing(); if (error_) return error_; } while (0)
#define NODE(n, path, fi) struct node *n = node_of(path, fi); if (!n) return -ENOENT

/* Calls --------------------------------------------------------------------------------------------------------- */

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    memset(st, 0, sizeof *st);
    st->st_ino = n->number;
    st->st_mode = n->mode;
    st->st_nlink = S_ISDIR(n->mode) ? 2 : n->links;
    st->st_uid = n->uid;
    st->st_gid = n->gid;
    st->st_size = n->now.size;
    st->st_blocks = (n->now.size + 511) / 512;
    st->st_blksize = 4096;
    st->st_mtim = st->st_ctim = st->st_atim = n->modified;
    return 0;
}

static int place(const char *path, mode_t mode, struct node **made)
{
    struct node *parent = parent_of(path);
    if (!parent) return -ENOENT;
    if (strlen(name_of(path)) > 255) return -ENAMETOOLONG;
    if (find(path)) return -EEXIST;
    CHANGING();
    if (limit && used >= limit) return -ENOSPC;
    *made = make_node(mode);
    entries_changed = 1;
    add_entry(&parent->now_entries, name_of(path), *made);
    return 0;
}

static int fs_mkdir(const char *path, mode_t mode)
{
    struct node *made;
    return place(path, S_IFDIR | (mode & 07777), &made);
}

static int fs_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
    struct node *made;
    int error = place(path, S_IFREG | (mode & 07777), &made);
    if (error) return error;
    made->opened++;
    fi->fh = (uintptr_t)made;
    return 0;
}

static int fs_mknod(const char *path, mode_t mode, dev_t device)
{
    struct node *made;
    (void)device;
    return place(path, mode, &made);
}

static int fs_symlink(const char *target, const char *path)
{
    struct node *made;
    int error = place(path, S_IFLNK | 0777, &made);
    if (error) return error;
    resize(&made->now, strlen(target));
    memcpy(made->now.data, target, strlen(target));
    copy_range(made, 0, made->now.size);
    return 0;
}

static int fs_readlink(const char *path, char *buffer, size_t size)
{
    NODE(n, path, NULL);
    snprintf(buffer, size, "%.*s", (int)n->now.size, (char *)n->now.data);
    return 0;
}

static int fs_link(const char *from, const char *to)
{
    struct node *n = find(from), *parent = parent_of(to);
    if (!n || !parent) return -ENOENT;
    if (find(to)) return -EEXIST;
    CHANGING();
    entries_changed = 1;
    add_entry(&parent->now_entries, name_of(to), n);
    n->links++;
    return 0;
}

static int detach(const char *path)
{
    struct node *parent = parent_of(path);
    struct entry *e = parent ? find_entry(&parent->now_entries, name_of(path), strlen(name_of(path))) : NULL;
    if (!e) return -ENOENT;
    entries_changed = 1;
    e->node->links--;
    remove_entry(&parent->now_entries, e);
    count_used();
    return 0;
}

static int fs_unlink(const char *path)
{
    CHANGING();
    return detach(path);
}

static int fs_rmdir(const char *path)
{
    NODE(n, path, NULL);
    if (n->now_entries.count) return -ENOTEMPTY;
    CHANGING();
    return detach(path);
}

static int fs_rename(const char *from, const char *to, unsigned flags)
{
    struct node *n = find(from), *parent = parent_of(to), *old = find(to);
    if (!n || !parent) return -ENOENT;
    if (flags & ~RENAME_NOREPLACE) return -EINVAL;
    if (old && (flags & RENAME_NOREPLACE)) return -EEXIST;
    if (old && S_ISDIR(old->mode) && old->now_entries.count) return -ENOTEMPTY;
    CHANGING();
    if (old == n) return 0;
    n->links++;
    if (old) detach(to);
    detach(from);
    add_entry(&parent->now_entries, name_of(to), n);
    return 0;
}

static int fs_chmod(const char *path, mode_t mode, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    n->mode = (n->mode & S_IFMT) | (mode & 07777);
    return 0;
}

static int fs_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    if (uid != (uid_t)-1) n->uid = uid;
    if (gid != (gid_t)-1) n->gid = gid;
    return 0;
}

static int fs_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    if (times[1].tv_nsec == UTIME_NOW) clock_gettime(CLOCK_REALTIME, &n->modified);
    else if (times[1].tv_nsec != UTIME_OMIT) n->modified = times[1];
    return 0;
}

static int change_size(struct node *n, size_t size)
{
    if (size > n->now.size) {
        if (limit && used + (size - n->now.size) > limit) return -ENOSPC;
    } else if (size < n->now.size) {
        note_dirty(n, size, n->now.size);
    }
    used += size - n->now.size;
    resize(&n->now, size);
    clock_gettime(CLOCK_REALTIME, &n->modified);
    return 0;
}

static int fs_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    CHANGING();
    return change_size(n, size);
}

static int fs_fallocate(const char *path, int mode, off_t offset, off_t length, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    if (mode & ~1) return -EOPNOTSUPP;
    CHANGING();
    if (mode & 1 || (size_t)(offset + length) <= n->now.size) return 0;
    return change_size(n, offset + length);
}

static int fs_open(const char *path, struct fuse_file_info *fi)
{
    NODE(n, path, NULL);
    if (fi->flags & O_TRUNC) {
        CHANGING();
        change_size(n, 0);
    }
    n->opened++;
    fi->fh = (uintptr_t)n;
    return 0;
}

static int fs_release(const char *path, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    if (!--n->opened && !n->links) count_used();
    return 0;
}

static int fs_read(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    if (dead) return -EIO;
    if ((size_t)offset >= n->now.size) return 0;
    if (size > n->now.size - offset) size = n->now.size - offset;
    memcpy(buffer, n->now.data + offset, size);
    return size;
}

static int fs_write(const char *path, const char *buffer, size_t size, off_t offset, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    CHANGING();
    size_t end = offset + size;
    if (end > n->now.size) {
        if (limit && used + (end - n->now.size) > limit) {
            size_t room = limit > used ? limit - used : 0;
            end = n->now.size + room;
            if (end <= (size_t)offset) return -ENOSPC;
            size = end - offset;
        }
        used += end - n->now.size;
        resize(&n->now, end);
    }
    memcpy(n->now.data + offset, buffer, size);
    note_dirty(n, offset, offset + size);
    clock_gettime(CLOCK_REALTIME, &n->modified);
    return size;
}

static int fs_fsync(const char *path, int data_only, struct fuse_file_info *fi)
{
    NODE(n, path, fi);
    (void)data_only;
    CHANGING();
    sync_content(n);
    if (!posix_entries) sync_entries(n);
    return 0;
}

static int fs_fsyncdir(const char *path, int data_only, struct fuse_file_info *fi)
{
    (void)data_only;
    NODE(n, path, fi);
    CHANGING();
    sync_entries(n);
    return 0;
}

static int fs_opendir(const char *path, struct fuse_file_info *fi)
{
    NODE(n, path, NULL);
    if (!S_ISDIR(n->mode)) return -ENOTDIR;
    fi->fh = (uintptr_t)n;
    return 0;
}

static int fs_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *fi,
                      enum fuse_readdir_flags flags)
{
    (void)offset; (void)flags;
    NODE(n, path, fi);
    fill(buffer, ".", NULL, 0, 0);
    fill(buffer, "..", NULL, 0, 0);
    for (size_t i = 0; i < n->now_entries.count; i++) fill(buffer, n->now_entries.entries[i].name, NULL, 0, 0);
    return 0;
}

static int fs_statfs(const char *path, struct statvfs *st)
{
    (void)path;
    uint64_t total = limit ? limit : (uint64_t)64 << 30;
    memset(st, 0, sizeof *st);
    st->f_bsize = st->f_frsize = 4096;
    st->f_blocks = total / 4096;
    st->f_bfree = st->f_bavail = total > used ? (total - used) / 4096 : 0;
    st->f_files = st->f_ffree = st->f_favail = 1 << 20;
    st->f_namemax = 255;
    return 0;
}

static void *fs_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->use_ino = 1;
    config->nullpath_ok = 1;
    config->hard_remove = 1;
    config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
    return NULL;
}

static const struct fuse_operations calls = {
    .getattr = fs_getattr, .readlink = fs_readlink, .mknod = fs_mknod, .mkdir = fs_mkdir, .unlink = fs_unlink,
    .rmdir = fs_rmdir, .symlink = fs_symlink, .rename = fs_rename, .link = fs_link, .chmod = fs_chmod,
    .chown = fs_chown, .truncate = fs_truncate, .open = fs_open, .read = fs_read, .write = fs_write,
    .statfs = fs_statfs, .release = fs_release, .fsync = fs_fsync, .opendir = fs_opendir, .readdir = fs_readdir,
    .fsyncdir = fs_fsyncdir, .init = fs_init, .create = fs_create, .utimens = fs_utimens,
    .fallocate = fs_fallocate,
};

/* Faults -------------------------------------------------------------------------------------------------------- */

static void keep_part(struct node *n) /* of the unsynced writes of a file */
{
    size_t size = n->durable.size;
    uint64_t choice = next_random() % 4;
    if (choice == 0) return;
    if (choice == 1) { /* all up to a random sector of a random write */
        size_t count = next_random() % (n->dirty_count + 1);
        for (size_t i = 0; i < count; i++) copy_range(n, n->dirty[i].start, n->dirty[i].end);
        if (count < n->dirty_count) {
            struct range r = n->dirty[count];
            size_t sectors = (r.end - r.start) / SECTOR + 1;
            size_t end = (r.start / SECTOR + next_random() % sectors) * SECTOR;
            if (end > r.start) copy_range(n, r.start, end < r.end ? end : r.end);
        }
        if (n->now.size < size && count == n->dirty_count) resize(&n->durable, n->now.size);
        return;
    }
    for (size_t i = 0; i < n->dirty_count; i++) /* any sectors, written in any order */
        for (size_t at = n->dirty[i].start; at < n->dirty[i].end;) {
            size_t end = (at / SECTOR + 1) * SECTOR;
            if (end > n->dirty[i].end) end = n->dirty[i].end;
            if (next_random() & 1) copy_range(n, at, end);
            at = end;
        }
    if (choice == 3) resize(&n->durable, n->now.size); /* the new size is durable, with zeros in unwritten sectors */
}

static void revive(struct node *n) /* the durable state becomes the current one */
{
    if (n->mark == marks) { n->links++; return; }
    n->mark = marks;
    n->links = 1;
    resize(&n->now, n->durable.size);
    if (n->durable.size) memcpy(n->now.data, n->durable.data, n->durable.size);
    n->dirty_count = 0;
    copy_entries(&n->now_entries, &n->durable_entries);
    for (size_t i = 0; i < n->now_entries.count; i++) revive(n->now_entries.entries[i].node);
}

static void free_unmarked(void)
{
    for (struct node **at = &all; *at;) {
        struct node *n = *at;
        if (n->mark == marks) { at = &n->next; continue; }
        *at = n->next;
        while (n->now_entries.count) free(n->now_entries.entries[--n->now_entries.count].name);
        while (n->durable_entries.count) free(n->durable_entries.entries[--n->durable_entries.count].name);
        free(n->now_entries.entries);
        free(n->durable_entries.entries);
        free(n->now.data);
        free(n->durable.data);
        free(n->dirty);
        free(n);
    }
}

static void cut(int torn)
{
    uint64_t files = 0, lost = 0;
    for (struct node *n = all; n; n = n->next) {
        n->opened = 0;
        if (!n->dirty_count && n->now.size == n->durable.size) continue;
        files++;
        for (size_t i = 0; i < n->dirty_count; i++) lost += n->dirty[i].end - n->dirty[i].start;
        if (torn) keep_part(n);
    }
    marks++;
    revive(root);
    free_unmarked();
    count_used();
    printf("cut %llu %llu\n", (unsigned long long)files, (unsigned long long)lost);
}

static void settle(void) /* what the kernel does with unsynced writes in time */
{
    for (struct node *n = all; n; n = n->next) {
        sync_content(n);
        copy_entries(&n->durable_entries, &n->now_entries);
    }
    printf("ok\n");
}

static int path_to(const struct node *wanted, const struct node *folder, char *path, size_t at, size_t room)
{
    for (size_t i = 0; i < folder->now_entries.count; i++) {
        const struct entry *e = &folder->now_entries.entries[i];
        int length = snprintf(path + at, room - at, "/%s", e->name);
        if (e->node == wanted) return 1;
        if (S_ISDIR(e->node->mode) && path_to(wanted, e->node, path, at + length, room)) return 1;
    }
    return 0;
}

static void flip(uint64_t count)
{
    count_used();
    for (uint64_t i = 0; i < count && used; i++) {
        uint64_t at = next_random() % used;
        for (struct node *n = all; n; n = n->next) {
            if (!S_ISREG(n->mode) || !n->links) continue;
            if (at >= n->now.size) { at -= n->now.size; continue; }
            char path[8192] = "";
            path_to(n, root, path, 0, sizeof path);
            n->now.data[at] ^= 1 << (next_random() & 7);
            if (at < n->durable.size) n->durable.data[at] = n->now.data[at];
            printf("flipped %llu %s\n", (unsigned long long)at, path);
            break;
        }
    }
    printf("done\n");
}

/* Commands ------------------------------------------------------------------------------------------------------ */

static void silent(enum fuse_log_level level, const char *format, va_list values)
{
    (void)level; (void)format; (void)values; /* libfuse reports an unmount as an error */
}

static void *watch(void *nothing) /* unmounts when the suite has ended */
{
    struct pollfd in = {0, 0, 0};
    while (poll(&in, 1, -1) < 1 || !(in.revents & (POLLHUP | POLLERR | POLLNVAL))) {}
    umount2(mountpoint, MNT_DETACH);
    _exit(0);
    return nothing;
}

static int serve(void)
{
    char *words[] = {"faultfs", "-oallow_other,fsname=faultfs", NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(2, words);
    struct fuse *fuse = fuse_new(&arguments, &calls, sizeof calls, NULL);
    if (!fuse || fuse_mount(fuse, mountpoint)) { printf("error cannot mount %s\n", mountpoint); return 1; }
    operations = 0;
    frozen = dead = 0;
    printf("mounted\n");
    fflush(stdout);
    serving = 1;
    fuse_loop(fuse);
    serving = 0;
    fuse_unmount(fuse);
    fuse_destroy(fuse);
    fuse_opt_free_args(&arguments);
    for (struct node *n = all; n; n = n->next) n->opened = 0;
    printf("unmounted %llu\n", (unsigned long long)operations);
    return 0;
}

int main(int count, char **words)
{
    char line[256], entries[16], writes[16];
    unsigned long long number, seed;
    pthread_t watcher;
    if (count != 2) { fprintf(stderr, "usage: faultfs MOUNTPOINT\n"); return 2; }
    mountpoint = words[1];
    root = make_node(S_IFDIR | 0755);
    fuse_set_log_func(silent);
    pthread_create(&watcher, NULL, watch, NULL);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "limit %llu", &number) == 1) { limit = number; printf("ok\n"); }
        else if (sscanf(line, "arm %llu", &number) == 1) { armed = number; printf("ok\n"); }
        else if (sscanf(line, "entries %15s", entries) == 1) { posix_entries = !strcmp(entries, "posix"); printf("ok\n"); }
        else if (sscanf(line, "cut %15s %llu", writes, &seed) == 2) { random_state = seed; cut(!strcmp(writes, "torn")); }
        else if (sscanf(line, "flip %llu %llu", &number, &seed) == 2) { random_state = seed; flip(number); }
        else if (!strcmp(line, "settle\n")) settle();
        else if (!strcmp(line, "mount\n")) { if (serve()) return 1; }
        else printf("error unknown command\n");
        fflush(stdout);
    }
    return 0;
}
