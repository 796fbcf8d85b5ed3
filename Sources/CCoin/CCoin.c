#include "CCoin.h"

#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void throng_coin_enter(void) { pthread_mutex_lock(&turn); }
void throng_coin_leave(void) { pthread_mutex_unlock(&turn); }
