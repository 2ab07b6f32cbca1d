import Glibc

/// The names in a folder, read by readdir(3).
enum FolderStream {
  /// Without the folder itself and the one above it.
  static func names(_ stream: OpaquePointer) -> [(name: String, type: Int)] {
    var names: [(name: String, type: Int)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append((name, Int(entry.pointee.d_type))) }
    }
    return names
  }
}
