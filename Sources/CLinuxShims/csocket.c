#define _GNU_SOURCE
#include "csocket.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

int csocket_accept_own(int listener) {
  int connection = accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) return -1;
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (!getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) && (peer.uid == geteuid() || peer.uid == 0))
    return connection;
  close(connection);
  errno = EPERM;
  return -1;
}
