package import HostLoop
import Lua
import LuaKit

/// Runs test files: each test in a new Lua state, with a new local tenant in memory.
@HostActor
package final class TestRunner {
  /// The suffix of the names of test files.
  package nonisolated static let fileEnding = TestFile.suffix

  private let bench: any TestBench
  /// Selects the tests whose names contain this text, ignoring letter case.
  private let filter: String?
  private let reports: [any TestReport]
  private var totals = TestTotals()

  package init(_ bench: any TestBench, filter: String?, reports: [any TestReport]) {
    self.bench = bench
    self.filter = filter
    self.reports = reports
  }

  /// Runs the tests in files and folders; an empty list means the current folder. The reports are ended in any case.
  /// - Throws: `usage` if there is nothing to test, and `CancellationError`.
  package func run(_ paths: [String]) async throws -> TestTotals {
    let start = HostLoop.uptime
    let files = try TestFile.find(paths)
    var broken: [TestOutcome] = []
    var cases: [TestCase] = []
    for file in files {
      let loaded = try await bench.load(file)
      if let failure = loaded.failure { broken.append(failure) }
      cases += loaded.cases
    }
    let chosen = try choose(cases, orElse: broken)
    for report in reports { report.begin(broken.count + chosen.count) }
    defer {
      totals.seconds = HostLoop.uptime - start
      for report in reports { report.end(totals) }
    }
    for outcome in broken { add(outcome) }
    for test in chosen { add(try await run(test)) }
    return totals
  }

  private func choose(_ cases: [TestCase], orElse broken: [TestOutcome]) throws -> [TestCase] {
    let filter = filter?.lowercased()
    let chosen = cases.filter { test in
      filter.map { test.names.joined(separator: " ").lowercased().contains($0) } ?? true
    }
    guard chosen.isEmpty, broken.isEmpty else { return chosen }
    throw self.filter.map { LuaError.usage("test: none of the \(cases.count) tests has '\($0)' in its name") }
      ?? .usage("test: no tests: the files declare none", hint: "it(\"what holds\", function() … end)")
  }

  private func add(_ outcome: TestOutcome) {
    totals.add(outcome.status)
    for report in reports { report.add(outcome) }
  }

  private func run(_ test: TestCase) async throws -> TestOutcome {
    guard !test.isPending else {
      return TestOutcome(file: test.file.path, names: test.names, line: test.line, status: .pending, seconds: 0)
    }
    return try await bench.run(test)
  }
}
