// Calls that Swift can't import: they are variadic, or in a header that its module of the C library leaves out.
#include <malloc.h>
#include <spawn.h>
#include <sys/prctl.h>

// In spawn.h, but only for who asks for all that GNU has.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);

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
