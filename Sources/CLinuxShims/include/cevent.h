#pragma once

// epoll and eventfd.
//
// Why in C: Swift's module of the C library leaves their headers out.

#include <stdint.h>

/// The events of a descriptor, as a set.
enum { CEVENT_READ = 1, CEVENT_WRITE = 2, CEVENT_FAILURE = 4 };

typedef struct {
  uint32_t readiness;
  /// The number that was given with the descriptor.
  uint64_t number;
} cevent;

/// A new epoll queue; -1 and errno on failure.
int cevent_queue(void);
/// A new eventfd that does not block; -1 and errno on failure.
int cevent_bell(void);
/// Adds a descriptor to the queue, or changes its events. Returns 0, or -1 and errno.
int cevent_watch(int queue, int descriptor, uint32_t readiness, uint64_t number);
/// Removes a descriptor. Does nothing if the descriptor is closed already.
void cevent_unwatch(int queue, int descriptor);
/// Waits for `milliseconds`; -1 means forever. Returns the number of events, at most `capacity` and 64.
int cevent_wait(int queue, cevent *_Nonnull events, int capacity, int milliseconds);
/// A timer that becomes readable when the clock is set or the machine wakes up; -1 and errno on failure.
int cevent_clock_watch(void);
/// Makes the timer wait for the next change of the clock.
void cevent_clock_watch_again(int descriptor);
