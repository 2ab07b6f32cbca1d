#define _GNU_SOURCE
#include "cspawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

int cspawn_detached(
    int *process, const char *path, char *const *arguments, char *const *environment, int input) {
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  for (int descriptor = 0; descriptor <= 2 && !failure; ++descriptor)
    failure = posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  if (!failure && input >= 0) failure = posix_spawn_file_actions_adddup2(&actions, input, 0);
  if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(&actions, 3);

  posix_spawnattr_t attributes;
  if (!failure && !(failure = posix_spawnattr_init(&attributes))) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    if (!failure) failure = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}
