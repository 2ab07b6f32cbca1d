#define _GNU_SOURCE
#include "CFileShims.h"

#include <fcntl.h>

int cfile_open_folder(int folder, const char *name, bool follows) {
  int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW);
  return openat(folder < 0 ? AT_FDCWD : folder, name, flags);
}
