#define _GNU_SOURCE
#include "cfile.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int cfile_open_folder(int folder, const char *name, bool follows) {
  int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW);
  return openat(folder < 0 ? AT_FDCWD : folder, name, flags);
}

int cfile_open_at(int folder, const char *name, int flags, unsigned mode) { return openat(folder, name, flags, mode); }

int cfile_open_exact(const char *path, int flags, unsigned mode) {
  struct open_how how = {
    .flags = (unsigned)flags, .mode = mode, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}
