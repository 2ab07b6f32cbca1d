import Foundation
import Testing
import TraceView

@testable import Trace

/// Compares the traces of a recorded sign-in with an import, byte for byte. With UPDATE_TRACES in the environment, the test
/// writes the files anew, so their changes can be reviewed.
@Suite("A recorded flow")
struct GoldenTraceTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Traces")
  private static let events = folder.appending(path: "flow.json").path

  /// Compares with the file of that name.
  private func expect(_ name: String, _ text: String) throws {
    let file = Self.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["UPDATE_TRACES"] != nil { try Data(text.utf8).write(to: file) }
    let known = try String(contentsOf: file, encoding: .utf8)
    let pairs = zip(text.split(separator: "\n"), known.split(separator: "\n"))
    let first = pairs.first { $0 != $1 }.map { "\nis       \($0)\nexpected \($1)" } ?? ""
    #expect(
      text.utf8.elementsEqual(known.utf8),
      "\(name) is another one: UPDATE_TRACES=1 swift test --filter GoldenTraceTests writes it anew\(first)")
  }

  /// Returns the output that `make` writes for the events.
  private func made(_ make: (_ events: CInt, _ output: CInt) throws -> Void) throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "b2c-run-golden-\(UUID().uuidString)").path
    let events = open(Self.events, O_RDONLY)
    let output = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    defer {
      close(events)
      close(output)
      unlink(path)
    }
    try make(events, output)
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test("as a page; its style, script and data are left out")
  func page() throws {
    var page = try made { try TracePage.write(events: $0, to: $1) }
    let data = try String(contentsOfFile: Self.events, encoding: .utf8).dropLast()
    #expect(page.contains(data.replacing("<", with: "\\u003c").replacing("\n", with: ",\n")))
    page = page.replacing(#/(<style>|<script[^>]*>)[\s\S]*?(<\/s)/#) { "\($0.1)…\($0.2)" }
    try expect("flow.html", page.replacing(#/sha256-[^']*/#, with: "sha256-…"))
  }

  @Test("as HAR")
  func archive() throws {
    try expect("flow.har", made { try HARWriter.write(events: $0, to: $1) })
  }

  @Test("as a table")
  func table() throws {
    try expect("flow.txt", TraceTable(RecordedTrace(TraceInput(Self.events))).text(width: nil) { text, _ in text })
  }
}
