import HTTPClient
import HostLoop
import JSON

/// Similar requests, one after the other, as numbers: an import sends a million of them.
struct ExchangeSeries {
  static let most = 256
  /// The seconds after which a line is written when the next request comes.
  static let longest = 0.25

  let post: ObjectIdentifier
  let place: EventPlace
  let members: [String: JSON]
  let start: Double
  var end = 0.0
  /// The values of `columns`, one exchange behind the other.
  var numbers: [Int64] = []

  static let columns = ["at", "took", "status", "sent", "received"]

  /// The event's members as JSON, without a brace at the end. `rows` is written by hand: it is nearly all of it.
  func line(took: Int64) -> [UInt8] {
    var all = members
    all["took"] = .integer(took)
    all["columns"] = .array(Self.columns.map { .string($0) })
    all.merge(place.members) { own, _ in own }
    var bytes = Array(JSON.object(all).encoded().utf8.dropLast())
    bytes.reserveCapacity(bytes.count + numbers.count * 8 + 64)
    bytes += #","rows":["#.utf8
    for (index, number) in numbers.enumerated() {
      bytes += (index == 0 ? "[" : index.isMultiple(of: Self.columns.count) ? "],[" : ",").utf8
      // A short text takes no memory of its own.
      bytes += String(max(0, number)).utf8
    }
    bytes += (numbers.isEmpty ? "]" : "]]").utf8
    return bytes
  }
}

struct SeriesLog {
  /// The series under way, until it is written.
  var current: ExchangeSeries?
  /// The POST of the last series, and its request as it is written.
  var last: (post: PreparedPost, request: JSON)?
  var count = 0
  /// The numbers of requests outside of series, by their URL.
  private var others: [String: (usual: Int, unusual: Int)] = [:]
  /// The first requests are recorded like any other exchange, and so are those that fail or are sent again.
  private static let mostOthers = (usual: 20, unusual: 1000)

  /// Counts a request outside of a series. Returns true if it is to be recorded like any other.
  mutating func isWhole(_ url: String, isUsual: Bool) -> Bool {
    var counts = others[url, default: (0, 0)]
    if isUsual { counts.usual += 1 } else { counts.unusual += 1 }
    others[url] = counts
    return isUsual ? counts.usual <= Self.mostOthers.usual : counts.unusual <= Self.mostOthers.unusual
  }
}

extension TraceRecorder {
  /// Returns false for an exchange that is to be recorded like any other.
  func addToSeries(_ exchange: RecordedExchange, _ post: PreparedPost, _ events: Events) -> Bool {
    let response = try? exchange.result.get()
    let status = response?.status ?? 0
    // A series would lose the number of a retry.
    let isUsual = (200..<300).contains(status) && RequestScope.current.retries == 0
    let key = ObjectIdentifier(post)
    if series.current?.post != key { flushSeries() }
    // During a series, the first ones are over.
    if !isUsual || series.current == nil, series.isWhole(post.url, isUsual: isUsual) { return false }
    var current = series.current ?? makeSeries(post, key, events.currentPlace())
    // In place: a copy of the numbers would cost more than everything else here.
    series.current = nil
    current.numbers.append(microseconds(at: exchange.measure.start))
    for number in [exchange.measure.duration, status, exchange.request.body?.count ?? 0, response?.body.count ?? 0] {
      current.numbers.append(Int64(number))
    }
    current.end = exchange.measure.end
    series.current = current
    if current.numbers.count >= ExchangeSeries.most * ExchangeSeries.columns.count
      || current.end - current.start > ExchangeSeries.longest
    {
      flushSeries()
    }
    return true
  }

  private func makeSeries(_ post: PreparedPost, _ key: ObjectIdentifier, _ place: EventPlace) -> ExchangeSeries {
    // The request of the same post is the same, and looking through it costs as much as the numbers do.
    let request =
      series.last?.post === post ? series.last?.request : self.request("POST", post.url, post.sentHeaders, nil)
    series.last = request.map { (post, $0) }
    return ExchangeSeries(
      post: key, place: place,
      members: [
        "from": .string(asker(place)), "to": .string(parties.asked(post.url)), "request": request ?? .null,
      ], start: HostLoop.uptime)
  }

  func flushSeries() {
    guard let current = series.current else { return }
    series.current = nil
    let first = current.numbers.first ?? 0
    series.count += current.numbers.count / ExchangeSeries.columns.count
    write(series: current.line(took: microseconds(at: current.end) - first), at: first)
  }
}
