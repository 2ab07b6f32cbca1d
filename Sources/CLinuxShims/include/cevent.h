#pragma once

// epoll and eventfd.
//
// Why in C: Swift's module of the C library leaves their headers out.

#include <stdint.h>

/// What a descriptor is ready for, or waited for: a set of these.
enum { CEVENT_READ = 1, CEVENT_WRITE = 2, CEVENT_FAILURE = 4 };

typedef struct {
  uint32_t readiness;
  /// What was given with the descriptor.
  uint64_t number;
} cevent;

/// A new epoll queue; -1 and errno when there is none.
int cevent_queue(void);
/// A new eventfd, which does not block; -1 and errno when there is none.
int cevent_bell(void);
/// Waits for a descriptor from now on, which is new to the queue or not. 0, or -1 and errno.
int cevent_watch(int queue, int descriptor, uint32_t readiness, uint64_t number);
/// No longer waits for it; nothing happens when it is closed already.
void cevent_unwatch(int queue, int descriptor);
/// Waits for `milliseconds`, -1 for ever; how many events there are, at most `capacity` and 64.
int cevent_wait(int queue, cevent *_Nonnull events, int capacity, int milliseconds);
