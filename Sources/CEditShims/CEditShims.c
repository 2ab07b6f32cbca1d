#define _GNU_SOURCE
#include "CEditShims.h"

#include <fcntl.h>
#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LAZY_LIBRARY edit
#define LAZY_LOAD cedit_load
#define LAZY_FILES "libedit.so.2", "libedit.so.0"
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(el_init) X(el_end) X(el_set) X(el_gets) X(el_get) X(el_line) X(el_insertstr) X(el_deletestr) X(el_cursor)          \
  X(el_resize) X(el_source) X(history_init) X(history_end) X(history)
#include "lazy_library.h"

struct cedit {
  EditLine *line;
  History *history;
  FILE *input;
  FILE *output;
  cedit_complete complete;
  void *context;
  const char *prompt;
  bool has_ended;
  bool is_begun;
  struct winsize size;
};

static cedit *of(EditLine *line) {
  cedit *self = NULL;
  edit.el_get(line, EL_CLIENTDATA, &self);
  return self;
}

static char *prompt(EditLine *line) { return (char *)of(line)->prompt; }

static unsigned char on_tab(EditLine *line, int key) {
  (void)key;
  cedit *self = of(line);
  return self->complete(self, self->context) ? CC_REDISPLAY : CC_REFRESH;
}

// Ctrl-D ends the input on an empty line; on other lines it deletes a character.
static unsigned char on_end(EditLine *line, int key) {
  (void)key;
  const LineInfo *info = edit.el_line(line);
  if (info->lastchar == info->buffer) {
    of(line)->has_ended = true;
    return CC_EOF;
  }
  if (info->cursor == info->lastchar) return CC_ERROR;
  edit.el_cursor(line, 1);
  edit.el_deletestr(line, 1);
  return CC_REFRESH;
}

// Without a locale of UTF-8, libedit takes every byte above 127 as a character.
static void use_utf8(void) {
  setlocale(LC_CTYPE, "");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

// Key bindings for the keys of Emacs and of vi. Choosing one of them in ~/.editrc drops earlier bindings.
static void bind_own_keys(EditLine *line) {
  edit.el_set(line, EL_BIND, "\t", "b2c-complete", NULL);
  edit.el_set(line, EL_BIND, "^D", "b2c-end", NULL);
  edit.el_set(line, EL_BIND, "-a", "^D", "b2c-end", NULL);
  // A Ctrl-D that was typed while nothing read the terminal arrives as NUL. libedit ignores a NUL and waits for the next
  // key.
  edit.el_set(line, EL_BIND, "^@", "em-set-mark", NULL);
}

static FILE *open_copy(int standard, const char *mode) {
  int descriptor = fcntl(standard, F_DUPFD_CLOEXEC, 0);
  return descriptor < 0 ? NULL : fdopen(descriptor, mode);
}

cedit *cedit_open(int remembered, cedit_complete complete, void *context) {
  cedit *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  use_utf8();
  self->complete = complete;
  self->context = context;
  self->prompt = "";
  // Streams of its own: libedit uses their descriptors, and the program's standard streams have none.
  self->input = open_copy(STDIN_FILENO, "r");
  self->output = open_copy(STDOUT_FILENO, "w");
  self->line = self->input && self->output ? edit.el_init("b2c-run", self->input, self->output, self->output) : NULL;
  self->history = self->line ? edit.history_init() : NULL;
  if (!self->history) {
    cedit_close(self);
    return NULL;
  }
  HistEvent event;
  edit.history(self->history, &event, H_SETSIZE, remembered);
  edit.history(self->history, &event, H_SETUNIQUE, 1);
  edit.el_set(self->line, EL_CLIENTDATA, self);
  edit.el_set(self->line, EL_PROMPT, prompt);
  edit.el_set(self->line, EL_SIGNAL, 0);
  edit.el_set(self->line, EL_HIST, edit.history, self->history);
  edit.el_set(self->line, EL_EDITOR, "emacs");
  edit.el_set(self->line, EL_ADDFN, "b2c-complete", "Completes names", on_tab);
  edit.el_set(self->line, EL_ADDFN, "b2c-end", "Deletes, or ends on an empty line", on_end);
  edit.el_set(self->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  edit.el_source(self->line, NULL);
  bind_own_keys(self->line);
  return self;
}

void cedit_close(cedit *self) {
  if (self->history) edit.history_end(self->history);
  if (self->line) edit.el_end(self->line);
  if (self->input) fclose(self->input);
  if (self->output) fclose(self->output);
  free(self);
}

void cedit_begin(cedit *self, const char *text) {
  self->prompt = text;
  self->is_begun = true;
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &self->size);
  edit.el_resize(self->line);
  edit.el_set(self->line, EL_UNBUFFERED, 1);
}

void cedit_finish(cedit *self) {
  if (!self->is_begun) return;
  self->is_begun = false;
  edit.el_set(self->line, EL_UNBUFFERED, 0);
  self->prompt = "";
}

int cedit_read(cedit *self) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != self->size.ws_col) {
    self->size = size;
    edit.el_resize(self->line);
  }
  const LineInfo *before = edit.el_line(self->line);
  ptrdiff_t length = before->lastchar - before->buffer;
  int count = 0;
  const char *text = edit.el_gets(self->line, &count);
  // A count below zero may also mean an empty line.
  if (self->has_ended) return CEDIT_END;
  // The buffer may hold older text behind the typed text. If a block of lines was made shorter, the end of a line may be
  // left.
  return text && count > length && text[count - 1] == '\n' ? CEDIT_LINE : CEDIT_MORE;
}

void cedit_remember(cedit *self, const char *entry) {
  HistEvent event;
  edit.history(self->history, &event, H_ENTER, entry);
}

const char *cedit_text(cedit *self, size_t *length, size_t *cursor) {
  const LineInfo *info = edit.el_line(self->line);
  *length = (size_t)(info->lastchar - info->buffer);
  *cursor = (size_t)(info->cursor - info->buffer);
  return info->buffer;
}

void cedit_insert(cedit *self, const char *text) { edit.el_insertstr(self->line, text); }
