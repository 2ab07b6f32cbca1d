package import JOSE

/// The local tenant of a run.
package struct LocalTenantSession: Sendable {
  /// The settings that lead to it.
  package let settings: [String: JSON]
  /// Whether its data outlives the run.
  package let isKept: Bool
}
