package import Core
package import HostLoop

/// The rows of a database that cannot be read, and other faults of it, as far as they were told already. One damaged row
/// stops no others.
@HostActor
package final class DamagedRows {
  private var told: Set<String> = []
  /// Gets a sentence for each fault, once; nil while nobody listens.
  package var tell: (@HostActor (String) -> Void)?

  package nonisolated init() {}

  package func note(_ error: any Failure, at place: String) {
    guard let tell, told.insert(error.message).inserted else { return }
    tell(error is DamagedRow ? "\(error)" : "\(place): \(error)")
  }

  /// The rows that can be read. The others are told of once.
  package func readable<Value>(
    _ rows: [RowReader], _ read: @HostActor (RowReader) throws(DamagedRow) -> Value
  ) -> [Value] {
    rows.compactMap { row in
      do throws(DamagedRow) { return try read(row) } catch {
        note(error, at: row.place)
        return nil
      }
    }
  }
}
