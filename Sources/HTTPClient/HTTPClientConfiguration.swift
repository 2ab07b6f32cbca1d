/// How a client connects.
package struct HTTPClientConfiguration: Sendable {
  /// A file of PEM certificates to trust besides the system's.
  package var caFile: String?
  /// The `User-Agent` field of requests that bring none.
  package var userAgent: String
  /// How many connections are open to one host at a time; further requests wait for one. Clients share their
  /// connections, and the largest number any of them asks for holds for all.
  package var maximumConnectionsPerHost: Int

  package init(caFile: String? = nil, userAgent: String = "b2c-run", maximumConnectionsPerHost: Int = 256) {
    self.caFile = caFile
    self.userAgent = userAgent
    self.maximumConnectionsPerHost = maximumConnectionsPerHost
  }
}
