#include "cprocess.h"

#include <sys/prctl.h>

// It cannot fail with these arguments.
void cprocess_forbid_dumps(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void cprocess_end_with_parent(int signal) { prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }
