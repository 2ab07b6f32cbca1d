#pragma once

/// Keeps this process out of core dumps and of other processes' sight: prctl(2), PR_SET_DUMPABLE.
///
/// Why C: prctl is variadic, which Swift does not import.
void cprocess_forbid_dumps(void);
