import Core
import HostLoop
import SQL

/// The rows that cannot be read, and messages that nobody with the key has sent, as far as they were told already.
@HostActor
final class DamagedRows {
  private var told: Set<String> = []
  var tell: (@HostActor (String) -> Void)?

  func note(_ error: any Failure, at place: String) {
    guard let tell, told.insert(error.message).inserted else { return }
    tell(error is DamagedRow ? "\(error)" : "\(place): \(error)")
  }
}

extension JobStore {
  /// The rows that can be read. The others are told of once.
  func readable<Value>(_ rows: [RowReader], _ read: @HostActor (RowReader) throws(DamagedRow) -> Value) -> [Value] {
    rows.compactMap { row in
      do throws(DamagedRow) { return try read(row) } catch {
        damaged.note(error, at: place)
        return nil
      }
    }
  }

  /// Calls `tell` with the first sight of each row that cannot be read.
  package func onDamage(_ tell: @escaping @HostActor (String) -> Void) { damaged.tell = tell }
}
