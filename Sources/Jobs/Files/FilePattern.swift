import Core
import Files
import Glibc

/// A pattern of files, such as `inbox/*.csv` (glob(7)): `*` and `?` match no leading dot and no slash.
struct FilePattern: Hashable {
  let text: String

  /// A file that matches now.
  struct Match {
    /// The path as the pattern begins. Bytes that are no UTF-8 are percent-encoded.
    let path: String
    let status: JobStore.SeenFile
    /// True if a process has the file open for writing.
    let isWritten: Bool
  }

  /// The regular files that match, also behind links, in the order of their names.
  var matches: [Match] {
    Self.paths(of: text).compactMap { path in
      let bytes = path.dropLast().map(UInt8.init(bitPattern:))
      guard let file = try? OpenFile(bytes, .reading), let status = try? file.status() else { return nil }
      let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
      return Match(
        path: Self.text(of: path),
        status: JobStore.SeenFile(
          inode: Int64(bitPattern: UInt64(status.st_ino)), size: Int64(status.st_size), modified: modified),
        isWritten: Self.isWritten(file.descriptor))
    }
  }

  /// The folders in which a new name may change the matches. Those that are not there are left out.
  var folders: [String] {
    var parts = text.split(separator: "/", omittingEmptySubsequences: true).dropLast().map(String.init)[...]
    var prefix = text.hasPrefix("/") ? "/" : ""
    var folders = [prefix.isEmpty ? "." : "/"]
    while let part = parts.popFirst() {
      prefix += part
      folders += Self.paths(of: prefix).map {
        String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
      prefix += "/"
    }
    return folders
  }

  /// `F_SETLEASE` of Linux, which the C library shows to GNU sources only. A lease for reading is refused while the file
  /// is open for writing (fcntl(2)). It needs the file's owner; for files of others nobody can tell.
  private static func isWritten(_ descriptor: Int32) -> Bool {
    let setLease: Int32 = 1024
    guard fcntl(descriptor, setLease, Int32(F_RDLCK)) == 0 else { return errno == EAGAIN }
    _ = fcntl(descriptor, setLease, Int32(F_UNLCK))
    return false
  }

  /// The paths with the 0 at their end.
  private static func paths(of pattern: String) -> [[CChar]] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { index in
      found.gl_pathv[index].map { path in Array(UnsafeBufferPointer(start: path, count: strlen(path) + 1)) }
    }
  }

  private static func text(of path: [CChar]) -> String {
    let bytes = path.dropLast().map(UInt8.init(bitPattern:))
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return bytes.map { byte in
      byte < 0x80 && byte != UInt8(ascii: "%")
        ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
    }.joined()
  }
}
