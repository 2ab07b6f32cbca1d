/// The path of a list in a zip archive, as a person writes it: `backup.zip:Inbox.csv`.
package struct ArchivePath: Sendable, Equatable {
  package let archive: String
  package let entry: String

  /// Nil for another path.
  package init?(_ path: String) {
    let ending = Array(".zip:".utf8)
    let bytes = Array(path.utf8)
    guard bytes.count > ending.count else { return nil }
    for start in 1..<(bytes.count - ending.count)
    where zip(bytes[start...], ending).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
      archive = String(decoding: bytes[..<(start + ending.count - 1)], as: UTF8.self)
      entry = String(decoding: bytes[(start + ending.count)...], as: UTF8.self)
      return
    }
    return nil
  }
}
