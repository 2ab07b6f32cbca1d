#include "cstream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

static volatile int problems[3];

// True if the call is to be tried again. Waits until that makes sense.
static bool is_to_repeat(int descriptor, short events, bool (*gives_up)(void)) {
  if (errno == EAGAIN || errno == EWOULDBLOCK) {
    struct pollfd wait = {.fd = descriptor, .events = events};
    if (poll(&wait, 1, -1) >= 0) return true;
  }
  return errno == EINTR && !(gives_up != NULL && gives_up());
}

long cstream_read(int descriptor, void *bytes, size_t count, bool (*gives_up)(void)) {
  while (true) {
    ssize_t result = read(descriptor, bytes, count);
    if (result >= 0 || !is_to_repeat(descriptor, POLLIN, gives_up)) return result;
  }
}

size_t cstream_write(int descriptor, const void *bytes, size_t count, bool (*gives_up)(void)) {
  size_t done = 0;
  while (done < count) {
    ssize_t result = write(descriptor, (const char *)bytes + done, count - done);
    if (result >= 0) {
      done += (size_t)result;
    } else if (!is_to_repeat(descriptor, POLLOUT, gives_up)) {
      if ((descriptor == 1 || descriptor == 2) && problems[descriptor] == 0 && errno != EINTR)
        problems[descriptor] = errno;
      break;
    }
  }
  return done;
}

int cstream_problem(int descriptor) { return descriptor == 1 || descriptor == 2 ? problems[descriptor] : 0; }

void cstream_occupy(void) {
  for (int descriptor = 0; descriptor <= 2; descriptor++)
    // The system gives the lowest free number.
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}
