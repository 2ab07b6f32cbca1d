#pragma once

/// Accepts a connection at a Unix socket from a process of the same user or of root. -1 and errno on failure; EPERM for a
/// process of another user, whose connection is closed.
///
/// Why in C: accept4 and SO_PEERCRED are GNU extensions, which Swift's module of the C library leaves out.
int csocket_accept_own(int listener);
