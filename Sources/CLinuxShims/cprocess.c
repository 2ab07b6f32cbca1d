#define _GNU_SOURCE
#include "cprocess.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

// It cannot fail with these arguments.
void cprocess_forbid_dumps(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void cprocess_end_with_parent(int signal) { prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

int cprocess_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

static const char *fault_text;

static void explain(int number) {
  ssize_t written = write(STDERR_FILENO, fault_text, strlen(fault_text));
  (void)written;
  (void)number;
  _exit(1);
}

void cprocess_meet_limits(const char *text) {
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  fault_text = text;
  // The stack may be what is missing.
  static char stack[16384];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  struct sigaction action = {.sa_handler = explain, .sa_flags = SA_ONSTACK};
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &action, NULL);
}
