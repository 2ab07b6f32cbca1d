#include "CArchiveShims.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAZY_LIBRARY library
#define LAZY_LOAD carchive_load
#define LAZY_FILES "libarchive.so.13"
#define LAZY_PREFIX archive_
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(read_new) X(read_free) X(error_string) X(read_support_format_zip_seekable) X(read_support_format_raw)              \
  X(read_support_filter_bzip2) X(read_support_filter_xz) X(read_set_read_callback) X(read_set_seek_callback)           \
  X(read_set_skip_callback) X(read_set_callback_data) X(read_open1) X(read_next_header) X(read_data)                   \
  X(entry_pathname_utf8) X(entry_pathname) X(entry_size) X(entry_size_is_set) X(entry_filetype) X(entry_is_encrypted)  \
  X(set_error)
#include "lazy_library.h"

struct carchive {
  struct archive *archive;
  struct archive_entry *entry;
  int descriptor;
  int64_t start, size, position;
  bool has_failed;
  char buffer[64 << 10];
};

static la_ssize_t give(struct archive *archive, void *context, const void **bytes) {
  carchive *self = context;
  int64_t left = self->size - self->position;
  size_t wanted = left < (int64_t)sizeof self->buffer ? (size_t)left : sizeof self->buffer;
  ssize_t count;
  do count = pread(self->descriptor, self->buffer, wanted, self->start + self->position);
  while (count < 0 && errno == EINTR);
  if (count < 0) {
    library.set_error(archive, errno, "the file cannot be read");
    return ARCHIVE_FATAL;
  }
  self->position += count;
  *bytes = self->buffer;
  return count;
}

static la_int64_t seek(struct archive *archive, void *context, la_int64_t offset, int whence) {
  carchive *self = context;
  int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? self->position : self->size;
  if (offset < -base || offset > self->size - base) {
    library.set_error(archive, EINVAL, "the archive points behind its end");
    return ARCHIVE_FATAL;
  }
  return self->position = base + offset;
}

static la_int64_t skip(struct archive *archive, void *context, la_int64_t request) {
  (void)archive;
  carchive *self = context;
  int64_t left = self->size - self->position;
  int64_t count = request < left ? request : left;
  self->position += count;
  return count;
}

carchive *carchive_open(int descriptor, int64_t start, int64_t size, bool is_packed) {
  carchive *self = malloc(sizeof *self);
  struct archive *archive = library.read_new();
  if (!self || !archive) {
    free(self);
    if (archive) library.read_free(archive);
    return NULL;
  }
  *self = (carchive){.archive = archive, .descriptor = descriptor, .start = start, .size = size};
  if (is_packed) {
    library.read_support_format_raw(archive);
    library.read_support_filter_bzip2(archive);
    library.read_support_filter_xz(archive);
  } else {
    library.read_support_format_zip_seekable(archive);
  }
  library.read_set_callback_data(archive, self);
  library.read_set_read_callback(archive, give);
  library.read_set_skip_callback(archive, skip);
  library.read_set_seek_callback(archive, seek);
  self->has_failed = library.read_open1(archive) != ARCHIVE_OK;
  return self;
}

void carchive_close(carchive *self) {
  library.read_free(self->archive);
  free(self);
}

const char *carchive_error(carchive *self) { return self->has_failed ? library.error_string(self->archive) : NULL; }

int carchive_next(carchive *self) {
  int result = library.read_next_header(self->archive, &self->entry);
  // A warning is about a name or a time of the entry, which can be read all the same.
  if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return 1;
  if (result == ARCHIVE_EOF) return 0;
  self->has_failed = true;
  return -1;
}

const char *carchive_name(carchive *self) {
  const char *name = library.entry_pathname_utf8(self->entry);
  return name ? name : library.entry_pathname(self->entry);
}
int64_t carchive_size(carchive *self) {
  return library.entry_size_is_set(self->entry) ? library.entry_size(self->entry) : -1;
}
int64_t carchive_position(carchive *self) { return self->position; }
bool carchive_is_file(carchive *self) { return library.entry_filetype(self->entry) == AE_IFREG; }
bool carchive_is_encrypted(carchive *self) { return library.entry_is_encrypted(self->entry) != 0; }

ssize_t carchive_read(carchive *self, void *target, size_t size) {
  la_ssize_t count = library.read_data(self->archive, target, size);
  if (count >= 0) return count;
  self->has_failed = true;
  return -1;
}
