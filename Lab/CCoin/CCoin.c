#include "CCoin.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static FILE *output;

void throng_coin_enter(void) {
    pthread_mutex_lock(&turn);
    output = stdout;
    stdout = stderr;
}

void throng_coin_leave(void) {
    stdout = output;
    pthread_mutex_unlock(&turn);
}

// Where a failed assertion of this thread leads; null ends the process, as in the C library.
static __thread jmp_buf *escape;

// The C library's, for the solvers and for everything else in this process: what an executable defines goes before it.
__attribute__((noreturn)) void
__assert_fail(const char *assertion, const char *file, unsigned line, const char *function) {
    if (escape) longjmp(*escape, 1);
    fprintf(stderr, "%s:%u: %s: assertion failed: %s\n", file, line, function, assertion);
    abort();
}

bool throng_coin_attempt(void (*body)(void *), void *context) {
    jmp_buf here;
    jmp_buf *volatile before = escape;
    if (setjmp(here)) {
        escape = before;
        return false;
    }
    escape = &here;
    body(context);
    escape = before;
    return true;
}

void throng_coin_fail(void) { __assert_fail("false", __FILE__, __LINE__, __func__); }

static void dual(void *model) { Clp_dual(model, 0); }
static void branch(void *model) { Cbc_solve(model); }

bool throng_clp_dual(Clp_Simplex *model) { return throng_coin_attempt(dual, model); }
bool throng_cbc_solve(Cbc_Model *model) { return throng_coin_attempt(branch, model); }
