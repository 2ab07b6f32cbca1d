import ImportFormats
import JSON
import TaskAPI

/// Writes tasks one after the other in a format that the readers take.
protocol TaskWriter {
  mutating func begin(_ output: inout [UInt8])
  /// Appends one task. Throws an error that names it if the format cannot hold it.
  mutating func add(_ task: APITask, to output: inout [UInt8]) throws(ImportError)
  mutating func end(_ output: inout [UInt8])
  /// The facts that the file does not hold, a sentence each, for people.
  var notes: [String] { get }
}

extension TaskWriter {
  mutating func begin(_ output: inout [UInt8]) {}
  mutating func end(_ output: inout [UInt8]) {}
  var notes: [String] { [] }
}

extension SourceFormat {
  /// - Parameters:
  ///   - separator: between the fields of a CSV file; nil for a comma.
  ///   - isForSpreadsheet: true to guard the cells of a table that a spreadsheet would run.
  func writer(separator: Character?, isForSpreadsheet: Bool = false) throws(ImportError) -> any TaskWriter {
    if let separator { try check(separator) }
    if isForSpreadsheet, self != .csv, self != .tsv {
      throw ImportError(
        kind: .noCells, message: "for_spreadsheet: a file of the format \(rawValue) has no cells to guard",
        hint: "give the format csv or tsv, or leave out --for-spreadsheet (for_spreadsheet in a script)")
    }
    return switch self {
    case .csv:
      SeparatedTaskWriter(separator: separator?.asciiValue ?? UInt8(ascii: ","), isGuarded: isForSpreadsheet)
    case .tsv: SeparatedTaskWriter(separator: UInt8(ascii: "\t"), isGuarded: isForSpreadsheet)
    case .json: JSONTaskWriter(isArray: true)
    case .ndjson: JSONTaskWriter(isArray: false)
    case .text: TextTaskWriter()
    case .todotxt: TodoTaskWriter()
    case .taskwarrior: JSONTaskWriter(isArray: true, members: TaskwarriorTask.members)
    }
  }

  private func check(_ separator: Character) throws(ImportError) {
    guard self == .csv else {
      throw ImportError(
        kind: .invalidSeparator, message: "a file of the format \(rawValue) has no separator to choose",
        hint: "the separator is for CSV files: give the format csv, or no separator")
    }
    guard separator.isASCII, !"\"\r\n".contains(separator) else {
      throw ImportError(
        kind: .invalidSeparator,
        message: "the separator is \"\(separator)\", expected one ASCII character other than a quote or line break")
    }
  }
}

extension APITask {
  /// The name in messages: the ID, if there is one.
  var called: String { writtenID.map { "the task \($0)" } ?? "the task \"\(text.prefix(40))\"" }

  var writtenID: String? { id.map { $0.string ?? $0.encoded() } }

  func unwritable(_ format: SourceFormat, because reason: String) -> ImportError {
    ImportError(
      kind: .notRepresentable, message: "\(called) cannot be written as \(format.rawValue): \(reason)",
      hint: "nothing was written; csv, tsv, json, ndjson and taskwarrior hold any text",
      details: writtenID.map { ["id": $0] } ?? [:])
  }
}
