import TestSupport

extension TemporaryFolder {
  /// A path for a database.
  var file: String { path("a.db") }
}
