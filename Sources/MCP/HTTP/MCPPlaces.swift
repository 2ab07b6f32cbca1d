import HTTPServer

/// The hosts and origins that requests may come from. A page of another site reaches a port of this machine by a name that it
/// lets point there (DNS rebinding): its request has that name as its host and its origin.
struct MCPPlaces: Sendable {
  private let hosts: Set<String>
  private let origins: Set<String>

  /// - Parameter others: hosts with their ports besides those of this machine.
  init(port: UInt16, hosts others: Set<String>) {
    let own = ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" }
    hosts = Set(own + others.map { $0.lowercased() })
    origins = Set(
      own.map { "http://\($0)" } + own.map { "https://\($0)" } + others.map { "https://\($0.lowercased())" })
  }

  /// The problem with the host or the origin of a request; nil if they are of this server.
  func problem(with request: ServerRequest) -> String? {
    guard let host = request.header("Host"), hosts.contains(host.lowercased()) else {
      return "Host: '\(request.header("Host") ?? "")' is not a name of this server"
    }
    // A browser sends null for a page of a file or of a sandbox.
    guard let origin = request.header("Origin"), !origins.contains(origin.lowercased()) else { return nil }
    return "Origin: '\(origin)' is not this server"
  }
}
