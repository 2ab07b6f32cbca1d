import Core
import JSON
import Trace

extension Step {
  /// The phases of a request, in their order.
  static let phaseNames = ["blocked", "dns", "connect", "tls", "send", "wait", "receive"]

  /// - Parameter event: an `exchange`
  init(exchange event: TraceEvent) {
    let request = event.json["request"] ?? .null
    let method = request["method"]?.string ?? "?"
    let to = Party(event.text("to"))
    let grant = request["body"]?["form"]?.pairs.first { $0.name == "grant_type" }?.value
    let status = event.json["response"]?.integer("status")
    let title = "\(method) \(Self.place(request["url"]?.string ?? "", to))"
    self.init(
      kind: .exchange, events: [event.id], at: event.at, took: event.took, from: Party(event.text("from")), to: to,
      title: grant.map { "\(title) · \($0)" } ?? title)
    failure = event.error
    line = event.line
    answer = status.map(String.init) ?? "no answer"
    tone = failure != nil || (status ?? 400) >= 400 ? .bad : .plain
    let retry = event.json.integer("retry")
    fold =
      "\(from) \(to) \(method) \(Self.pattern(request["url"]?.string ?? "")) \(grant ?? "") \(status ?? 0) \(retry ?? 0)"
    let timings = event.json["timings"] ?? .null
    phases = Self.phaseNames.compactMap { name in timings.integer(name).map { (name, $0) } }
    spans = [(event.at, event.took ?? 0)]
    if let retry { self.title += " · again (\(retry))" }
  }

  /// - Parameter event: `exchanges`; a step for each status.
  static func steps(exchanges event: TraceEvent) -> [Step] {
    let request = event.json["request"] ?? .null
    let url = request["url"]?.string ?? ""
    let method = request["method"]?.string ?? "?"
    let columns = (event.json["columns"]?.array ?? []).map { $0.string ?? "" }
    func column(_ name: String, _ row: [JSON]) -> Int? {
      columns.firstIndex(of: name).flatMap { $0 < row.count ? row[$0].traceInteger : nil }
    }
    var byStatus: [Int: [(at: Int, took: Int)]] = [:]
    for row in event.json["rows"]?.array ?? [] {
      guard let row = row.array, let at = column("at", row) else { continue }
      byStatus[column("status", row) ?? 0, default: []].append((at, column("took", row) ?? 0))
    }
    let (from, to) = (Party(event.text("from")), Party(event.text("to")))
    return byStatus.sorted { $0.value[0].at < $1.value[0].at }.map { status, spans in
      var step = Step(
        kind: .exchange, events: [event.id], at: spans.map(\.at).min() ?? event.at, from: from, to: to,
        title: "\(method) \(place(url, to))")
      step.took = (spans.map { $0.at + $0.took }.max() ?? step.at) - step.at
      step.answer = status == 0 ? "no answer" : String(status)
      step.tone = status == 0 || status >= 400 ? .bad : .plain
      step.line = event.line
      step.count = spans.count
      step.spans = spans
      step.fold = "\(from) \(to) \(method) \(pattern(url))  \(status) 0"
      return step
    }
  }

  /// The short form of an address: at the authority the last part of the path, else the path.
  private static func place(_ url: String, _ to: Party) -> String {
    let path = path(url)
    guard to == .authority else { return to == .other ? WebAddress(url).base : path }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  static func path(_ url: String) -> String {
    let path = WebAddress(url).path
    return path.isEmpty ? "/" : String(path)
  }

  /// The address without its query, IDs taken out, so that requests that differ in those alone are alike.
  private static func pattern(_ url: String) -> String {
    WebAddress(url).base.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.contains(where: \.isNumber) && part.allSatisfy({ $0.isHexDigit || $0 == "-" }) ? "…" : part
    }.joined(separator: "/")
  }
}
