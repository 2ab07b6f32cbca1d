package import HTTPClient
import HostLoop
import JSON

/// Requests alike, one after the other, as numbers: an import sends a million of them.
struct ExchangeSeries {
  /// So many are a line.
  static let most = 256
  /// Seconds after which a line is written, when the next one comes.
  static let longest = 0.25

  let post: ObjectIdentifier
  let url: String
  let place: TracePlace
  let members: [String: JSON]
  let start: Double
  var end = 0.0
  /// `columns`, one exchange behind the other.
  var numbers: [Int64] = []

  static let columns = ["at", "took", "status", "sent", "received"]

  mutating func append(at time: Int64, _ took: Int64, _ status: Int64, _ sent: Int64, _ received: Int64) {
    numbers.append(time)
    numbers.append(took)
    numbers.append(status)
    numbers.append(sent)
    numbers.append(received)
  }

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
      if index % Self.columns.count == 0 {
        bytes += (index == 0 ? "[" : "],[").utf8
      } else {
        bytes.append(UInt8(ascii: ","))
      }
      Self.append(number, to: &bytes)
    }
    bytes += (numbers.isEmpty ? "]" : "]]").utf8
    return bytes
  }

  /// Its decimal digits. `String(number)` would make a string of each.
  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    guard number >= 10 else {
      bytes.append(UInt8(ascii: "0") + UInt8(max(0, number)))
      return
    }
    let start = bytes.count
    var rest = number
    while rest > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    bytes[start...].reverse()
  }
}

/// How many there have been of what is alike.
struct SeriesCount {
  var whole = 0
  var unusual = 0
  var inSeries = 0

  /// So many are recorded like any other exchange before the rest is numbers, and so many of those that fail or are sent
  /// again.
  static let mostWhole = 20
  static let mostUnusual = 1000
}

extension TraceRecorder {
  package func record(
    _ post: PreparedPost, body: [UInt8], field: HTTPHeaders.Field?, _ result: Result<HTTPResponse, HTTPError>,
    _ measure: ExchangeMeasure
  ) {
    let status: Int
    let received: Int
    switch result {
    case .success(let response): (status, received) = (response.status, response.body.count)
    case .failure: (status, received) = (0, 0)
    }
    // Of what is sent again the number would be lost.
    let isUsual = (200..<300).contains(status) && (RetryNumber.current ?? 0) == 0
    let key = ObjectIdentifier(post)
    if series?.post != key { flushSeries() }
    // Where there is a series, the first ones are over.
    if !isUsual || series == nil, isWhole(post, isUsual) { return recordWhole(post, body, field, result, measure) }
    if series == nil { series = makeSeries(post, key) }
    series?.append(
      at: microseconds(at: measure.start), Int64(measure.duration), Int64(status), Int64(body.count), Int64(received))
    series?.end = measure.end
    if let series,
      series.numbers.count >= ExchangeSeries.most * ExchangeSeries.columns.count
        || measure.end - series.start > ExchangeSeries.longest
    {
      flushSeries()
    }
  }

  private func isWhole(_ post: PreparedPost, _ isUsual: Bool) -> Bool {
    guard isUsual else {
      seriesCounts[post.url, default: SeriesCount()].unusual += 1
      return seriesCounts[post.url, default: SeriesCount()].unusual <= SeriesCount.mostUnusual
    }
    seriesCounts[post.url, default: SeriesCount()].whole += 1
    return seriesCounts[post.url, default: SeriesCount()].whole <= SeriesCount.mostWhole
  }

  private func recordWhole(
    _ post: PreparedPost, _ body: [UInt8], _ field: HTTPHeaders.Field?, _ result: Result<HTTPResponse, HTTPError>,
    _ measure: ExchangeMeasure
  ) {
    let place = TracePlace.current
    var members = head(post.url, measure, place)
    var headers = post.sentHeaders
    if let field { headers.append(field.name, field.value) }
    headers.append("Content-Length", String(body.count))
    members["request"] = request("POST", post.url, headers, self.body(body, headers["Content-Type"], nil))
    add(result, measure, nil, to: &members)
    members.merge(place.members) { own, _ in own }
    write("exchange", at: measure.start, members: members)
  }

  private func makeSeries(_ post: PreparedPost, _ key: ObjectIdentifier) -> ExchangeSeries {
    let place = TracePlace.current
    // Of the same post they are the same, and looking through them costs as much as the numbers do.
    let request = lastSeries?.post === post ? lastSeries?.request : nil
    let members: [String: JSON] = [
      "from": .string(asker(place).rawValue), "to": .string(parties.asked(post.url).rawValue),
      "request": request ?? self.request("POST", post.url, post.sentHeaders, nil),
    ]
    lastSeries = members["request"].map { (post, $0) }
    return ExchangeSeries(
      post: key, url: post.url, place: place, members: members, start: HostLoop.uptime)
  }

  /// Writes what there is of the series.
  func flushSeries() {
    guard let series else { return }
    self.series = nil
    let first = series.numbers.first ?? 0
    let count = series.numbers.count / ExchangeSeries.columns.count
    seriesCounts[series.url, default: SeriesCount()].inSeries += count
    write(series: series.line(took: microseconds(at: series.end) - first), type: "exchanges", at: first)
  }
}
