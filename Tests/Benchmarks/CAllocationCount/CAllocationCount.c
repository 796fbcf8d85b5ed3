#include "CAllocationCount.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAS_CALLGRIND 1
#endif

// glibc's own allocator, under the names that it keeps for programs that replace malloc.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local uint64_t count;

uint64_t allocation_count(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

static uint64_t kibibytes(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    char line[256];
    unsigned long long value = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%llu", &value) == 1) break;
    }
    fclose(file);
    return value * 1024;
}

uint64_t resident_bytes(void) { return kibibytes("VmRSS:"); }
uint64_t peak_resident_bytes(void) { return kibibytes("VmHWM:"); }

#ifdef HAS_CALLGRIND
int is_callgrind(void) { return RUNNING_ON_VALGRIND; }
void callgrind_begin(void) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}
void callgrind_end(const char *name) {
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
#else
int is_callgrind(void) { return 0; }
void callgrind_begin(void) {}
void callgrind_end(const char *name) { (void)name; }
#endif
