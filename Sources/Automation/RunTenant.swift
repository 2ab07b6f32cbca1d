package import JSON

/// The local tenant of a run, as sign-ins and imports need it.
package protocol RunTenant: AnyObject, Sendable {
  /// The address of the server: `http://127.0.0.1:8910`.
  var url: String { get }
  /// The port of the data file, if another process has a tenant with the same data there.
  var otherPort: UInt16? { get }
  /// The settings of its application, by their names. They change with the tenant's profile.
  var settings: [String: JSON] { get }
  /// The private key of its application, if the setting `clientKey` names it so; nil for another name.
  func clientKey(named name: String) -> JSON?
}
