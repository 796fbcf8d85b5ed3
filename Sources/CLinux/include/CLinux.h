// Calls that Swift can't import: they are variadic, or in a header that its module of the C library leaves out.
#pragma once

#include "descriptors.h"

#include <malloc.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// In spawn.h, but only for who asks for all that GNU has.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);

// Seconds since the machine started, asleep or not; nobody sets this clock.
static inline long long throng_uptime(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec;
}

// The process leaves no core behind, in no file and through no pipe.
static inline int throng_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Blocks of at least `mapped_bytes` are pages of their own, always; smaller ones come from at most `heaps` heaps.
static inline void throng_settle_allocator(int mapped_bytes, int heaps) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, mapped_bytes);
    mallopt(M_ARENA_MAX, heaps);
#else
    (void)mapped_bytes;
    (void)heaps;
#endif
}

// From now on this thread, and no other, opens, makes, moves and removes files with the rights of that user alone. The calls
// go past the C library, which would make all threads do so. Not 0 where that can't be had.
static inline int throng_touch_files_as(uid_t user, gid_t group) {
    if (syscall(SYS_setgroups, 0, NULL) != 0) return -1;
    setfsgid(group);
    setfsuid(user);
    return setfsgid((gid_t)-1) == (int)group && setfsuid((uid_t)-1) == (int)user ? 0 : -1;
}

// A file that has no name, and goes with its last descriptor; negative where there is none.
static inline int throng_nameless_file(void) { return (int)syscall(SYS_memfd_create, "throng", 1u /* closes on exec */); }

// Has the processor bring memory into its cache, and waits for nothing: whoever touches many places asks for all of them first.
static inline void throng_expect(const void *place) { __builtin_prefetch(place, 1); }
