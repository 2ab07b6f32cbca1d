#define _GNU_SOURCE
#include "CSQLiteShims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_ENDING "-wal"

typedef struct {
  sqlite3_file base;
  /// -1 for a log that is not there and is only read.
  int descriptor;
  /// The folder of a file that was made here and is not yet known to be in it after a power cut; else -1.
  int unsynced_folder;
} File;

// MARK: Files

static int file_close(sqlite3_file *base) {
  File *file = (File *)base;
  if (file->descriptor >= 0) close(file->descriptor);
  return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
  File *file = (File *)base;
  int done = 0;
  while (done < count && file->descriptor >= 0) {
    ssize_t found = pread(file->descriptor, (char *)buffer + done, (size_t)(count - done), offset + done);
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) return SQLITE_IOERR_READ;
    if (found == 0) break;
    done += (int)found;
  }
  if (done == count) return SQLITE_OK;
  memset((char *)buffer + done, 0, (size_t)(count - done));
  return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
  File *file = (File *)base;
  int done = 0;
  while (done < count) {
    ssize_t written = pwrite(file->descriptor, (const char *)buffer + done, (size_t)(count - done), offset + done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    if (written == 0) return SQLITE_FULL;
    done += (int)written;
  }
  return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  return ftruncate(((File *)base)->descriptor, size) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static void sync_folder(int folder) {
  // The folder may be open by O_PATH, which cannot be synchronized.
  int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (readable < 0) return;
  fsync(readable);
  close(readable);
}

static int file_sync(sqlite3_file *base, int flags) {
  File *file = (File *)base;
  (void)flags;
  if (fdatasync(file->descriptor) != 0) return SQLITE_IOERR_FSYNC;
  if (file->unsynced_folder >= 0) {
    sync_folder(file->unsynced_folder);
    file->unsynced_folder = -1;
  }
  return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  File *file = (File *)base;
  struct stat status = {0};
  if (file->descriptor >= 0 && fstat(file->descriptor, &status) != 0) return SQLITE_IOERR_FSTAT;
  *size = status.st_size;
  return SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level) {
  (void)base, (void)level;
  return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *base, int *is_reserved) {
  (void)base;
  *is_reserved = 0;
  return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *base) {
  (void)base;
  return 4096;
}

static int file_characteristics(sqlite3_file *base) {
  (void)base;
  // As SQLite's own VFS for Unix says.
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods file_methods = {
    // Version 1 has no shared memory: such a database can be in write-ahead mode for one connection alone.
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_lock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

// MARK: Names

typedef struct {
  int folder;
  bool is_read_only;
  bool is_log;
  const char *name;
} Place;

/// False for a name that is none of this VFS.
static bool find_place(const char *path, Place *place) {
  if (path[0] != '/' || (path[1] != 'r' && path[1] != 'w')) return false;
  char *end = NULL;
  long folder = strtol(path + 2, &end, 10);
  if (end == path + 2 || *end != '/' || folder < 0 || strchr(end + 1, '/')) return false;
  place->folder = (int)folder;
  place->is_read_only = path[1] == 'r';
  place->name = end + 1;
  size_t length = strlen(place->name), ending = strlen(LOG_ENDING);
  place->is_log = length > ending && strcmp(place->name + length - ending, LOG_ENDING) == 0;
  return true;
}

static int open_place(const Place *place, int flags, bool *is_new) {
  int access = (place->is_read_only ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int descriptor = openat(place->folder, place->name, access);
  if (descriptor < 0 && errno == ENOENT && (flags & SQLITE_OPEN_CREATE) && !place->is_read_only) {
    descriptor = openat(place->folder, place->name, access | O_CREAT | O_EXCL, 0600);
    *is_new = descriptor >= 0;
  }
  return descriptor;
}

static bool is_acceptable(int descriptor, const Place *place) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  // The content of a log is not read before it is overwritten.
  return !place->is_log || place->is_read_only || (status.st_nlink == 1 && status.st_uid == geteuid());
}

static sqlite3_vfs *usual(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *opened) {
  // A temporary file without a name.
  if (path == NULL) return usual(vfs)->xOpen(usual(vfs), path, base, flags, opened);
  File *file = (File *)base;
  base->pMethods = NULL;
  Place place;
  if (!find_place(path, &place) || !(flags & (place.is_log ? SQLITE_OPEN_WAL : SQLITE_OPEN_MAIN_DB))) {
    return SQLITE_CANTOPEN;
  }
  bool is_new = false;
  file->descriptor = open_place(&place, flags, &is_new);
  file->unsynced_folder = is_new ? place.folder : -1;
  bool is_missing_log = file->descriptor < 0 && errno == ENOENT && place.is_log && place.is_read_only;
  if (file->descriptor < 0 && !is_missing_log) return SQLITE_CANTOPEN;
  if (!is_missing_log && !is_acceptable(file->descriptor, &place)) {
    close(file->descriptor);
    return SQLITE_CANTOPEN;
  }
  if (opened) {
    *opened = place.is_read_only
                  ? (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY
                  : flags;
  }
  base->pMethods = &file_methods;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  Place place;
  if (!find_place(path, &place) || place.is_read_only) return SQLITE_IOERR_DELETE;
  // The log, and nothing else.
  if (!place.is_log) return SQLITE_IOERR_DELETE_NOENT;
  if (unlinkat(place.folder, place.name, 0) != 0) {
    return errno == ENOENT ? SQLITE_IOERR_DELETE_NOENT : SQLITE_IOERR_DELETE;
  }
  if (syncs) sync_folder(place.folder);
  return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  (void)vfs, (void)flags;
  Place place;
  struct stat status;
  // There never is a rollback journal.
  *result = find_place(path, &place) && place.is_log &&
            fstatat(place.folder, place.name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *full) {
  (void)vfs;
  size_t length = strlen(path);
  if (length >= (size_t)size) return SQLITE_CANTOPEN;
  memcpy(full, path, length + 1);
  return SQLITE_OK;
}

static int vfs_random(sqlite3_vfs *vfs, int count, char *bytes) {
  return usual(vfs)->xRandomness(usual(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) { return usual(vfs)->xSleep(usual(vfs), microseconds); }

static int vfs_time(sqlite3_vfs *vfs, double *time) { return usual(vfs)->xCurrentTime(usual(vfs), time); }

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *message) {
  (void)vfs, (void)size, (void)message;
  return errno;
}

int csqlite_register_folder_vfs(void) {
  static sqlite3_vfs vfs = {
      .iVersion = 1,
      .mxPathname = 512,
      .zName = "b2c-folder",
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xRandomness = vfs_random,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_time,
      .xGetLastError = vfs_last_error,
  };
  sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
  if (usual == NULL) return SQLITE_ERROR;
  vfs.pAppData = usual;
  vfs.szOsFile = usual->szOsFile > (int)sizeof(File) ? usual->szOsFile : (int)sizeof(File);
  return sqlite3_vfs_register(&vfs, 0);
}

// MARK: Connections

int csqlite_distrust_file(sqlite3 *database, int longest) {
  static const struct {
    int option, value;
  } options[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
  };
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    int result = sqlite3_db_config(database, options[i].option, options[i].value, NULL);
    if (result != SQLITE_OK) return result;
  }
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest);
  return SQLITE_OK;
}

int csqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}
