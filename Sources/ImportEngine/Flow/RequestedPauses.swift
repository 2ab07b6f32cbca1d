/// Decides whether a `Retry-After` (RFC 9110, 10.2.3) holds one row or all rows.
///
/// The answer to a row holds that row; the others continue. All rows are held as soon as an answer says that it is
/// about all requests (a quota is spent), or a second row gets a `Retry-After` before a request succeeds that was begun
/// after the first one. All rows are held for the shortest of the times, so that one row with a long time cannot hold
/// the others; that row waits its own time. Times are seconds on one monotonic clock.
package struct RequestedPauses: Sendable {
  /// The end of the wait of each row since the last success, by the row's number.
  private var ends: [Int: Double] = [:]
  /// The time of the first of these answers.
  private var since = 0.0

  package mutating func succeeded(begun: Double) { if !ends.isEmpty, begun >= since { ends.removeAll() } }

  /// The server asked for a pause of so many seconds. Returns the end of a pause for all; nil if only the row waits.
  /// - Parameter isAboutAll: true if the answer is about all requests, or if there is no other row.
  package mutating func asked(row: Int, seconds: Double, isAboutAll: Bool, at time: Double) -> Double? {
    if isAboutAll { return time + seconds }
    ends = ends.filter { $0.value > time || $0.key == row }
    if ends.isEmpty { since = time }
    ends[row] = time + seconds
    return ends.count > 1 ? ends.values.min() : nil
  }
}
