// Counts allocations of the thread that asks, and tells valgrind's callgrind where a stage begins and ends.
#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdint.h>

// Calls of malloc and its kin by this thread since it began. A program that links this has its own malloc, which counts
// and passes on to the C library's.
uint64_t allocation_count(void);

// Bytes of this process in memory now, and at most so far (VmRSS, VmHWM); 0 where the kernel does not say.
uint64_t resident_bytes(void);
uint64_t peak_resident_bytes(void);

// Whether valgrind runs this process and was known when it was built.
int is_callgrind(void);
// Counting of instructions goes from begin to end, whose name callgrind writes down beside the sum.
void callgrind_begin(void);
void callgrind_end(const char *name);

#endif
