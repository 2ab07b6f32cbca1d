import Core
import Files
import Glibc

/// The format of a trace's file.
package enum TraceFormat: String, CaseIterable, Sendable {
  case html, har, json

  /// The version of the events, in the first line of a trace.
  package static let version = 1

  /// The format by the ending of the path, in any letter case; nil for another ending.
  package init?(path: String) { self.init(rawValue: path.isPagePath ? "html" : path.fileEnding) }
}

/// The file of a trace's events as they come: for a `.json` the trace itself, for other formats a file without a name,
/// gone with the process, of which the trace is made at the end.
final class TraceFile {
  let format: TraceFormat
  let path: String
  private let file: OpenFile
  /// The descriptor of the events; it is readable, too.
  var descriptor: CInt { file.descriptor }
  /// The error number of a write that failed, after which nothing is written any more.
  private(set) var problem: CInt?

  init(_ path: String, _ format: TraceFormat) throws(TraceError) {
    self.path = path
    self.format = format
    let kind = FileSystem.kind(of: path)
    if kind == S_IFDIR { throw .unwritable("the trace \(path)", EISDIR) }
    let isFile = kind == nil || kind == S_IFREG
    if format == .json {
      // An earlier file goes, and its permissions with it: only the owner may read a trace.
      if isFile, FileSystem.unlink(path) != 0, errno != ENOENT { throw .unwritable("the trace \(path)") }
      file = try Self.open(path, isFile ? O_RDWR | O_CREAT | O_EXCL : O_WRONLY, for: path)
    } else {
      if kind != nil, isFile, FileSystem.access(path, W_OK) != 0 { throw .unwritable("the trace \(path)") }
      guard isFile else {
        throw TraceError(.unwritable, "the trace \(path) cannot be written: it is not a file")
      }
      let events = Self.beside(path)
      file = try Self.open(events, O_RDWR | O_CREAT | O_EXCL, for: path)
      FileSystem.unlink(events)
    }
  }

  private static func open(_ path: String, _ flags: CInt, for name: String) throws(TraceError) -> OpenFile {
    do { return try OpenFile(path, Opening(flags, mode: 0o600)) } catch {
      throw .unwritable("the trace \(name)", error.number)
    }
  }

  /// Writes all bytes. A failure is kept as `problem`: a full disk is no reason to stop the run.
  func write(_ bytes: [UInt8]) {
    guard problem == nil else { return }
    do { try file.write(bytes) } catch { problem = error.number }
  }

  /// Replaces the file by the output of `make`, whole or not at all.
  func replace(_ make: (_ events: CInt, _ output: CInt) throws -> Void) throws {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw TraceError.unwritable("the trace \(path)") }
    let beside = Self.beside(path)
    let output = try Self.open(beside, O_WRONLY | O_CREAT | O_EXCL, for: path)
    do {
      try make(descriptor, output.descriptor)
      guard FileSystem.rename(beside, path) == 0 else { throw TraceError.unwritable("the trace \(path)") }
    } catch {
      FileSystem.unlink(beside)
      throw error
    }
  }

  private static func beside(_ path: String) -> String {
    "\(path).\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).part"
  }
}
