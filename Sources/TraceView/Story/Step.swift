import Pages

/// The parties of a run, in the order in which they stand side by side.
enum Party: String, CaseIterable {
  case script, host, browser, authority, tasks, other

  init(_ name: String?) { self = name.flatMap(Party.init(rawValue:)) ?? .other }

  var title: String { self == .tasks ? "Task API" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

/// A row of the sequence diagram: one event, or several alike that are folded into one.
struct Step {
  enum Kind: String {
    /// The script calls a function of the host.
    case call
    case exchange
    /// Something goes from one party to another, and nothing comes back.
    case message
    /// Something happens at one party.
    case note
  }

  enum Tone: String { case plain, good, warn, bad, quiet }

  var kind: Kind
  /// The numbers of the events, the first one in front.
  var events: [Int]
  var at: Int
  var took: Int?
  var from: Party
  var to: Party
  /// `POST token`
  var title: String
  /// The answer: `200`, or words.
  var answer: String?
  var tone = Tone.plain
  /// `sign_in.lua:24`
  var line: String?
  var failure: TraceFailure?
  /// The number of requests or events; more than that of `events` if one event is many requests.
  var count = 1
  /// Steps with the same key may be folded into one; nil for a step that always stands alone.
  var fold: String?
  /// Seconds of the phases, by name, for the waterfall.
  var phases: [(name: String, took: Int)] = []
  var spans: [(at: Int, took: Int)] = []

  var end: Int { at + (took ?? 0) }
  var isFolded: Bool { count > 1 }

  /// Puts a result at its end, below the requests that it took.
  mutating func standAtItsEnd() {
    at = end
    took = nil
  }

  var label: String { isFolded ? "\(title)  ×\u{202F}\(count)" : title }

  /// The seconds since the trace began: `0.031`.
  var time: String { Amount.rounded(Double(at) / 1e6, 3) }

  /// The words for a screen reader: `0.031 s, Host to Authority: POST token, 400, 12 ms, error AADB2C90225`.
  var sentence: String {
    let who = from == to ? from.title : "\(from.title) to \(to.title)"
    var parts = ["\(time) s, \(who): \(title)"]
    if isFolded { parts.append(Amount.count(count, "time")) }
    if let answer, !answer.isEmpty { parts.append(answer) }
    if let took { parts.append(Amount.duration(took)) }
    if let failure { parts.append("error \(failure.code)") }
    if let line, kind == .call { parts.append("at \(line)") }
    return parts.joined(separator: ", ")
  }
}
