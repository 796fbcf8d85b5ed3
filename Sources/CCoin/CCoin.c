#include "CCoin.h"

#include <pthread.h>
#include <stdio.h>

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
