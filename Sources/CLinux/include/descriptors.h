#pragma once

#include <stdint.h>

// Why a connection was not taken from a listener.
enum { CONNECTION_NO_DESCRIPTOR, CONNECTION_NO_MEMORY, CONNECTION_FAILED, CONNECTION_REASONS };

// Holds so many descriptors back from now on, for files that this process has to open whatever others take, and takes no connection
// while it can't. Called before anything else takes descriptors, they are low ones, which a lowered limit leaves alone.
void throng_hold_descriptors(int count);

// Lets a listener, of whoever runs this, take connections by what is held back, as long as half of that is there.
void throng_prefer_listener(int listener);

// How many connections were not taken, for one of the reasons above.
uint64_t throng_refused_connections(int reason);
