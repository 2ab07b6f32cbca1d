#define _GNU_SOURCE
#include "CLuaShims.h"
#include "coutput.h"
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// The functions of Lua's libraries that reach out of the script. Each function asks the host first.
//
// The host returns a descriptor of the file that it checked, and the caller uses this descriptor. No function here opens a path,
// so another process cannot replace the file between the check and the use.

// Returns true if the host allows the use; otherwise the error is on top of the stack. The host stores the descriptors that it opened
// in `access`; NULL means that the host opens no file.
static bool is_permitted(lua_State *L, int use, const char *call, const char *thing, luas_access *access) {
    luas_host *host = luas_gethost(L);
    if (host->permit == NULL) luaL_error(L, "%s: this host allows nothing", call);
    host->swift_depth++;
    int code = host->permit(L, use, call, thing, access);
    host->swift_depth--;
    return code != LUAS_RAISE;
}

// Raises an error unless the host allows the use.
static void demand(lua_State *L, int use, const char *call, const char *thing, luas_access *access) {
    if (!is_permitted(L, use, call, thing, access)) lua_error(L);
}

// --- Files ----------------------------------------------------------------------------------------------------------

static int flags_of(const char *mode) {
    bool both = strchr(mode, '+') != NULL;
    switch (mode[0]) {
    case 'r': return both ? O_RDWR : O_RDONLY;
    case 'w': return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
    default: return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
    }
}

// fopen within the permissions: NULL with errno. Raises when it is not allowed.
static FILE *open_file(lua_State *L, const char *call, const char *path, const char *mode) {
    int flags = flags_of(mode), way = flags & O_ACCMODE;
    luas_access access = {.flags = flags};
    demand(L, way == O_RDONLY ? LUAS_READ : way == O_WRONLY ? LUAS_WRITE : LUAS_READ | LUAS_WRITE, call, path, &access);
    if (access.descriptor < 0) {
        errno = access.error;
        return NULL;
    }
    FILE *stream = fdopen(access.descriptor, mode);
    if (stream == NULL) {
        int error = errno;
        close(access.descriptor);
        errno = error;
    }
    return stream;
}

static int close_file(lua_State *L) {
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    return luaL_fileresult(L, fclose(stream->f) == 0, NULL);
}

static FILE *open_stream_of(lua_State *L) {
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    if (stream->closef == NULL) luaL_error(L, "attempt to use a closed file");
    return stream->f;
}

// file:sync(): what was written is on the disk when it returns.
static int sync_file(lua_State *L) {
    FILE *stream = open_stream_of(L);
    return luaL_fileresult(L, fflush(stream) == 0 && fdatasync(coutput_descriptor(stream)) == 0, NULL);
}

// file:lock(): true, or nil if another process has locked the file. The lock ends with the file.
static int lock_file(lua_State *L) {
    FILE *stream = open_stream_of(L);
    return luaL_fileresult(L, flock(coutput_descriptor(stream), LOCK_EX | LOCK_NB) == 0, NULL);
}

// Pushes a closed file, as which one that is not open yet is collected.
static luaL_Stream *push_file(lua_State *L) {
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    stream->f = NULL;
    stream->closef = NULL;
    luaL_setmetatable(L, LUA_FILEHANDLE);
    return stream;
}

static bool open_stream(lua_State *L, const char *call, const char *path, const char *mode) {
    luaL_Stream *stream = push_file(L);
    stream->f = open_file(L, call, path, mode);
    if (stream->f != NULL) stream->closef = close_file;
    return stream->f != NULL;
}

static int guarded_open(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    const char *mode = luaL_optstring(L, 2, "r");
    const char *rest = mode + (*mode != '\0');
    if (*rest == '+') rest++;
    if (*rest == 'b') rest++;
    luaL_argcheck(L, *mode != '\0' && strchr("rwa", *mode) != NULL && *rest == '\0', 2, "invalid mode");
    return open_stream(L, "io.open", path, mode) ? 1 : luaL_fileresult(L, 0, path);
}

