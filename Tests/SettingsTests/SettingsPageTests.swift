import Foundation
import Testing

@testable import Settings

/// The table of the page Settings has a row for each key, with each value that the key may have.
@Suite struct SettingsPageTests {
  @Test(arguments: SettingsKey.allCases)
  func row(key: SettingsKey) throws {
    let project = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: project.appending(path: "Sources/b2c-run/Documentation.docc/Settings.md"), encoding: .utf8)
    let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(key.rawValue)`") })
    guard case .choice(let values) = key.kind else { return }
    for value in values { #expect(row.contains("`\(value)`"), "\(value) is missing") }
  }
}
