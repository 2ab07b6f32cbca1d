#pragma once

// Landlock (landlock(7)): the kernel holds a process to the files and ports that it names.
//
// Why in C: the C library has no functions for it, and Swift does not import variadic functions such as syscall.

#include <stdint.h>

/// The rights of files and folders, as the kernel numbers them.
enum {
  CLANDLOCK_EXECUTE = 1 << 0,
  CLANDLOCK_WRITE = 1 << 1,
  CLANDLOCK_READ = 1 << 2,
  CLANDLOCK_LIST = 1 << 3,
  /// To remove and make files and folders.
  CLANDLOCK_CHANGE = 0x1ff << 4,
  /// To move a file to another folder; version 2.
  CLANDLOCK_REFER = 1 << 13,
  /// Version 3.
  CLANDLOCK_TRUNCATE = 1 << 14,
};
/// To connect to a port; version 4.
enum { CLANDLOCK_CONNECT = 1 << 1 };

/// The version of the kernel's interface; 0 if it has none.
int clandlock_version(void);
/// Rules that refuse all that has one of these rights. Returns a descriptor, or -1 and errno.
int clandlock_begin(uint64_t files, uint64_t network);
/// Allows rights for an open file, or for all below an open folder. Returns 0, or -1 and errno.
int clandlock_allow(int rules, int file, uint64_t rights);
int clandlock_allow_port(int rules, uint16_t port);
/// Holds the calling thread, and all threads and processes that it starts, to the rules. Returns 0, or -1 and errno.
int clandlock_hold(int rules);
