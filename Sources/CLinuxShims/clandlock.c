#define _GNU_SOURCE
#include "clandlock.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The numbers are the same on all architectures. The kernel headers of Debian 12 know only the second version.
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };
enum { ask_version = 1, rule_path = 1, rule_port = 2 };

struct ruleset {
  uint64_t files;
  uint64_t network;
};

struct path_rule {
  uint64_t rights;
  int32_t folder;
} __attribute__((packed));

struct port_rule {
  uint64_t rights;
  uint64_t port;
};

int clandlock_version(void) {
  long version = syscall(create_ruleset, NULL, 0, ask_version);
  return version > 0 ? (int)version : 0;
}

int clandlock_begin(uint64_t files, uint64_t network) {
  struct ruleset rules = {files, network};
  // The first version knows files alone.
  return (int)syscall(create_ruleset, &rules, network ? sizeof rules : sizeof rules.files, 0);
}

int clandlock_allow(int rules, int file, uint64_t rights) {
  struct path_rule rule = {rights, file};
  return (int)syscall(add_rule, rules, rule_path, &rule, 0);
}

int clandlock_allow_port(int rules, uint16_t port) {
  struct port_rule rule = {CLANDLOCK_CONNECT, port};
  return (int)syscall(add_rule, rules, rule_port, &rule, 0);
}

int clandlock_hold(int rules) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  return (int)syscall(restrict_self, rules, 0);
}
