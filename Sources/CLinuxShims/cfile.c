#define _GNU_SOURCE
#include "cfile.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
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

static bool is_of_kernel(unsigned long type) {
  switch (type) {
  case PROC_SUPER_MAGIC:
  case SYSFS_MAGIC:
  case CGROUP_SUPER_MAGIC:
  case CGROUP2_SUPER_MAGIC:
  case DEBUGFS_MAGIC:
  case TRACEFS_MAGIC:
  case SECURITYFS_MAGIC:
  case SELINUX_MAGIC:
  case SMACK_MAGIC:
  case AAFS_MAGIC:
  case BPF_FS_MAGIC:
  case PSTOREFS_MAGIC:
  case EFIVARFS_MAGIC:
  case BINFMTFS_MAGIC:
  case NSFS_MAGIC:
  case USBDEVICE_SUPER_MAGIC:
  case XENFS_SUPER_MAGIC:
  // linux/magic.h leaves out configfs and resctrl.
  case 0x62656570:
  case 0x07655821:
    return true;
  default:
    return false;
  }
}

bool cfile_is_of_system(int descriptor) {
  struct stat file;
  struct statfs system;
  if (fstat(descriptor, &file) != 0 || fstatfs(descriptor, &system) != 0) return true;
  bool is_device = S_ISBLK(file.st_mode) || (S_ISCHR(file.st_mode) && file.st_rdev != makedev(1, 3));
  return is_device || is_of_kernel((unsigned long)system.f_type);
}

int cfile_make_memory(void) { return memfd_create("b2c-run", MFD_CLOEXEC); }