// Opens a file or raises, as io.lines, io.input and io.output do; pushes it.
static void open_or_raise(lua_State *L, const char *call, const char *path, const char *mode) {
    if (!open_stream(L, call, path, mode)) luaL_error(L, "cannot open file '%s' (%s)", path, strerror(errno));
}

static int call_library(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

// io.input and io.output: a name is opened here, a file is set by the library.
static int set_stream(lua_State *L, const char *call, const char *mode) {
    if (lua_isstring(L, 1)) {
        open_or_raise(L, call, lua_tostring(L, 1), mode);
        lua_replace(L, 1);
    }
    return call_library(L);
}

static int guarded_input(lua_State *L) { return set_stream(L, "io.input", "r"); }
static int guarded_output(lua_State *L) { return set_stream(L, "io.output", "w"); }

// The iterator of io.lines over a file of its own: closes that at its end. Upvalues: what file:lines gave, the file.
static int next_line(lua_State *L) {
    lua_settop(L, 0);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_call(L, 0, LUA_MULTRET);
    if (!lua_isnoneornil(L, 1)) return lua_gettop(L);
    lua_settop(L, 0);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_getfield(L, 1, "close");
    lua_insert(L, 1);
    lua_call(L, 1, 0);
    return 0;
}

static int guarded_lines(lua_State *L) {
    if (lua_isnoneornil(L, 1)) return call_library(L);
    int formats = lua_gettop(L) - 1;
    luaL_checkstack(L, formats + 4, "too many arguments");
    open_or_raise(L, "io.lines", luaL_checkstring(L, 1), "r");
    lua_replace(L, 1);
    lua_getfield(L, 1, "lines");
    lua_pushvalue(L, 1);
    for (int i = 0; i < formats; i++) lua_pushvalue(L, 2 + i);
    lua_call(L, formats + 1, 1);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, next_line, 2);
    lua_pushnil(L);
    lua_pushnil(L);
    lua_pushvalue(L, 1);
    return 4;
}

// Both of these make files where the C library wants them.
static int guarded_tmpfile(lua_State *L) {
    demand(L, LUAS_WRITE, "io.tmpfile", P_tmpdir, NULL);
    return call_library(L);
}

static int guarded_tmpname(lua_State *L) {
    demand(L, LUAS_WRITE, "os.tmpname", P_tmpdir, NULL);
    return call_library(L);
}

// Closes what the host has opened, and leaves errno as it is.
static void close_access(const luas_access *access) {
    int error = errno;
    if (access->descriptor >= 0) close(access->descriptor);
    errno = error;
}

// As remove(3) does it, in the folder that the host holds open.
static int remove_entry(const luas_access *access) {
    if (access->descriptor < 0) {
        errno = access->error;
        return -1;
    }
    if (unlinkat(access->descriptor, access->name, 0) == 0) return 0;
    return errno == EISDIR ? unlinkat(access->descriptor, access->name, AT_REMOVEDIR) : -1;
}

static int guarded_remove(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    luas_access access;
    demand(L, LUAS_WRITE | LUAS_ENTRY, "os.remove", path, &access);
    int result = remove_entry(&access);
    close_access(&access);
    return luaL_fileresult(L, result == 0, path);
}

static int rename_entry(const luas_access *from, const luas_access *to) {
    if (from->descriptor < 0 || to->descriptor < 0) {
        errno = from->descriptor < 0 ? from->error : to->error;
        return -1;
    }
    return renameat(from->descriptor, from->name, to->descriptor, to->name);
}

// A file that is moved could then be read where it has come to.
static int guarded_rename(lua_State *L) {
    const char *from = luaL_checkstring(L, 1), *to = luaL_checkstring(L, 2);
    luas_access source, target;
    demand(L, LUAS_READ | LUAS_WRITE | LUAS_ENTRY, "os.rename", from, &source);
    if (!is_permitted(L, LUAS_WRITE | LUAS_ENTRY, "os.rename", to, &target)) {
        close_access(&source);
        return lua_error(L);
    }
    int result = rename_entry(&source, &target);
    close_access(&source);
    close_access(&target);
    return luaL_fileresult(L, result == 0, NULL);
}

// --- Programs and the environment -----------------------------------------------------------------------------------

// A file of io.popen, which the library's functions know by its first part.
typedef struct piped_file {
    luaL_Stream stream;
    pid_t child;
} piped_file;

static int close_pipe(lua_State *L) {
    piped_file *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    // The library has marked it as closed, and does not come here twice.
    fclose(file->stream.f);
    errno = 0;
    return luaL_execresult(L, luas_waitchild(L, file->child));
}

static int guarded_popen(lua_State *L) {
    const char *command = luaL_checkstring(L, 1), *mode = luaL_optstring(L, 2, "r");
    demand(L, LUAS_RUN, "io.popen", command, NULL);
    luaL_argcheck(L, (mode[0] == 'r' || mode[0] == 'w') && mode[1] == '\0', 2, "invalid mode");
    piped_file *file = lua_newuserdatauv(L, sizeof *file, 0);
    file->stream.f = NULL;
    file->stream.closef = NULL;
    luaL_setmetatable(L, LUA_FILEHANDLE);
    fflush(NULL);
    int descriptor, failure = luas_startchild(command, mode[0] == 'r' ? 1 : 0, &descriptor, &file->child);
    if (failure != 0) {
        errno = failure;
        return luaL_fileresult(L, 0, command);
    }
    file->stream.f = coutput_pipe(descriptor, mode);
    if (file->stream.f == NULL) {
        close(descriptor);
        luas_waitchild(L, file->child);
        return luaL_fileresult(L, 0, command);
    }
    file->stream.closef = close_pipe;
    return 1;
}

static int guarded_execute(lua_State *L) {
    const char *command = luaL_optstring(L, 1, NULL);
    // Without a command it tells whether there is a shell.
    if (command == NULL) return call_library(L);
    demand(L, LUAS_RUN, "os.execute", command, NULL);
    pid_t child;
    int failure = luas_startchild(command, -1, NULL, &child);
    errno = failure;
    return luaL_execresult(L, failure != 0 ? -1 : luas_waitchild(L, child));
}

static int guarded_getenv(lua_State *L) {
    demand(L, LUAS_ENVIRONMENT, "os.getenv", luaL_checkstring(L, 1), NULL);
    return call_library(L);
}

// The locale is the whole process's, in which numbers are read and written: it can be asked for, and stays.
static int guarded_setlocale(lua_State *L) {
    const char *locale = luaL_optstring(L, 1, NULL);
    static const char *const categories[] = {"all", "collate", "ctype", "monetary", "numeric", "time", NULL};
    luaL_checkoption(L, 2, "all", categories);
    lua_settop(L, 2);
    lua_pushnil(L);
    lua_replace(L, 1);
    call_library(L);
    const char *current = lua_tostring(L, -1);
    if (locale != NULL && (current == NULL || strcmp(locale, current) != 0)) lua_pushnil(L);
    return 1;
}

// --- Code -----------------------------------------------------------------------------------------------------------

int luas_loadfile(lua_State *L, const char *call, const char *path) {
    if (path == NULL) return luas_loadstream(L, stdin, "=stdin");
    // Collected, and so closed, also when reading raises.
    bool is_open = open_stream(L, call, path, "r");
    if (!is_open) {
        lua_pushfstring(L, "cannot open %s: %s", path, strerror(errno));
        lua_remove(L, -2);
        return LUA_ERRFILE;
    }
    luaL_Stream *stream = lua_touserdata(L, -1);
    int status = luas_loadstream(L, stream->f, lua_pushfstring(L, "@%s", path));
    stream->closef = NULL;
    fclose(stream->f);
    lua_replace(L, -3);
    lua_pop(L, 1);
    return status;
}

// As the library's, which asks nobody before it looks whether a file can be read.
static int search_path(lua_State *L, const char *call) {
    const char *path = luaL_checkstring(L, 2), *name = luaL_checkstring(L, 1);
    const char *separator = luaL_optstring(L, 3, "."), *directory = luaL_optstring(L, 4, LUA_DIRSEP);
    if (*separator != '\0' && strchr(name, *separator) != NULL) name = luaL_gsub(L, name, separator, directory);
    path = luaL_gsub(L, path, LUA_PATH_MARK, name);
    luaL_Buffer tried;
    luaL_buffinit(L, &tried);
    bool is_first = true;
    while (*path != '\0') {
        size_t length = strcspn(path, LUA_PATH_SEP);
        luaL_addstring(&tried, is_first ? "no file '" : "\n\tno file '");
        luaL_addlstring(&tried, path, length);
        luaL_addstring(&tried, "'");
        is_first = false;
        // An empty one is no file, though it is named among them.
        if (length > 0) {
            // Under the buffer, which may have a place of its own on the stack.
            lua_pushlstring(L, path, length);
            const char *candidate = lua_tostring(L, -1);
            // Whoever opens a pipe as usual waits for its other end.
            luas_access found = {.flags = O_RDONLY | O_NONBLOCK};
            demand(L, LUAS_READ, call, candidate, &found);
            if (found.descriptor >= 0) {
                close(found.descriptor);
                return 1;
            }
            lua_pop(L, 1);
        }
        path += length + (path[length] != '\0');
    }
    luaL_pushresult(&tried);
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
}

static int guarded_searchpath(lua_State *L) { return search_path(L, "package.searchpath"); }

// The parts of `require`.
static int require_search(lua_State *L) { return search_path(L, "require"); }

static int require_load(lua_State *L) {
    if (luas_loadfile(L, "require", luaL_checkstring(L, 1)) == LUA_OK) return 1;
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
}

// --- Opening --------------------------------------------------------------------------------------------------------

// Replaces fields of the global table `library`, each with the original as its upvalue.
static void guard(lua_State *L, const char *library, const luaL_Reg *functions) {
    lua_getglobal(L, library);
    for (; functions->name != NULL; functions++) {
        lua_getfield(L, -1, functions->name);
        lua_pushcclosure(L, functions->func, 1);
        lua_setfield(L, -2, functions->name);
    }
    lua_pop(L, 1);
}

void luas_guard(lua_State *L) {
    static const luaL_Reg io[] = {
        {"input", guarded_input},   {"lines", guarded_lines},     {"open", guarded_open}, {"output", guarded_output},
        {"popen", guarded_popen},   {"tmpfile", guarded_tmpfile}, {NULL, NULL},
    };
    static const luaL_Reg os[] = {
        {"execute", guarded_execute}, {"getenv", guarded_getenv},       {"remove", guarded_remove},
        {"rename", guarded_rename},   {"setlocale", guarded_setlocale}, {"tmpname", guarded_tmpname},
        {NULL, NULL},
    };
    static const luaL_Reg package[] = {{"searchpath", guarded_searchpath}, {NULL, NULL}};
    guard(L, LUA_IOLIBNAME, io);
    guard(L, LUA_OSLIBNAME, os);
    guard(L, LUA_LOADLIBNAME, package);
    lua_getglobal(L, LUA_LOADLIBNAME);
    lua_pushcfunction(L, require_search);
    lua_setfield(L, -2, "require_search");
    lua_pushcfunction(L, require_load);
    lua_setfield(L, -2, "require_load");
    lua_pop(L, 1);
    // Whoever has the metatable of files has their finalizer.
    luaL_getmetatable(L, LUA_FILEHANDLE);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_getfield(L, -1, "__index");
    lua_pushcfunction(L, sync_file);
    lua_setfield(L, -2, "sync");
    lua_pushcfunction(L, lock_file);
    lua_setfield(L, -2, "lock");
    lua_pop(L, 2);
}
