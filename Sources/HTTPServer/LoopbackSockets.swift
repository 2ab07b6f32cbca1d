import Glibc

/// The sockets of a server: one on 127.0.0.1, and one on the same port of [::1] if this machine has IPv6.
enum LoopbackSockets {
  struct Pair {
    let port: UInt16
    /// Descriptors, which the receiver closes.
    let v4: CInt
    let v6: CInt?
  }

  static func open(port: UInt16) throws(HTTPServerError) -> Pair {
    // A port that is free on 127.0.0.1 may be taken on [::1]. If any port will do, another one is tried.
    let attempts = port == 0 ? 16 : 1
    for _ in 1..<attempts {
      do {
        return try pair(port: port)
      } catch  where error.kind != .portTaken {
        throw error
      } catch {
        continue
      }
    }
    return try pair(port: port)
  }

  private static func pair(port: UInt16) throws(HTTPServerError) -> Pair {
    let v4: LoopbackSocket
    do {
      v4 = try LoopbackSocket(.v4, port: port)
    } catch {
      throw explain(error, .v4, port)
    }
    do {
      let v6 = try LoopbackSocket(.v6, port: v4.port)
      return Pair(port: v6.port, v4: v4.release(), v6: v6.release())
    } catch {
      guard [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(error.errno) else {
        throw explain(error, .v6, v4.port)
      }
      return Pair(port: v4.port, v4: v4.release(), v6: nil)
    }
  }

  private static func explain(
    _ refusal: LoopbackSocket.Refusal, _ family: LoopbackSocket.Family, _ port: UInt16
  ) -> HTTPServerError {
    switch refusal.errno {
    case EADDRINUSE:
      HTTPServerError(
        kind: .portTaken, message: "port \(port) on \(family.rawValue) is taken by another program",
        hint: "choose another port, or 0 for any free one")
    case EACCES:
      HTTPServerError(
        kind: .notPermitted, message: "this user may not listen on port \(port) of \(family.rawValue)",
        hint: "ports below 1024 are the system's; choose a higher one, or 0 for any free one")
    default:
      HTTPServerError(
        kind: .startFailed,
        message: "cannot listen on port \(port) of \(family.rawValue): \(String(cString: strerror(refusal.errno)))")
    }
  }
}
