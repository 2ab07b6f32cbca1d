import Core

/// The error of a server that could not be started.
package struct HTTPServerError: Failure {
  package enum Kind: String, Sendable {
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

  package var kind: Kind
  package var message: String
  package var hint: String?

  package var code: String { kind.rawValue }
}
