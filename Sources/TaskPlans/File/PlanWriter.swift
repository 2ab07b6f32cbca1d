import Crypto
package import Files
import Glibc

/// Writes a plan's file row by row. It is there in full after `finish`, or not at all.
package final class PlanWriter {
  private let file: AtomicFile
  private let hash = StreamedHash()
  /// The numbers of rows so far, by their action.
  package private(set) var counts: [PlannedRow.Action: Int] = [:]
  private var isFirst = true

  package init(_ place: OutputPlace, _ header: PlanHeader) throws(FileError) {
    guard Self.mayReplace(place) else {
      throw .unwritable(
        place.path, "it is there and is not a plan", hint: "name another file, or remove this one first")
    }
    file = try AtomicFile(place)
    try write(header.text)
  }

  /// False for a file with another content than a plan, which a plan must not replace.
  package static func mayReplace(_ place: OutputPlace) -> Bool {
    guard FileSystem.kind(of: place.path) == S_IFREG else { return true }
    var start = [UInt8](repeating: 0, count: PlanFormat.mark.utf8.count)
    guard let file = try? place.reopened(), let count = try? file.read(into: &start) else { return false }
    return count == 0 || start.elementsEqual(PlanFormat.mark.utf8)
  }

  package func add(_ row: PlannedRow) throws(FileError) {
    try write((isFirst ? "" : ",\n") + row.json)
    isFirst = false
    counts[row.action, default: 0] += 1
  }

  /// Puts the file in place.
  /// - Returns: the digest, which names this very plan: `sha256:` and 64 digits.
  package func finish() throws(FileError) -> String {
    try write((isFirst ? "" : "\n") + PlanFormat.rowsEnd + "\n")
    try write(PlanFormat.countsStart + PlanFormat.counts(counts) + ",\n")
    let digest = hash.end()
    try file.write(PlanFormat.end(digest).utf8)
    try file.commit()
    return PlanFormat.name(digest)
  }

  private func write(_ text: String) throws(FileError) {
    let bytes = Array(text.utf8)
    bytes.withUnsafeBytes { hash.add($0) }
    try file.write(bytes)
  }
}
