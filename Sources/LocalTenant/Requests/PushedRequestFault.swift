/// A wrong answer to a pushed authorization request, for `tenant.fault { par = … }`.
package enum PushedRequestFault: String, Sendable, CaseIterable {
  /// The status 200 in place of 201.
  case status200 = "status_200"
  case noURI = "no_uri"
  case noExpiry = "no_expiry"
  /// A lifetime of 0 seconds.
  case expired
}
