#pragma once

#include "CLuaShims.h"

/// Replaces the functions of the `coroutine` library; may raise.
void luas_opencoroutine(lua_State *L);
/// Suspends the running coroutine on behalf of the host: yields the private tag, which nested coroutines pass on.
int luas_suspend(lua_State *L, lua_KContext context, lua_KFunction continuation);
/// Whether the values that `co` has just yielded are the host's tag or an interrupt.
bool luas_yieldedtag(lua_State *co, int nresults);
