import Core
import HostLoop
import SQL

/// The numbers of a row. A number that the program never writes makes a row damaged: nothing is computed with it.
struct StoredNumbers {
  private let row: Row
  /// The row as messages name it: `the row 17 of the table run`.
  private let name: String

  /// In milliseconds since 1970: the end of the year 9999.
  static let latest: Int64 = 253_402_300_799_999
  /// The time in milliseconds since 1970 that can be stored, and is next to `given`.
  static func time(_ given: Int64) -> Int64 { min(max(0, given), latest) }

  /// The same for a number of seconds, which may be any.
  static func time(seconds: Double) -> Int64 { seconds > 0 ? Int64(min(seconds * 1000, Double(latest))) : 0 }

  /// The most of anything that is counted.
  private static let most = Int64(Int32.max)

  init(_ row: Row, _ table: String, _ key: String) {
    self.row = row
    name = "the row \(key.displayable.clipped(to: 100)) of the table \(table)"
  }

  func time(_ column: String) throws(JobError) -> Int64? { try integer(column, most: Self.latest) }

  func count(_ column: String) throws(JobError) -> Int { Int(try integer(column, most: Self.most) ?? 0) }

  /// In milliseconds.
  func length(_ column: String) throws(JobError) -> Int64 { try integer(column, most: Self.latest) ?? 0 }

  /// In seconds since 1970.
  func seconds(_ column: String) throws(JobError) -> Double {
    guard let value = row[column].real else { return 0 }
    guard value >= 0, value <= Double(Self.latest) else { throw damaged(column, "\(value)") }
    return value
  }

  private func integer(_ column: String, most: Int64) throws(JobError) -> Int64? {
    guard let value = row[column].integer else { return nil }
    guard (0...most).contains(value) else { throw damaged(column, "\(value)") }
    return value
  }

  private func damaged(_ column: String, _ value: String) -> JobError {
    JobError("damaged", "\(name) is damaged: \(column) is \(value)", hint: "correct the row, or delete it")
  }
}

/// The damaged rows that were told already.
@HostActor
final class DamagedRows {
  private var told: Set<String> = []
  var tell: (@HostActor (String) -> Void)?

  func note(_ error: JobError, at place: String) {
    guard let tell, told.insert(error.message).inserted else { return }
    tell("\(place): \(error)")
  }
}

extension JobStore {
  /// The rows that can be read. The others are told of once.
  func readable<Value>(_ rows: [Row], _ read: @HostActor (Row) throws(JobError) -> Value) -> [Value] {
    rows.compactMap { row in
      do throws(JobError) { return try read(row) } catch {
        damaged.note(error, at: place)
        return nil
      }
    }
  }

  /// Calls `tell` with the first sight of each row that cannot be read.
  package func onDamage(_ tell: @escaping @HostActor (String) -> Void) { damaged.tell = tell }
}
