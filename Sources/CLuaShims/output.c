#include "CLuaShims.h"
#include <stdio.h>

void luas_writeout(const void *bytes, size_t count) { fwrite(bytes, 1, count, stdout); }
void luas_flushout(void) { fflush(stdout); }
