#pragma once

/// Keeps this process out of core dumps and of other processes' sight: prctl(2), PR_SET_DUMPABLE.
///
/// Why in C: Swift does not import variadic functions such as prctl.
void cprocess_forbid_dumps(void);
