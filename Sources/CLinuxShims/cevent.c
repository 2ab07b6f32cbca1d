#include "cevent.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

int cevent_queue(void) { return epoll_create1(EPOLL_CLOEXEC); }
int cevent_bell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int cevent_watch(int queue, int descriptor, uint32_t readiness, uint64_t number) {
  struct epoll_event event = {
      .events = (readiness & CEVENT_READ ? EPOLLIN : 0) | (readiness & CEVENT_WRITE ? EPOLLOUT : 0),
      .data.u64 = number};
  if (!epoll_ctl(queue, EPOLL_CTL_MOD, descriptor, &event)) return 0;
  return errno == ENOENT ? epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event) : -1;
}

void cevent_unwatch(int queue, int descriptor) { epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, NULL); }

int cevent_wait(int queue, cevent *events, int capacity, int milliseconds) {
  struct epoll_event found[64];
  int count = epoll_wait(queue, found, capacity < 64 ? capacity : 64, milliseconds);
  for (int index = 0; index < count; index++) {
    events[index].readiness = (found[index].events & EPOLLIN ? CEVENT_READ : 0) |
                              (found[index].events & EPOLLOUT ? CEVENT_WRITE : 0) |
                              (found[index].events & (EPOLLERR | EPOLLHUP) ? CEVENT_FAILURE : 0);
    events[index].number = found[index].data.u64;
  }
  return count;
}

// Far beyond any clock. Only a change of the clock ends the wait.
static const struct itimerspec never = {.it_value = {.tv_sec = 0x7fffffffffL}};

int cevent_clock_watch(void) {
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (descriptor >= 0) cevent_clock_watch_again(descriptor);
  return descriptor;
}

void cevent_clock_watch_again(int descriptor) {
  uint64_t count;
  // It fails with ECANCELED, which is the news.
  ssize_t size = read(descriptor, &count, sizeof count);
  (void)size;
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}
