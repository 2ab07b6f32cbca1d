/// How far an exchange is, in bytes of the bodies. After a redirect or a repetition it begins anew.
package struct HTTPProgress: Sendable, Equatable {
  package var sent = 0
  /// How long the request's body is.
  package var toSend = 0
  package var received = 0
  /// Nil where the server does not say.
  package var toReceive: Int?
}
