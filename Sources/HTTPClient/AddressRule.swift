/// The addresses that a request may go to. A server that a person named may be anywhere. A server that another server named,
/// by a document or a redirect, is on the internet or beside the server that named it: otherwise it could lead the program to
/// the services of the user's network.
package enum AddressRule: Sendable, Equatable {
  /// Any address. A redirect leads anywhere, too.
  case anywhere
  /// Any address, for a server that a person named. A redirect keeps to `near`.
  case named
  /// The address is public, or near the address of the server that named it; nil allows public addresses alone.
  case near(String?)

  package static let publicOnly = near(nil)

  /// True if a connection may go to a numeric address.
  package func admits(_ address: String) -> Bool {
    guard case .near(let origin) = self, let kind = PrivateAddress.kind(of: address) else { return true }
    guard let origin, let own = PrivateAddress.kind(of: origin) else { return false }
    // Link-local addresses are services of the machine's host, such as the keys of a virtual machine.
    return address == origin || kind == own && kind != .other
  }

  /// True if a request may go to an origin, as far as its name tells.
  package func admits(_ origin: Origin) -> Bool {
    if origin.isLoopback { return admits("127.0.0.1") }
    let host = origin.host
    return admits(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
  }

  /// The rule after a redirect of a server at an address.
  func afterRedirect(from address: String?) -> AddressRule { self == .named ? .near(address) : self }
}
