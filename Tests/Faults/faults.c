// A library for LD_PRELOAD that makes one call fail: the n-th one of a kind to a file below a folder, or the n-th memory
// that SQLite asks for. SQLite serves only the account store, journals and the state of jobs in the program.
//
//   FAULT_CALL    write, sync, rename, open or memory
//   FAULT_NUMBER  the call that fails, from 1
//   FAULT_FOLDER  the folder of the files, with all links resolved
//   FAULT_LASTS   1 if all later calls fail, too
//   FAULT_LOG     gets a line for the call that failed: the call, the error and the file
//
// A write fails after its first half, as on a disk that gets full.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind, *folder, *log_path;
static long number;
static bool lasts;
static atomic_long count;
// Memory is asked for before the constructor runs, and by dlsym itself.
static atomic_bool ready;

/// The library of SQLite in memory.
static const char *sqlite_start, *sqlite_end;

/// Remembers the ends of the library that has this function.
static int find_sqlite(struct dl_phdr_info *library, size_t size, void *function) {
  (void)size;
  const char *start = (const char *)library->dlpi_addr, *end = start;
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[i];
    const char *part_end = start + part->p_vaddr + part->p_memsz;
    if (part->p_type == PT_LOAD && part_end > end) end = part_end;
  }
  if ((const char *)function < start || (const char *)function >= end) return 0;
  sqlite_start = start;
  sqlite_end = end;
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  kind = getenv("FAULT_CALL");
  folder = getenv("FAULT_FOLDER");
  log_path = getenv("FAULT_LOG");
  const char *text = getenv("FAULT_NUMBER"), *last = getenv("FAULT_LASTS");
  number = text ? strtol(text, NULL, 10) : 0;
  lasts = last && strcmp(last, "1") == 0;
  dl_iterate_phdr(find_sqlite, dlsym(RTLD_DEFAULT, "sqlite3_open_v2"));
  // Programs that this one starts run without faults.
  unsetenv("LD_PRELOAD");
  ready = kind && folder && log_path && number > 0;
}

