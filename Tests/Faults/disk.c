// Preloaded into a daemon under test: what its disk does to files under DISK_PATH is what the file that DISK_FILE names says,
// at any moment. The file holds six numbers of eight bytes, in the machine's order:
//     0   1: fsync and fdatasync do nothing and say that all went well
//     1   1: write, and open of new files, fail with ENOSPC
//     2   how long fdatasync and fsync take on top, in microseconds
//     3   how often 1 was felt; written here
//     4   n: the nth fsync or fdatasync from now on fails with EIO and brings nothing to disk; counted down here
//     5   how often fsync and fdatasync were asked for; counted here

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int64_t *disk;
static const char *place;

__attribute__((constructor)) static void open_disk(void) {
    const char *path = getenv("DISK_FILE");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, 48, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) syscall(SYS_close, file);
    place = getenv("DISK_PATH");
    if (page != MAP_FAILED && place) disk = page;
}

static int is_ours(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, place, strlen(place)) == 0;
}

static int refuses(void) {
    __atomic_fetch_add((int64_t *)&disk[3], 1, __ATOMIC_RELAXED);
    errno = ENOSPC;
    return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (disk && disk[1] && is_ours(descriptor)) return refuses();
    return syscall(SYS_write, descriptor, bytes, count);
}

static int open_file(const char *path, int flags, mode_t mode) {
    if (disk && disk[1] && (flags & O_CREAT) && strncmp(path, place, strlen(place)) == 0 && access(path, F_OK) != 0)
        return refuses();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(path, flags, mode);
}

static int synced(int descriptor, long call) {
    if (disk && is_ours(descriptor)) __atomic_fetch_add((int64_t *)&disk[5], 1, __ATOMIC_RELAXED);
    if (disk && disk[2] && is_ours(descriptor)) usleep((useconds_t)disk[2]);
    if (disk && disk[0] && is_ours(descriptor)) return 0;
    if (disk && disk[4] > 0 && is_ours(descriptor)
        && __atomic_sub_fetch((int64_t *)&disk[4], 1, __ATOMIC_RELAXED) == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(call, descriptor);
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }
