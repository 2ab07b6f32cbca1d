import Databases
import Files
import Glibc
import ImportEngine
import ImportFormats

@testable import ImportJournal

/// A folder of journals that is gone with its owner.
final class JournalFolder: Sendable {
  static let identity = ImportIdentity(
    source: "/home/alice/tasks.csv", account: "account-1", accountName: "alice", api: "https://tasks.example.com")

  let path: String

  init() {
    var template = Array("/tmp/b2c-run-journals-XXXXXX".utf8CString)
    _ = mkdtemp(&template)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var names: [String] { Self.names(path) }

  static func names(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The journal's files as they are now, copied as a power cut or a kill would leave them.
  func snapshot() -> JournalFolder {
    let copy = JournalFolder()
    // Shared memory does not outlive a machine, and SQLite makes it anew from the log.
    for name in names where !name.hasSuffix("-shm") && !name.hasSuffix("-lock") {
      copy.write(name, contents(name))
    }
    return copy
  }

  func contents(_ name: String) -> [UInt8] {
    guard let file = fopen("\(path)/\(name)", "r") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let size = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = fread(buffer.baseAddress, 1, size, file)
    }
  }

  func write(_ name: String, _ bytes: [UInt8]) {
    guard let file = fopen("\(path)/\(name)", "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}

extension JournalRow {
  /// A row whose hashes follow from its number.
  init(_ row: Int) {
    self.init(row: row, fingerprint: UInt64(row) &* 0x9e37_79b9_7f4a_7c15, textHash: UInt64(row % 10) + 1000)
  }
}

extension ImportJournal {
  /// All that is known of the rows.
  func allKnownRows() throws -> [KnownRow] {
    let rows = try knownRows()
    var all: [KnownRow] = []
    while let row = try rows.next() { all.append(row) }
    return all
  }

  func allFailures() async throws -> [JournalFailure] {
    let failures = try await failures()
    var all: [JournalFailure] = []
    while let failure = try failures.next() { all.append(failure) }
    return all
  }
}

extension JournalShelf {
  func failures(_ name: String) throws(ImportError) -> JournalFailures { try failures(of: summary(name)) }

  @discardableResult
  func forget(_ name: String) throws(ImportError) -> JournalSummary { try forget(summary(name)) }
}

extension ImportJournal {
  static func open(_ identity: ImportIdentity, file: String) async throws(ImportError) -> ImportJournal {
    try await open(identity, file: OutputPlace(file))
  }
}
