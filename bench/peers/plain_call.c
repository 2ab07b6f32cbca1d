// The comparison for b2c.term.is_tty(): a C function that returns a boolean.
#include <lauxlib.h>
#include <lua.h>

static int is_tty(lua_State *lua) {
  lua_pushboolean(lua, 0);
  return 1;
}

int luaopen_plain_call(lua_State *lua) {
  static const luaL_Reg functions[] = {{"is_tty", is_tty}, {NULL, NULL}};
  luaL_newlib(lua, functions);
  return 1;
}
