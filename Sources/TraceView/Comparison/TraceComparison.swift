import Core
import Pages

struct Difference: Equatable {
  /// The place: `browser → authority GET authorize`, `[id token #1]`.
  var place: String
  /// The fact: `query code_challenge_method`, `claim tfp`.
  var name: String
  var first: String?
  var second: String?

  /// Both values for the terminal; `–` stands for none.
  var shown: [String] { [first, second].map { ($0 ?? "–").displayable } }
}

/// The differences between two runs.
package struct TraceComparison {
  let first: RecordedTrace
  let second: RecordedTrace
  let stories: (first: Story, second: Story)
  /// In the order of time.
  private(set) var differences: [Difference] = []
  /// The names of values that are new in each run, as far as there were some.
  private(set) var changing: [String] = []
  /// Steps that differ, or are in one of the stories only, by their places.
  private(set) var marked: (first: Set<Int>, second: Set<Int>) = ([], [])
  private(set) var timings: [Timing] = []
  /// True if each authority knows the same user by another ID.
  private var hasOwnDirectories = false

  /// The microseconds that the same step took in both.
  struct Timing {
    var place: String
    var first: Int
    var second: Int

    /// `+12 ms`
    var difference: String {
      abs(second - first) < 50
        ? "=" : second < first ? "−\(Amount.duration(first - second))" : "+\(Amount.duration(second - first))"
    }
  }

  package init(_ first: RecordedTrace, _ second: RecordedTrace) {
    self.first = first
    self.second = second
    // Three requests and four are a difference of their number.
    stories = (Story(first, mostAlike: 1), Story(second, mostAlike: 1))
    compareRuns()
    compareSteps()
    compareTokens()
    timings.append(Timing(place: "all of it", first: first.length, second: second.length))
    changing = Set(changing).sorted()
  }

  private mutating func compareRuns() {
    if first.script != second.script { add("the run", "script", first.script, second.script) }
    for party in ["authority", "tasks"] {
      let addresses = [first, second].map { trace in
        Set(trace.addresses.filter { $0.party == party }.map(\.url)).sorted().joined(separator: ", ")
      }
      guard addresses[0] != addresses[1] else { continue }
      if Self.withoutPort(addresses[0]) == Self.withoutPort(addresses[1]) {
        changing.append("the port of the \(party == "tasks" ? "task API" : party)")
        // A tenant of its own each time, which gives its users other IDs.
        if party == "authority" { hasOwnDirectories = true }
      } else {
        add("the run", "\(party)", addresses[0], addresses[1])
      }
    }
    if first.exitStatus != second.exitStatus {
      add("the run", "exit status", first.exitStatus.map(String.init), second.exitStatus.map(String.init))
    }
  }

  /// A tenant on this machine has another port each time.
  private static func withoutPort(_ addresses: String) -> String { addresses.replacing(#/:\d+/#, with: "") }

  private mutating func compareSteps() {
    let events = (Self.byID(first), Self.byID(second))
    for pair in Alignment.pairs(stories.first.steps.map(Self.identity), stories.second.steps.map(Self.identity)) {
      let (one, other) = (pair.first.map { stories.first.steps[$0] }, pair.second.map { stories.second.steps[$0] })
      guard let one, let other else {
        if let step = one ?? other, step.kind != .call {
          add(Self.place(step), "", one.map(Self.outcome), other.map(Self.outcome))
        }
        mark(pair)
        continue
      }
      let before = differences.count
      if one.kind != .call, let left = events.0[one.events[0]], let right = events.1[other.events[0]] {
        compare(Self.place(one), facts(left, first), facts(right, second))
        if one.count != other.count { add(Self.place(one), "count", "\(one.count)", "\(other.count)") }
      }
      if differences.count > before { mark(pair) }
      if one.kind == .exchange, let left = one.took, let right = other.took {
        timings.append(Timing(place: Self.place(one), first: left, second: right))
      }
    }
  }

  private mutating func mark(_ pair: (first: Int?, second: Int?)) {
    if let index = pair.first { marked.first.insert(index) }
    if let index = pair.second { marked.second.insert(index) }
  }

  private mutating func compareTokens() {
    let tokens = (SeenToken.all(first), SeenToken.all(second))
    for pair in Alignment.pairs(tokens.0.map(\.kind), tokens.1.map(\.kind)) {
      let (one, other) = (pair.first.map { tokens.0[$0] }, pair.second.map { tokens.1[$0] })
      if let one, let other {
        compare(one.label, facts(one.event, first), facts(other.event, second))
      } else {
        add((one ?? other)?.label ?? "token", "", one == nil ? nil : "there", other == nil ? nil : "there")
      }
    }
  }

  private mutating func compare(_ place: String, _ one: Facts, _ other: Facts) {
    let values = Dictionary(other.list.map { ($0.name, $0.value) }) { first, _ in first }
    let names = Set(one.list.map(\.name))
    for (name, value) in one.list where values[name] != value {
      // A parameter of the authorization URL is seen on its way several times.
      if isSeen(name, value, values[name]) { continue }
      // Something that changes is one only where it is in both: that it is missing is a difference.
      guard Facts.isChanging(name) || hasOwnDirectories && Facts.isUserID(name), let match = values[name] else {
        add(place, name, value, values[name])
        continue
      }
      let kinds = (Facts.kind(name, value), Facts.kind(name, match))
      if kinds.0 == kinds.1 {
        changing.append(Facts.key(name))
      } else if !isKnown(name, kinds.0 ?? value, kinds.1 ?? match) {
        add(place, name, kinds.0 ?? value, kinds.1 ?? match)
      }
    }
    for (name, value) in other.list where !names.contains(name) && !isSeen(name, nil, value) {
      add(place, name, nil, value)
    }
  }

  /// True for a parameter of the authorization request whose difference was seen before: on the way of its URL, or in the
  /// request that pushed it.
  private func isSeen(_ name: String, _ first: String?, _ second: String?) -> Bool {
    guard name.hasPrefix("query ") else { return isKnown(name, first, second) }
    return isKnown(name, first, second) || isKnown("form \(name.dropFirst(6))", first, second)
  }

  private func isKnown(_ name: String, _ first: String?, _ second: String?) -> Bool {
    differences.contains { $0.name == name && $0.first == first && $0.second == second }
  }

  private mutating func add(_ place: String, _ name: String, _ first: String?, _ second: String?) {
    differences.append(Difference(place: place, name: name, first: first, second: second))
  }

  private func facts(_ event: TraceEvent, _ trace: RecordedTrace) -> Facts {
    (event.type == "exchange" ? Facts(exchange: event) : Facts(event: event))
      .adding(trace.pushedParameters(of: event)).naming(trace.addresses)
  }

  private static func byID(_ trace: RecordedTrace) -> [Int: TraceEvent] {
    Dictionary(trace.events.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The key by which steps of two runs count as the same.
  private static func identity(_ step: Step) -> String {
    // An answer with figures or a name is a fact, not what the step is.
    let title = step.kind == .note || step.kind == .message ? String(step.title.prefix { $0 != ":" }) : step.title
    return "\(step.kind) \(step.from) \(step.to) \(title)"
  }

  static func place(_ step: Step) -> String {
    step.from == step.to
      ? "\(step.from.rawValue): \(step.title)" : "\(step.from.rawValue) → \(step.to.rawValue) \(step.title)"
  }

  private static func outcome(_ step: Step) -> String { step.failure?.code ?? step.answer ?? "there" }
}
