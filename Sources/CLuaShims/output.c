#include "CLuaShims.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int closed_output_signal;

void luas_writeout(const void *bytes, size_t count) { fwrite(bytes, 1, count, stdout); }

// Whether stdout is a pipe or socket whose reader has gone. Async-signal-safe.
static bool is_output_closed(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int luas_flushout(void) {
    if (fflush(stdout) != 0) return errno;
    if (ferror(stdout)) return is_output_closed() ? EPIPE : EIO;
    return 0;
}

// SIGPIPE comes for sockets too, where the failed write is enough.
static void broken_pipe(int number) {
    int error = errno;
    (void)number;
    if (is_output_closed()) kill(getpid(), closed_output_signal);
    errno = error;
}

void luas_signal_closed_output(int number) {
    struct sigaction action = {.sa_handler = broken_pipe, .sa_flags = SA_RESTART};
    closed_output_signal = number;
    sigaction(SIGPIPE, &action, NULL);
}
