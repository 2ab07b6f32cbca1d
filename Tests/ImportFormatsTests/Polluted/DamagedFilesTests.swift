import HostLoop
import TestSupport
import Testing

@testable import ImportFormats

/// A file that is cut off, or in which one byte is another, gives no invented row. Each task is a row of the file before the
/// damage, or of the damaged file as RFC 4180 reads it. All other rows fail by their lines.
struct DamagedFilesTests {
  /// The rows of a text by RFC 4180. A quote in a field that does not begin with one is a character like others.
  static func plainRows(_ text: [UInt8], separator: UInt8) -> Set<[String]> {
    var rows: Set<[String]> = []
    var (cells, cell): ([String], [UInt8]) = ([], [])
    var (isQuoted, wasQuoted) = (false, false)
    var index = 0
    func end() {
      cells.append(String(decoding: cell, as: UTF8.self))
      (cell, wasQuoted) = ([], false)
    }
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: "\"") {
        if isQuoted, index < text.count, text[index] == byte {
          cell.append(byte)
          index += 1
        } else if isQuoted || cell.isEmpty, !wasQuoted {
          isQuoted.toggle()
          wasQuoted = !isQuoted
        } else {
          cell.append(byte)
        }
      } else if byte == separator, !isQuoted {
        end()
      } else if byte == 10 || byte == 13, !isQuoted {
        end()
        rows.insert(cells)
        cells = []
      } else {
        cell.append(byte)
      }
    }
    end()
    rows.insert(cells)
    return rows
  }

  /// The same numbers in each run.
  private struct Numbers {
    var state: UInt64 = 4180

    mutating func next(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  @Test(arguments: [",", ";", "\t"]) @HostActor
  func noRowIsMadeUp(separator: String) async throws {
    var table = WrittenTable.tasks
    table.separator = separator
    let text = Array(table.text(table.cells).utf8)
    let mark = Array(separator.utf8)[0]
    let before = Set(table.rows)
    var numbers = Numbers()
    for round in 0..<60 {
      var damaged = text
      if round % 5 == 0 {
        damaged.removeLast(numbers.next(below: text.count - 100))
      } else {
        let place = 60 + numbers.next(below: text.count - 60)
        let bytes = Array("\"\"\"\n\(separator)x 0".utf8)
        damaged[place] = bytes[numbers.next(below: bytes.count)]
      }
      let reading = try PollutedReading(damaged)
      let plain = Self.plainRows(damaged, separator: mark)
      for row in reading.rows where !before.contains(row.cells) && !plain.contains(row.cells) {
        Issue.record("round \(round), line \(row.line): \(row.cells)")
      }
      await Task.yield()
    }
  }
}
