import JSON

/// The steps of a run in the order of time, as the rows of a diagram.
struct Story {
  private(set) var steps: [Step] = []
  /// The parties; script and host always take part.
  private(set) var parties: [Party] = []

  /// - Parameter mostAlike: the number of similar steps that stay apart; more are folded into one.
  init(_ trace: RecordedTrace, mostAlike: Int = 3) {
    var sections = Sections()
    var places: [String: [Int]] = [:]
    for event in trace.events {
      var new = Step.steps(of: event)
      guard !new.isEmpty else { continue }
      // Most errors that end the script have been explained at their place.
      if event.type == "error", let failure = event.error, steps.contains(where: { $0.failure == failure }) {
        new[0].title += ": \(failure.code)"
        new[0].failure = nil
      }
      let (section, opened) = sections.section(of: event)
      if opened, let call = event.call {
        var step = Step(event, .call, .script, .host, call)
        step.failure = nil
        step.tone = .plain
        step.took = nil
        steps.append(step)
      }
      for step in new {
        if step.kind == .message { sections.pass() }
        if let fold = step.fold {
          places["\(section) \(sections.turn) \(fold)", default: []].append(steps.count)
        }
        steps.append(step)
      }
    }
    fold(places, mostAlike)
    steps = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    let present = Set(steps.flatMap { [$0.from, $0.to] } + [.script, .host])
    parties = Party.allCases.filter(present.contains)
  }

  /// Folds similar steps of the same call into one.
  private mutating func fold(_ places: [String: [Int]], _ mostAlike: Int) {
    var gone = Set<Int>()
    for indices in places.values {
      let count = indices.reduce(0) { $0 + steps[$1].count }
      guard indices.count > 1, count > mostAlike else { continue }
      var folded = steps[indices[0]]
      for index in indices.dropFirst() {
        folded.events += steps[index].events
        folded.spans += steps[index].spans
        folded.took = max(folded.end, steps[index].end) - folded.at
      }
      folded.count = count
      folded.phases = []
      steps[indices[0]] = folded
      gone.formUnion(indices.dropFirst())
    }
    steps = steps.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
  }
}

/// The calls of the script that events belong to. An event has a line and a coroutine, but no call, so a call begins where a
/// coroutine comes to another line. Coroutines that do the same side by side share one.
private struct Sections {
  private struct Key: Hashable {
    var line: String?
    var call: String?
  }

  private var latest: [Key: Int] = [:]
  private var current: [Int: (key: Key, section: Int)] = [:]
  /// The coroutines that have left a section.
  private var left: [Int: Set<Int>] = [:]
  private var turns: [Int: Int] = [:]
  private var count = 0
  /// Counts messages, such as redirects: steps before and after one are not folded together.
  private(set) var turn = 0

  mutating func pass() { turn += 1 }

  /// - Returns: the number of the section, and whether it begins with this event.
  mutating func section(of event: TraceEvent) -> (Int, isNew: Bool) {
    let coroutine = event.coroutine ?? 0
    // A log line of a hook stands within the call that the hook was called for.
    guard event.line != nil, event.json["within"] == nil else {
      return (current[coroutine]?.section ?? 0, false)
    }
    let key = Key(line: event.line, call: event.call)
    defer { turns[current[coroutine]?.section ?? 0] = turn }
    if let place = current[coroutine] {
      if place.key == key { return (place.section, false) }
      left[place.section, default: []].insert(coroutine)
    }
    if let section = latest[key], turns[section] == turn, left[section]?.contains(coroutine) != true {
      current[coroutine] = (key, section)
      return (section, false)
    }
    count += 1
    latest[key] = count
    current[coroutine] = (key, count)
    return (count, true)
  }
}
