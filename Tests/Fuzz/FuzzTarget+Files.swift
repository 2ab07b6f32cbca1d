import Compression
import Core
import Files
import Glibc
import ImportEngine
import ImportJournal
import JSON
import TaskAPI

@testable import ImportFormats
@testable import TraceView

extension FuzzTarget {
  /// Files of tasks in all formats. The first byte selects the format; the content selects it, too.
  static let rows = FuzzTarget("rows") { input in
    var input = input
    let choice = Int(input.byte())
    let formats = SourceFormat.allCases
    let format = choice % (formats.count + 1) < formats.count ? formats[choice % (formats.count + 1)] : nil
    let file = try memory(input.bytes)
    let reader = try RecordReaders.open(SourceFile("rows") { _ in file }, format: format)
    let source = try FileRowSource(reader)
    while let record = try await source.next() { _ = try await source.draft(of: record) }
  }

  /// The journal of an import. The first 544 bytes are the file beside it whose name ends in `-seal`.
  static let journals = FuzzTarget("journals") { input in
    var input = input
    let folder = try TemporaryPlace.makeFolder("b2c-run-fuzz-")
    defer { TemporaryPlace.remove(folder) }
    let path = "\(folder)/rows.sqlite"
    try write(input.part(544).bytes, to: "\(path)-seal")
    try write(input.bytes, to: path)
    let shelf = JournalShelf(folder: folder) { 1_800_000_000 }
    guard let summary = try shelf.list().first else { return }
    let failures = try? shelf.failures(of: summary)
    while try failures?.next() != nil {}
    let identity =
      summary.identity
      ?? ImportIdentity(source: "/rows.csv", account: "a", accountName: "alice", api: "http://127.0.0.1")
    let journal = try await ImportJournal.open(identity, file: OutputPlace(path)) { 1_800_000_000 }
    await journal.close()
  }

  /// Traces: the pages, the table and the comparison.
  static let traces = FuzzTarget("traces") { input in
    let file = try memory(input.bytes)
    let output = try memory([])
    let trace = try RecordedTrace(file.descriptor, name: "trace.json")
    _ = TraceTable(trace).text(width: 80) { text, _ in text }
    _ = TraceComparison(trace, trace)
    try TracePage.write(events: file.descriptor, to: output.descriptor)
  }

  /// gzip and zstd.
  static let compression = FuzzTarget("compression") { input in
    var input = input
    let decompressor = try Decompressor(input.byte() % 2 == 0 ? .gzip : .zstd)
    var output = [UInt8](repeating: 0, count: 4096)
    var rest = input.bytes[...]
    // The output of few bytes can be long.
    for _ in 0..<10_000 where !rest.isEmpty {
      let step = try rest.withUnsafeBytes { from in
        try output.withUnsafeMutableBytes { to in try decompressor.decompress(from, into: to) }
      }
      rest = rest.dropFirst(step.taken)
      guard step.taken + step.written > 0 else { break }
    }
    try decompressor.finish()
  }

  /// An open file with these bytes, which has no name.
  static func memory(_ bytes: [UInt8]) throws(FileFailure) -> OpenFile {
    let file = try TemporaryPlace.openFile("b2c-run-fuzz-")
    try file.write(bytes)
    lseek(file.descriptor, 0, SEEK_SET)
    return file
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
    try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)).write(bytes)
  }
}
