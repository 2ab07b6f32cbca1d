#define _GNU_SOURCE
#include "CEditShims.h"

#include <dlfcn.h>
#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The types come from the library's header, so that a changed signature does not compile.
#define FUNCTIONS(use) \
  use(el_init) use(el_end) use(el_set) use(el_gets) use(el_get) use(el_line) use(el_insertstr) use(el_deletestr) \
  use(el_cursor) use(el_resize) use(el_source) use(history_init) use(history_end) use(history)
#define DECLARE(name) static __typeof__(&name) my_##name;
FUNCTIONS(DECLARE)

static const char *failure;

static void load(void) {
  void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libedit.so.0", RTLD_NOW | RTLD_LOCAL);
#define FIND(name) \
  if (!library || !(my_##name = (__typeof__(my_##name))dlsym(library, #name))) { \
    failure = dlerror(); \
    return; \
  }
  FUNCTIONS(FIND)
}

const char *cedit_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

struct cedit {
  EditLine *line;
  History *history;
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
  my_el_get(line, EL_CLIENTDATA, &self);
  return self;
}

static char *prompt(EditLine *line) { return (char *)of(line)->prompt; }

static unsigned char on_tab(EditLine *line, int key) {
  (void)key;
  cedit *self = of(line);
  return self->complete(self, self->context) ? CC_REDISPLAY : CC_REFRESH;
}

// Ctrl-D: the end on an empty line, else it deletes.
static unsigned char on_end(EditLine *line, int key) {
  (void)key;
  const LineInfo *info = my_el_line(line);
  if (info->lastchar == info->buffer) {
    of(line)->has_ended = true;
    return CC_EOF;
  }
  if (info->cursor == info->lastchar) return CC_ERROR;
  my_el_cursor(line, 1);
  my_el_deletestr(line, 1);
  return CC_REFRESH;
}

// Without it, libedit takes every byte above 127 for a character of its own.
static void use_utf8(void) {
  setlocale(LC_CTYPE, "");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

// What holds with the keys of Emacs and those of vi: choosing between them in ~/.editrc takes back what was bound before.
static void bind_own_keys(EditLine *line) {
  my_el_set(line, EL_BIND, "\t", "b2c-complete", NULL);
  my_el_set(line, EL_BIND, "^D", "b2c-end", NULL);
  my_el_set(line, EL_BIND, "-a", "^D", "b2c-end", NULL);
  // A Ctrl-D that was typed while nothing read the terminal arrives as NUL. libedit takes that for a key that is off, and
  // would wait for the next one.
  my_el_set(line, EL_BIND, "^@", "em-set-mark", NULL);
}

cedit *cedit_open(int remembered, cedit_complete complete, void *context) {
  cedit *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  use_utf8();
  self->complete = complete;
  self->context = context;
  self->prompt = "";
  int descriptor = dup(STDOUT_FILENO);
  self->output = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  self->line = self->output ? my_el_init("b2c-run", stdin, self->output, self->output) : NULL;
  self->history = self->line ? my_history_init() : NULL;
  if (!self->history) {
    cedit_close(self);
    return NULL;
  }
  HistEvent event;
  my_history(self->history, &event, H_SETSIZE, remembered);
  my_history(self->history, &event, H_SETUNIQUE, 1);
  my_el_set(self->line, EL_CLIENTDATA, self);
  my_el_set(self->line, EL_PROMPT, prompt);
  my_el_set(self->line, EL_SIGNAL, 0);
  my_el_set(self->line, EL_HIST, my_history, self->history);
  my_el_set(self->line, EL_EDITOR, "emacs");
  my_el_set(self->line, EL_ADDFN, "b2c-complete", "Completes names", on_tab);
  my_el_set(self->line, EL_ADDFN, "b2c-end", "Deletes, or ends on an empty line", on_end);
  my_el_set(self->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  my_el_source(self->line, NULL);
  bind_own_keys(self->line);
  return self;
}

void cedit_close(cedit *self) {
  if (self->history) my_history_end(self->history);
  if (self->line) my_el_end(self->line);
  if (self->output) fclose(self->output);
  free(self);
}

void cedit_begin(cedit *self, const char *text) {
  self->prompt = text;
  self->is_begun = true;
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &self->size);
  my_el_resize(self->line);
  my_el_set(self->line, EL_UNBUFFERED, 1);
}

void cedit_finish(cedit *self) {
  if (!self->is_begun) return;
  self->is_begun = false;
  my_el_set(self->line, EL_UNBUFFERED, 0);
  self->prompt = "";
}

int cedit_read(cedit *self) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != self->size.ws_col) {
    self->size = size;
    my_el_resize(self->line);
  }
  const LineInfo *before = my_el_line(self->line);
  ptrdiff_t length = before->lastchar - before->buffer;
  int count = 0;
  const char *text = my_el_gets(self->line, &count);
  // A count below zero may mean no more than an empty line.
  if (self->has_ended) return CEDIT_END;
  // Behind what has been typed there may be what was before. Of a block of lines that is made shorter, the end of a line
  // may be what is left.
  return text && count > length && text[count - 1] == '\n' ? CEDIT_LINE : CEDIT_MORE;
}

void cedit_remember(cedit *self, const char *entry) {
  HistEvent event;
  my_history(self->history, &event, H_ENTER, entry);
}

const char *cedit_text(cedit *self, size_t *length, size_t *cursor) {
  const LineInfo *info = my_el_line(self->line);
  *length = (size_t)(info->lastchar - info->buffer);
  *cursor = (size_t)(info->cursor - info->buffer);
  return info->buffer;
}

void cedit_insert(cedit *self, const char *text) { my_el_insertstr(self->line, text); }
