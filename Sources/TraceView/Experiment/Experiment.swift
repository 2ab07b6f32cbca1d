import Core
package import JSON
import Pages
package import Trace

/// The runs of an experiment: one sign-in with different values of its options.
package struct Experiment {
  /// A run with one combination of values.
  package struct Run {
    /// In the order of the experiment's names.
    package let values: [String]
    let trace: RecordedTrace
    /// The file of the trace, open.
    let input: TraceInput
    /// The differences to the first run; empty for that run.
    let differences: [Difference]

    init(_ values: [String], _ input: TraceInput, first: RecordedTrace?) throws(TraceError) {
      self.values = values
      self.input = input
      trace = try RecordedTrace(input)
      differences =
        first.map { [trace] in TraceComparison($0, trace).differences.filter { $0.place != "the run" } } ?? []
    }

    /// The error that ended the run, or that of its last sign-in if this failed.
    var failure: TraceFailure? {
      if let error = trace.events.last(where: { $0.type == "error" })?.error { return error }
      return lastSignIn?.text("outcome") == "failed" ? lastSignIn?.error : nil
    }

    var outcome: String { failure != nil ? "failed" : lastSignIn != nil ? "signed in" : "no sign-in" }

    /// The number of sign-ins of the run, with those that failed.
    package var signIns: Int { trace.events.count { $0.type == "sign_in" } }

    /// The error of the last sign-in, or of the run if it signed nobody in; nil if the last sign-in succeeded.
    var signInFailure: TraceFailure? {
      guard let lastSignIn else { return failure }
      return lastSignIn.text("outcome") == "failed" ? lastSignIn.error : nil
    }

    /// The same as a sentence, for messages.
    package var problem: String? {
      if let failure = signInFailure { return "\(failure.code): \(failure.message)" }
      return lastSignIn == nil ? "it signed nobody in" : nil
    }

    private var lastSignIn: TraceEvent? { trace.events.last { $0.type == "sign_in" } }

    /// The differences in requests and claims, in a few words: names of parameters and claims, and numbers of steps.
    var changes: [String] {
      var names: [String] = []
      for difference in differences {
        guard let kind = difference.name.split(separator: " ").first, ["query", "form", "claim"].contains(kind) else {
          continue
        }
        let key = Facts.key(difference.name)
        if !names.contains(key) { names.append(key) }
      }
      let steps = differences.filter { $0.name.isEmpty }
      let (missing, more) = (steps.count { $0.second == nil }, steps.count { $0.first == nil })
      if missing > 0 { names.append("\(Amount.count(missing, "step")) fewer") }
      if more > 0 { names.append("\(Amount.count(more, "step")) more") }
      return names
    }
  }

  /// The script or the flow.
  package let subject: String
  /// The options and settings that vary, with their values.
  package let varied: [(name: String, values: [String])]
  /// The number of all combinations, of which a sample may have been run.
  package let combinations: Int
  package private(set) var runs: [Run] = []
  /// The results of the deviations, if that is what the experiment tried; run 1 does everything right.
  package var findings: [Finding] = []
  /// The provider of the settings, as the results name it.
  package var provider: String?
  /// The command line, without secrets.
  package var command: String?

  package init(_ subject: String, varied: [(name: String, values: [String])], combinations: Int) {
    self.subject = subject
    self.varied = varied
    self.combinations = combinations
  }

  /// The circumstances of the experiment: its time, the provider, the program and the command.
  var facts: [(name: String, value: String)] {
    let header = runs.first?.trace.header
    let facts = [
      ("date", header?["started"]?.string), ("provider", provider), ("program", header?["program"]?.string),
      ("command", command),
    ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
  }

  /// The same as members of the results.
  var factMembers: [String: JSON] { Dictionary(uniqueKeysWithValues: facts.map { ($0.name, .string($0.value)) }) }

  package mutating func add(_ values: [String], _ input: TraceInput) throws(TraceError) {
    runs.append(try Run(values, input, first: runs.first?.trace))
  }

  /// The runs as a table for the terminal.
  package func text(width: Int?, paint: (String, String) -> String) -> String {
    guard findings.isEmpty else { return findingsText(width: width, paint: paint) }
    let header = ["#"] + varied.map(\.name) + ["outcome", "code", "requests", "time", "differs from the first in"]
    var grid = TextGrid(
      header: header, numeric: [0, header.count - 3, header.count - 2], flexible: header.count - 1)
    for (index, run) in runs.enumerated() {
      let figures = ["\(run.trace.requestCount)", Amount.duration(run.trace.length)]
      var row = TextGrid.Row(
        cells: ["\(index + 1)"] + run.values.map(Self.shown) + [run.outcome, run.failure?.code ?? ""] + figures
          + [run.changes.joined(separator: ", ")])
      row.style = run.failure == nil ? "" : "31"
      grid.rows.append(row)
    }
    return grid.text(width: width, paint) + "\n" + summary + "\n"
  }

  /// `12 of 24 combinations: 8 signed in, 4 failed`
  var summary: String {
    guard findings.isEmpty else { return findingsSummary }
    let some = runs.count == combinations ? "" : "\(runs.count) of "
    let outcomes = ["signed in", "failed", "no sign-in"].compactMap { outcome in
      let count = runs.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome)"
    }
    return "\(some)\(Amount.count(combinations, "combination")): \(outcomes.joined(separator: ", "))"
  }

  package var json: JSON {
    guard findings.isEmpty else { return findingsJSON }
    let members: [String: JSON] = [
      "script": .string(subject), "combinations": .integer(Int64(combinations)),
      "vary": .array(
        varied.map {
          .object(["name": .string($0.name), "values": .array($0.values.map { .string($0) })])
        }), "runs": .array(runs.map(json)),
    ]
    return .object(members.merging(factMembers) { own, _ in own })
  }

  func json(_ run: Run) -> JSON {
    var members: [String: JSON] = [
      "values": .object(Dictionary(uniqueKeysWithValues: zip(varied.map(\.name), run.values.map { .string($0) }))),
      "outcome": .string(run.outcome), "requests": .integer(Int64(run.trace.requestCount)),
      "microseconds": .integer(Int64(run.trace.length)),
      "differences": .array(
        run.differences.map { difference in
          var members: [String: JSON] = ["where": .string(difference.place), "what": .string(difference.name)]
          members["first"] = difference.first.map { .string($0) }
          members["here"] = difference.second.map { .string($0) }
          return .object(members)
        }),
    ]
    if let failure = run.failure {
      members["code"] = .string(failure.code)
      members["message"] = .string(failure.message)
    }
    return .object(members)
  }

  /// An empty value stands for an option that is not given.
  static func shown(_ value: String) -> String { value.isEmpty ? "–" : value }
}
