import Core
package import Files
import JSON

/// Reads a plan's file row by row. The digest is checked over the whole file before the first row.
package final class PlanReader {
  package let header: PlanHeader
  /// Names this very plan: `sha256:` and 64 digits.
  package let digest: String
  /// The numbers of rows by their action.
  package let counts: [PlannedRow.Action: Int]
  /// The path of the file, for messages.
  package let name: String
  private let bytes: PlanBytes
  private var isAtEnd = false

  /// - Parameters:
  ///   - file: a regular file.
  ///   - name: its path for messages.
  package init(_ file: OpenFile, name: String) throws(PlanError) {
    self.name = name
    bytes = try PlanBytes(file, name: name)
    let ending = try PlanSeal(bytes, name: name)
    digest = ending.digest
    counts = ending.counts
    header = try Self.header(bytes, name)
  }

  /// The plan that was written there.
  package convenience init(_ place: OutputPlace) throws { try self.init(place.reopened(), name: place.path) }

  /// The number of rows of a plan, by the end of its file alone.
  package static func rowCount(of place: OutputPlace) throws -> Int {
    let counts = try PlanSeal.counts(PlanBytes(place.reopened(), name: place.path), name: place.path)
    return counts.values.reduce(0, +)
  }

  /// Writes the same file elsewhere.
  package func copy(to place: OutputPlace) throws {
    let file = try AtomicFile(place)
    let next = try bytes.blocks()
    while let block = try next() { try file.write(block) }
    try file.commit()
    try rewind()
  }

  /// The next row; nil behind the last one.
  package func next() throws(PlanError) -> PlannedRow? {
    guard !isAtEnd, var line = try bytes.nextLine() else { return nil }
    if line.elementsEqual(PlanFormat.rowsEnd.utf8) {
      isAtEnd = true
      return nil
    }
    if line.last == UInt8(ascii: ",") { line.removeLast() }
    do { return try PlannedRow(json: Self.parsed(line)) } catch {
      throw .invalid(name, line: bytes.line, error.reason)
    }
  }

  /// Begins with the first row again.
  package func rewind() throws(PlanError) {
    _ = try Self.header(bytes, name)
    isAtEnd = false
  }

  /// Reads up to the first row.
  private static func header(_ bytes: PlanBytes, _ name: String) throws(PlanError) -> PlanHeader {
    try bytes.rewind()
    var text: [UInt8] = []
    while let line = try bytes.nextLine() {
      if line.elementsEqual(PlanFormat.rowsStart.utf8) {
        do { return try PlanHeader(json: parsed(text + "\"rows\":[]}".utf8)) } catch {
          throw .invalid(name, line: 1, error.reason)
        }
      }
      text += line
    }
    throw .invalid(name, line: bytes.line, "expected \(PlanFormat.rowsStart)")
  }

  private static func parsed(_ text: [UInt8]) throws(PlanMembers.Problem) -> JSON {
    // A row is deeper than the values in it.
    do { return try JSON(parsing: text, maximumDepth: JSON.maximumDepth + 8) } catch {
      throw PlanMembers.Problem(reason: error.reason)
    }
  }
}
