// The part of LEMON that Throng uses, as C: flows of least cost in small networks.
#ifndef C_LEMON_H
#define C_LEMON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An arc of a network. Its flow is an integer, as all capacities are.
typedef struct {
    int32_t from;
    int32_t to;
    int64_t capacity;
    int64_t cost;  // of one unit
} throng_arc;

// Finds a circulation of least cost; costs may be negative, and every arc has a capacity.
//
// flows: an entry an arc, in their order.
// Returns 1 where it was found, 0 where not.
int throng_circulation(int32_t nodes, int32_t arcs, const throng_arc *network, int64_t *flows);

#ifdef __cplusplus
}
#endif

#endif
