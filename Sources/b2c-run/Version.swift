/// This program's version, also the newest heading in CHANGELOG.md.
enum Version {
  static let text = "0.1.0"
}
