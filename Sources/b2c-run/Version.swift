/// This program's version and its date, from the newest heading of CHANGELOG.md. `make version` writes this file.
enum Version {
  static let text = "1.1.0"
  static let date = "2026-11-26"
}
