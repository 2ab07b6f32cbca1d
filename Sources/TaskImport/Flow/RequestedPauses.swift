/// Decides whom a `Retry-After` holds (RFC 9110, 10.2.3): the row that got it, or all rows.
///
/// The answer to one row holds that row; the others go on. All rows are held as soon as the answer says that it is about
/// all requests (a quota is spent), or a second row gets a `Retry-After` before a request that was begun after the first
/// one succeeds. All are held for the shortest time that was asked for, so that one row with a long time cannot hold
/// the others for it; that row waits its own time.
///
/// Times are seconds on one monotonic clock.
package struct RequestedPauses: Sendable {
  /// Until when each row was asked to wait, by its number, since the last success.
  private var ends: [Int: Double] = [:]
  /// When the first of these was asked.
  private var since = 0.0

  package init() {}

  /// A request that was begun then has succeeded.
  package mutating func succeeded(begun: Double) { if !ends.isEmpty, begun >= since { ends.removeAll() } }

  /// The server asked for a pause of so many seconds.
  /// - Parameters:
  ///   - row: the number of the row whose request was answered so.
  ///   - isAboutAll: whether the answer says that it is about all requests, or there is no other row.
  /// - Returns: until when all rows are held; nil where the row alone is.
  package mutating func asked(row: Int, seconds: Double, isAboutAll: Bool, at time: Double) -> Double? {
    if isAboutAll { return time + seconds }
    ends = ends.filter { $0.value > time || $0.key == row }
    if ends.isEmpty { since = time }
    ends[row] = time + seconds
    return ends.count > 1 ? ends.values.min() : nil
  }
}
