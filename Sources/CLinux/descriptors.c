// Two functions of the C library, in this process's own words, because what calls them can't do without a descriptor:
//
//     open      Swift's Dispatch opens a file in /proc once a second while work waits, and traps where that fails; the journal ends
//               the process where it can't open its next segment. Where none is left, one that is held back goes for it.
//     accept4   NIO closes a listener for good where it gets any error but a few. Here every error is one of those, a connection that
//               would take one of the last descriptors is closed, and none is taken before what was held back is there again. One
//               listener may have what is held back, down to a half.
//
// A program finds them here first, as do the libraries that it is linked to; those of the C library are behind them.

#define _GNU_SOURCE
#include "descriptors.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 64 };

// A descriptor and one, so that 0 is none.
static atomic_int held[MOST];
static atomic_int wanted;
static atomic_int preferred = -1;
static atomic_uint_fast64_t refused[CONNECTION_REASONS];

static int open_next(const char *path, int flags, mode_t mode) {
    // A preloaded library comes before the C library.
    static _Atomic(void *) next;
    void *found = atomic_load(&next);
    if (!found) {
        found = dlsym(RTLD_NEXT, "open");
        atomic_store(&next, found);
    }
    if (!found) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    return ((int (*)(const char *, int, ...))found)(path, flags, mode);
}

// Whether one that was held back is free now; those before the first place are kept.
static int give_one(int first) {
    for (int place = first; place < MOST; place++) {
        int one = atomic_exchange(&held[place], 0);
        if (one == 0) continue;
        close(one - 1);
        return 1;
    }
    return 0;
}

// Whether as many are held back as are to be.
static int hold(void) {
    for (int place = 0; place < atomic_load(&wanted); place++) {
        if (atomic_load(&held[place]) != 0) continue;
        int one = open_next("/dev/null", O_RDONLY | O_CLOEXEC, 0);
        if (one < 0) return 0;
        int none = 0;
        if (!atomic_compare_exchange_strong(&held[place], &none, one + 1)) close(one);
    }
    return 1;
}

static int open_kept(const char *path, int flags, mode_t mode) {
    for (;;) {
        int file = open_next(path, flags, mode);
        if (file >= 0 || (errno != EMFILE && errno != ENFILE)) return file;
        int reason = errno;
        if (!give_one(0)) {
            errno = reason;
            return -1;
        }
    }
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_kept(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_kept(path, flags, mode);
}

static int refuse(int reason) {
    atomic_fetch_add(&refused[reason], 1);
    // Of this NIO knows that the listener is none the worse for it.
    errno = ECONNABORTED;
    return -1;
}

// Whether so many descriptors are left above a new one as are held back: the lowest that is free was taken.
static int leaves_room(int newest) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || (rlim_t)(newest + atomic_load(&wanted)) < limit.rlim_cur;
}

int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    if (atomic_load(&wanted) == 0) return (int)syscall(SYS_accept4, listener, address, length, flags);
    int is_preferred = listener == atomic_load(&preferred);
    if (!hold() && !is_preferred) return refuse(CONNECTION_NO_DESCRIPTOR);
    int taken;
    do {
        taken = (int)syscall(SYS_accept4, listener, address, length, flags | SOCK_CLOEXEC);
    } while (taken < 0 && (errno == EMFILE || errno == ENFILE) && is_preferred && give_one(atomic_load(&wanted) / 2));
    if (taken >= 0) {
        if (is_preferred || leaves_room(taken)) return taken;
        close(taken);
        return refuse(CONNECTION_NO_DESCRIPTOR);
    }
    switch (errno) {
        case EAGAIN:
        case EINTR: return -1;
        case EMFILE:
        case ENFILE: return refuse(CONNECTION_NO_DESCRIPTOR);
        case ENOBUFS:
        case ENOMEM: return refuse(CONNECTION_NO_MEMORY);
        // Of the connection, the network or a rule of the firewall.
        default: return refuse(CONNECTION_FAILED);
    }
}

void throng_prefer_listener(int listener) { atomic_store(&preferred, listener); }

void throng_hold_descriptors(int count) {
    atomic_store(&wanted, count < MOST ? count : MOST);
    hold();
}

uint64_t throng_refused_connections(int reason) { return atomic_load(&refused[reason]); }
