// COIN-OR's linear (CLP) and integer (CBC) solvers, EPL-2.0, by their C interfaces, and whose turn it is to use CBC.
#ifndef C_COIN_H
#define C_COIN_H

#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>
#include <stdbool.h>

// CBC's C interface parses its options through global state, so that two programs on two threads of one process read
// each other's (seen in tests: "String of -solve is illegal for logLevel"). Whoever solves an integer program enters
// before it makes the model and leaves after it has deleted it. CLP prints "slacks added" to standard output within large
// programs whatever its log level is, where readers expect JSON; what C prints in between goes to standard error.
void throng_coin_enter(void);
void throng_coin_leave(void);

// Does something in which a solver's assertion may fail: false, instead of the end of the process, if one does. What the solver
// was working on then must not be touched any more, not even to delete it. Debian builds CLP and CBC with assertions, some of
// which numbers that are nearly degenerate violate.
bool throng_coin_attempt(void (*body)(void *), void *context);

// Fails an assertion, as the solvers do: for tests.
void throng_coin_fail(void);

// Solvers' calls in which that was seen, or is to be feared.
bool throng_clp_dual(Clp_Simplex *model);
bool throng_cbc_solve(Cbc_Model *model);

#endif
