import Files
import Glibc

/// The file a trace's events are written to as they come.
///
/// For a `.json` that is the trace itself. For the other formats it has no name, and is gone with the process; they are
/// made of it at the end, beside the file they replace.
final class TraceFile {
  let format: TraceFormat
  let path: String
  private let file: OpenFile
  /// Where the events are; readable, too.
  var descriptor: CInt { file.descriptor }
  /// What a write failed with, after which nothing is written any more.
  private(set) var problem: CInt?

  /// Opens the file, and finds out whether it can be written.
  init(_ path: String, _ format: TraceFormat) throws(TraceError) {
    self.path = path
    self.format = format
    let kind = FileSystem.kind(of: path)
    if kind == S_IFDIR { throw .unwritable(path, EISDIR) }
    let isFile = kind == nil || kind == S_IFREG
    if format == .json {
      // What was there before, and who may read it, goes: a trace is its owner's.
      if isFile, unlink(path) != 0, errno != ENOENT { throw .unwritable(path) }
      file = try Self.open(path, isFile ? O_RDWR | O_CREAT | O_EXCL : O_WRONLY, for: path)
    } else {
      if kind != nil, isFile, access(path, W_OK) != 0 { throw .unwritable(path) }
      guard isFile else {
        throw TraceError("trace_unwritable", "the trace \(path) cannot be written: it is no file")
      }
      let events = Self.beside(path)
      file = try Self.open(events, O_RDWR | O_CREAT | O_EXCL, for: path)
      unlink(events)
    }
  }

  private static func open(_ path: String, _ flags: CInt, for name: String) throws(TraceError) -> OpenFile {
    do { return try OpenFile(path, Opening(flags, mode: 0o600)) } catch { throw .unwritable(name, error.number) }
  }

  /// Writes all of it. What fails is kept as `problem`: a full disk is no reason to stop the run.
  func write(_ bytes: [UInt8]) {
    guard problem == nil else { return }
    problem = Self.write(bytes[...], to: descriptor)
  }

  /// - Returns: the error number of a write that failed.
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) -> CInt? {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR, errno != EAGAIN {
        return errno
      }
    }
    return nil
  }

  /// Puts what `make` writes in the place of the file, whole or not at all.
  func replace(_ make: (_ events: CInt, _ output: CInt) throws -> Void) throws {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw TraceError.unwritable(path) }
    let beside = Self.beside(path)
    let output = try Self.open(beside, O_WRONLY | O_CREAT | O_EXCL, for: path)
    do {
      try make(descriptor, output.descriptor)
      guard rename(beside, path) == 0 else { throw TraceError.unwritable(path) }
    } catch {
      unlink(beside)
      throw error
    }
  }

  private static func beside(_ path: String) -> String {
    "\(path).\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).part"
  }
}
