// COIN-OR's linear (CLP) and integer (CBC) solvers, EPL-2.0, by their C interfaces, and whose turn it is to use CBC.
#ifndef C_COIN_H
#define C_COIN_H

#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>

// CBC's C interface parses its options through global state, so that two programs on two threads of one process read
// each other's (seen in tests: "String of -solve is illegal for logLevel"). Whoever solves an integer program enters
// before it makes the model and leaves after it has deleted it. CLP prints "slacks added" to standard output within large
// programs whatever its log level is, where readers expect JSON; what C prints in between goes to standard error.
void throng_coin_enter(void);
void throng_coin_leave(void);

#endif
