/* The C doors of COIN-OR's linear (CLP) and integer (CBC) solvers, EPL-2.0, as Debian packages them. */
#include <coin/Clp_C_Interface.h>
#include <coin/Cbc_C_Interface.h>
