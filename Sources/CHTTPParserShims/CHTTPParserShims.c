#include "CHTTPParserShims.h"

#include <dlfcn.h>
#include <pthread.h>

// The types come from the library's header, so that a changed signature does not compile.
#define FUNCTIONS(X) X(init) X(execute) X(pause)

static struct {
#define MEMBER(name) __typeof__(&http_parser_##name) name;
  FUNCTIONS(MEMBER)
  __typeof__(&http_should_keep_alive) should_keep_alive;
} library;

static const char *failure;

static void load(void) {
  void *handle = dlopen("libhttp_parser.so.2.9", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    failure = dlerror();
    return;
  }
#define LOOK_UP(name)                                                                                                  \
  if (!(library.name = (__typeof__(library.name))dlsym(handle, "http_parser_" #name))) {                               \
    failure = dlerror();                                                                                               \
    return;                                                                                                            \
  }
  FUNCTIONS(LOOK_UP)
  library.should_keep_alive = (__typeof__(library.should_keep_alive))dlsym(handle, "http_should_keep_alive");
  if (!library.should_keep_alive) failure = dlerror();
}

const char *chttp_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

void chttp_begin_answer(http_parser *parser) { library.init(parser, HTTP_RESPONSE); }

size_t chttp_execute(http_parser *parser, const http_parser_settings *settings, const char *bytes, size_t count) {
  return library.execute(parser, settings, bytes, count);
}

void chttp_pause(http_parser *parser, int paused) { library.pause(parser, paused); }
int chttp_keeps_alive(const http_parser *parser) { return library.should_keep_alive(parser); }
int chttp_status(const http_parser *parser) { return parser->status_code; }
enum http_errno chttp_error(const http_parser *parser) { return HTTP_PARSER_ERRNO(parser); }
