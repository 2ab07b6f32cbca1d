/// This program's version, also the newest heading in CHANGELOG.md.
enum Version {
  static let text = "0.1.0"
  /// The month of the manual pages.
  static let date = "2026-11"
}
