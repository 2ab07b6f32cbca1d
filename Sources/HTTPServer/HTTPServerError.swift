package import Core

/// The error of a server that could not be started.
package typealias HTTPServerError = DomainError<HTTPServerProblem>

/// The kinds of `HTTPServerError`.
package enum HTTPServerProblem: String, FailureKind {
  /// Another program listens on that port.
  case portTaken = "port_taken"
  /// The address is none, or not one for this server.
  case badAddress = "bad_address"
  /// The system does not let this user listen there.
  case notPermitted = "not_permitted"
  /// The certificate or its key could not be made or loaded.
  case tls
  /// Anything else the system or the library refused.
  case startFailed = "start_failed"
}
