// Loads a shared library when it is first used. A shim includes this header once, after the library's own headers, and
// after it has defined:
//
//   LAZY_LIBRARY    the name of the variable that holds the functions, such as `zlib`
//   LAZY_LOAD       the function that loads the library, such as `czlib_load`; the shim's header declares it
//   LAZY_FILES      the names of the library's file, best first
//   LAZY_PREFIX     optional: the part that all names of functions begin with
//   LAZY_FUNCTIONS  the functions without that prefix: `#define LAZY_FUNCTIONS(X) X(inflate) X(deflate)`
//   LAZY_READY      optional: a function that the shim defines below, called once when the library is loaded. It returns
//                   nil, or why the library cannot be used
//
// `zlib.inflate(…)` calls a function. Its type comes from the library's header, so that a changed signature does not
// compile. A look-up also searches the libraries that the library itself needs.

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef LAZY_PREFIX
#define LAZY_PREFIX
#endif
#define LAZY_PASTE(prefix, name) prefix##name
#define LAZY_NAME(prefix, name) LAZY_PASTE(prefix, name)
#define LAZY_TEXT(name) #name
#define LAZY_STRING(name) LAZY_TEXT(name)

static struct {
#define LAZY_MEMBER(name) __typeof__(&LAZY_NAME(LAZY_PREFIX, name)) name;
  LAZY_FUNCTIONS(LAZY_MEMBER)
} LAZY_LIBRARY;

static const char *lazy_failure;

#ifdef LAZY_READY
static const char *LAZY_READY(void);
#endif

static void lazy_load(void) {
  static const char *const files[] = {LAZY_FILES};
  void *handle = NULL;
  char *unusable = NULL;
  for (size_t i = 0; !handle && i < sizeof files / sizeof *files; i++) {
    handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    // A file that is there and cannot be loaded says more than one that is missing.
    const char *why = handle || unusable ? NULL : dlerror();
    if (why && !strstr(why, "No such file or directory")) unusable = strdup(why);
  }
  if (!handle && unusable) {
    lazy_failure = unusable;
    return;
  }
  free(unusable);
#define LAZY_FIND(name)                                                                                                \
  if (!handle ||                                                                                                      \
      !(LAZY_LIBRARY.name = (__typeof__(LAZY_LIBRARY.name))dlsym(handle, LAZY_STRING(LAZY_NAME(LAZY_PREFIX, name))))) { \
    lazy_failure = dlerror();                                                                                          \
    return;                                                                                                            \
  }
  LAZY_FUNCTIONS(LAZY_FIND)
#ifdef LAZY_READY
  lazy_failure = LAZY_READY();
#endif
}

/// Loads the library, once and from any thread. Returns nil, or why it cannot be loaded.
const char *LAZY_LOAD(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, lazy_load);
  return lazy_failure;
}
