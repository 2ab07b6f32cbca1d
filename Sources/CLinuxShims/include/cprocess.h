#pragma once

/// Keeps this process out of core dumps and of other processes' sight: prctl(2), PR_SET_DUMPABLE.
///
/// Why in C: Swift does not import variadic functions such as prctl.
void cprocess_forbid_dumps(void);

/// Has this process get `signal` when the thread that started it ends: prctl(2), PR_SET_PDEATHSIG.
void cprocess_end_with_parent(int signal);

/// Makes this process the parent of its descendants whose parents end: prctl(2), PR_SET_CHILD_SUBREAPER. Returns 0, or -1 and errno.
int cprocess_adopt_orphans(void);

/// Makes writes beyond a limit of file sizes fail (EFBIG) instead of ending the process. If the address space is limited, a crash
/// writes `text`, which stays valid, to standard error, and the exit status is 1: memory that the system does not give ends
/// Swift code without a message.
void cprocess_meet_limits(const char *_Nonnull text);
