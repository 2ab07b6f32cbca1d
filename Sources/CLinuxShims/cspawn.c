#define _GNU_SOURCE
#include "cspawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

// A copy of a descriptor above those that the child uses.
static int above(int descriptor) { return descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 16); }

int cspawn_child(
    int *process, int *handle, const char *path, char *const *arguments, char *const *environment, const char *folder,
    int output, int channel, int context) {
  int ours[] = {above(output), above(channel), above(context)};
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  if ((output >= 0 && ours[0] < 0) || ours[1] < 0 || (context >= 0 && ours[2] < 0)) failure = errno;
  if (!failure) failure = posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (output >= 0) {
    if (!failure) failure = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, ours[0], 1);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, ours[0], 2);
  }
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, ours[1], 3);
  if (!failure && context >= 0) failure = posix_spawn_file_actions_adddup2(&actions, ours[2], 4);
  if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(&actions, context >= 0 ? 5 : 4);

  posix_spawnattr_t attributes;
  if (!failure && !(failure = posix_spawnattr_init(&attributes))) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    short session = output >= 0 ? POSIX_SPAWN_SETSID : 0;
    failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | session);
    if (!failure) failure = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  for (int i = 0; i < 3; ++i)
    if (ours[i] >= 0) close(ours[i]);
  if (failure) return failure;
  *handle = cspawn_handle(*process);
  if (*handle >= 0) return 0;
  failure = errno;
  kill(*process, SIGKILL);
  waitpid(*process, NULL, 0);
  return failure;
}

int cspawn_handle(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int cspawn_wait(int handle, int *status) {
  siginfo_t info = {0};
  if (waitid(P_PIDFD, (id_t)handle, &info, WEXITED) != 0) return -1;
  *status = info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
  return 0;
}

int cspawn_memory(void) { return memfd_create("b2c-run", MFD_CLOEXEC); }
