import Core
import Files
import HostLoop
import TestSupport

@testable import ImportFormats

/// The rows that the reader of an import makes of a polluted file.
struct PollutedReading {
  /// The names of the columns; nil for a file that was stopped.
  private(set) var columns: [String]?
  /// The rows that would become tasks, with their lines.
  private(set) var rows: [(line: Int, cells: [String])] = []
  /// The lines that failed.
  private(set) var told: [Int] = []
  /// Why the file was stopped before its first row.
  private(set) var doubt: String?

  @HostActor
  init(_ bytes: [UInt8], _ name: String = "tasks.csv") throws {
    let file = TemporaryFile(bytes, name: name)
    let source = try SourceFile(file.path) { try OpenFile(file.path, $0) }
    do throws(ImportError) {
      let reading = try RecordReaders.read(source, format: .csv)
      columns = reading.reader.columns
      let tasks = try FileRowSource(reading, mapping: nil)
      doubt = tasks.doubts.first?.finding
      while doubt == nil, let record = try reading.reader.next() {
        switch record.content {
        // A task without a text fails, too.
        case .row(let row) where row.fields.allSatisfy(\.isEmpty): told.append(row.line)
        case .row(let row): rows.append((row.line, row.fields))
        default: told.append(record.line ?? 0)
        }
      }
    } catch { doubt = error.description }
  }
}

/// The verdict about a reading of a polluted file.
struct PollutedVerdict {
  /// Rows that are not what the file says without its fault, and rows that are lost without a word.
  private(set) var wrong: [String] = []
  private(set) var right = 0
  /// Rows that were not touched and failed.
  private(set) var failed = 0
  let isStopped: Bool
  private let file: PollutedFile
  private let hasHeader: Bool

  init(_ file: PollutedFile, _ reading: PollutedReading) {
    self.file = file
    isStopped = reading.doubt != nil
    hasHeader = file.header == nil || reading.columns == file.header
    guard !isStopped else { return }
    var left = file.rows.map(Self.trimmed)
    for row in reading.rows {
      if let index = left.firstIndex(of: Self.trimmed(row.cells)) {
        left[index] = ["", "", "taken"]
        right += 1
      } else {
        wrong.append("line \(row.line): \(row.cells)")
      }
    }
    for (index, row) in left.enumerated() where row != ["", "", "taken"] {
      if !reading.told.contains(where: file.lines[index].contains) {
        wrong.append("lost without a word: \(row)")
      } else if file.damaged.contains(index) {
        right += 1
      } else {
        failed += 1
      }
    }
  }

  /// A blank at the end of a cell changes no task.
  private static func trimmed(_ cells: [String]) -> [String] {
    cells.map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
  }

  /// Ten for a file that is read right: one for being read, and precision, recall and their mean (F1) of its header, its rows and its
  /// cells.
  var score: Double {
    guard !isStopped else { return file.rows.isEmpty && file.bytes.isEmpty ? 10 : 0 }
    let header = hasHeader ? 3.0 : 0
    let found = Double(right)
    let precision = right + wrong.count == 0 ? 1 : found / (found + Double(wrong.count))
    let recall = file.rows.isEmpty ? 1 : found / Double(file.rows.count)
    let mean = precision + recall == 0 ? 0 : 2 * precision * recall / (precision + recall)
    return 1 + header + 2 * (precision + recall + mean)
  }

  var isRight: Bool { score > 9.999 }
}