static void *real(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

static void note(const char *call, int error, const char *path) {
  static int (*open_file)(const char *, int, ...);
  static ssize_t (*write_file)(int, const void *, size_t);
  if (!open_file) open_file = real("open");
  if (!write_file) write_file = real("write");
  int file = open_file(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  char line[PATH_MAX + 100];
  int size = snprintf(line, sizeof line, "%s\t%s\t%s\n", call, strerrorname_np(error), path);
  if (write_file(file, line, (size_t)size) < 0) abort();
  close(file);
}

static bool is_below(const char *path) {
  size_t size = strlen(folder);
  return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == 0);
}

/// Counts a call. True if it fails.
static bool fails(const char *call, int error, const char *path) {
  long now = atomic_fetch_add(&count, 1) + 1;
  if (now != number && !(lasts && now > number)) return false;
  if (now == number) note(call, error, path);
  errno = error;
  return true;
}

static bool is_kind(const char *name) { return ready && strcmp(kind, name) == 0; }

/// The path behind a descriptor. False if it is not below the folder.
static bool find(int descriptor, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = readlink(link, path, PATH_MAX - 1);
  if (size < 0) return false;
  path[size] = 0;
  return is_below(path);
}

/// The path of a name in an open folder. False if it is not below the folder.
static bool find_at(int directory, const char *name, char path[PATH_MAX]) {
  char start[PATH_MAX];
  if (name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
    return is_below(path);
  }
  if (directory == AT_FDCWD) {
    if (!getcwd(start, sizeof start)) return false;
  } else if (!find(directory, start)) {
    return false;
  }
  size_t size = strlen(start);
  if (size + strlen(name) + 2 > PATH_MAX) return false;
  memcpy(path, start, size);
  path[size] = '/';
  strcpy(path + size + 1, name);
  return is_below(path);
}

// MARK: Writes

#define WRITES(NAME, TYPE, PARAMETERS, HALF, ALL)                              \
  TYPE NAME PARAMETERS {                                                       \
    static TYPE(*call) PARAMETERS;                                             \
    if (!call) call = real(#NAME);                                             \
    char path[PATH_MAX];                                                       \
    if (is_kind("write") && find(file, path) && fails(#NAME, ENOSPC, path)) {  \
      if (size > 1 && HALF < 0) abort();                                       \
      errno = ENOSPC;                                                          \
      return -1;                                                               \
    }                                                                          \
    return ALL;                                                                \
  }

WRITES(write, ssize_t, (int file, const void *bytes, size_t size), call(file, bytes, size / 2), call(file, bytes, size))
WRITES(pwrite, ssize_t, (int file, const void *bytes, size_t size, off_t offset), call(file, bytes, size / 2, offset),
       call(file, bytes, size, offset))
WRITES(pwrite64, ssize_t, (int file, const void *bytes, size_t size, off64_t offset),
       call(file, bytes, size / 2, offset), call(file, bytes, size, offset))

// MARK: Syncs

#define SYNCS(NAME)                                                            \
  int NAME(int file) {                                                         \
    static int (*call)(int);                                                   \
    if (!call) call = real(#NAME);                                             \
    char path[PATH_MAX];                                                       \
    if (is_kind("sync") && find(file, path) && fails(#NAME, EIO, path)) return -1; \
    return call(file);                                                         \
  }

SYNCS(fsync)
SYNCS(fdatasync)

// MARK: Names

int rename(const char *from, const char *to) {
  static int (*call)(const char *, const char *);
  if (!call) call = real("rename");
  char path[PATH_MAX];
  if (is_kind("rename") && find_at(AT_FDCWD, to, path) && fails("rename", EIO, path)) return -1;
  return call(from, to);
}

int renameat(int one, const char *from, int other, const char *to) {
  static int (*call)(int, const char *, int, const char *);
  if (!call) call = real("renameat");
  char path[PATH_MAX];
  if (is_kind("rename") && find_at(other, to, path) && fails("renameat", EIO, path)) return -1;
  return call(one, from, other, to);
}

int linkat(int one, const char *from, int other, const char *to, int flags) {
  static int (*call)(int, const char *, int, const char *, int);
  if (!call) call = real("linkat");
  char path[PATH_MAX];
  if (is_kind("rename") && find_at(other, to, path) && fails("linkat", EIO, path)) return -1;
  return call(one, from, other, to, flags);
}

// MARK: Opens

static bool has_mode(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }

#define OPENS(NAME, PARAMETERS, DIRECTORY, CALL)                               \
  int NAME PARAMETERS {                                                        \
    static int(*call) PARAMETERS;                                              \
    if (!call) call = real(#NAME);                                             \
    mode_t mode = 0;                                                           \
    if (has_mode(flags)) {                                                     \
      va_list rest;                                                            \
      va_start(rest, flags);                                                   \
      mode = va_arg(rest, mode_t);                                             \
      va_end(rest);                                                            \
    }                                                                          \
    char found[PATH_MAX];                                                      \
    if (is_kind("open") && find_at(DIRECTORY, path, found) && fails(#NAME, EIO, found)) return -1; \
    return CALL;                                                               \
  }

OPENS(open, (const char *path, int flags, ...), AT_FDCWD, call(path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD, call(path, flags, mode))
OPENS(openat, (int directory, const char *path, int flags, ...), directory, call(directory, path, flags, mode))
OPENS(openat64, (int directory, const char *path, int flags, ...), directory, call(directory, path, flags, mode))

// MARK: Memory

extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);

/// Returns whether the code at the address belongs to SQLite.
static bool is_sqlite(const void *address) {
  return (const char *)address >= sqlite_start && (const char *)address < sqlite_end;
}

void *malloc(size_t size) {
  if (is_kind("memory") && sqlite_start && is_sqlite(__builtin_return_address(0)) && fails("malloc", ENOMEM, "SQLite")) return NULL;
  return __libc_malloc(size);
}

void *realloc(void *memory, size_t size) {
  if (is_kind("memory") && sqlite_start && is_sqlite(__builtin_return_address(0)) && fails("realloc", ENOMEM, "SQLite")) return NULL;
  return __libc_realloc(memory, size);
}
