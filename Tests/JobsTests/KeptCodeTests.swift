import HostLoop
import JSON
import JobCode
import JobSimulation
import Jobs
import Testing

@HostActor
@Suite struct KeptCodeTests {
  private func code(_ text: String, module: String? = nil) -> RunCode {
    var code = RunCode(script: .init(path: "jobs/sleeps.lua", source: Array(text.utf8)))
    if let module { code.add(.init(module: "lib", path: "jobs/lib/lib.lua", source: Array(module.utf8))) }
    return code
  }

  /// A process that stores a step of this code, and sleeps for an hour.
  private func sleeping(_ code: RunCode, until: Int64) -> SimulatedJobs.Behavior {
    .init(messages: [
      RunMessage.code(code).json, RunMessage.step(name: "a", number: 1, result: 1).json,
      RunMessage.sleep(until: until).json,
    ])
  }

  @Test func codeIsTheSameBehindItsText() throws {
    var given = code("print 'é'", module: "return 1")
    given.add(.init(module: "bytes", path: "jobs/b.lua", source: [0xff, 0x00, 0x80]))
    #expect(RunCode(try JSON(parsing: given.text)) == given)
    #expect(given.module("lib")?.source == Array("return 1".utf8))
    #expect(RunCode("x") == nil && RunCode([]) == nil && RunCode(["x"]) == nil)
  }

  @Test func aThousandSleepingRunsOutliveFiftyEdits() async throws {
    let declaration: JSON = ["on": ["webhook": "/h", "scheme": "none"], "overlap": ["parallel": 1000]]
    let host = try await Simulation(["sleeps": declaration], parallel: 2000)
    var began: [Int64: String] = [:]
    var edit = 0
    host.behavior = { [unowned host] run in
      guard began[run.id] == nil else { return .init() }
      began[run.id] = run.digest
      return self.sleeping(self.code("edit \(edit)"), until: host.jobs.now + 3_600_000)
    }
    for number in 0..<50 {
      edit = number
      try await host.load(["sleeps": declaration], digest: "digest \(number)")
      for index in 0..<20 {
        _ = try await host.jobs.perform {
          try await $0.received("sleeps", ["kind": "webhook"], ids: ["\(number).\(index)"])
        }
      }
      // The script is broken for a moment, too.
      if number % 10 == 0 {
        try await host.jobs.load([
          JobDefinition(name: "sleeps", path: "jobs/sleeps.lua", digest: "x", declaration: nil, trouble: "broken")
        ])
      }
    }
    #expect(began.count == 1000)
    try await host.advance("2h")
    let runs = try await host.runs()
    #expect(Set(runs.map(\.state)) == [.ok])
    #expect(runs.allSatisfy { $0.digest == began[$0.id] })
    #expect(Set(runs.compactMap(\.digest)).count == 50)
  }

  @Test(arguments: Engine.allCases)
  func aRunGetsTheCodeThatItBeganWith(_ engine: Engine) async throws {
    let store = try await engine.store()
    var run = RunRecord(job: "a", kind: "hand", event: [:], created: 0)
    #expect(try await store.add(&run))
    #expect(try await store.keptCode(of: run.id) == nil)
    try await store.keep(code("1"), ["--allow-net=a"], of: run.id)
    try await store.keep(code("1", module: "m"), ["--allow-net=a"], of: run.id)
    let kept = try #require(try await store.keptCode(of: run.id))
    #expect(kept.code == code("1", module: "m"))
    #expect(kept.permissions == ["--allow-net=a"])
    #expect(try await store.hasCode(run.id))
  }

  @Test func aRunMovesToThePresentScript() async throws {
    let declaration: JSON = ["on": ["at": "2027-01-04 01:00"]]
    let host = try await Simulation(["sleeps": declaration])
    host.behavior = { [unowned host] run in
      run.attempt == 1 && host.starts.count == 1
        ? self.sleeping(self.code("1"), until: host.jobs.now + 3_600_000) : .init()
    }
    try await host.advance("90m")
    try await host.load(["sleeps": declaration], digest: "2")
    let id = try #require(host.starts.first?.id)
    try await host.jobs.perform { _ = try await $0.move(id) }
    #expect(try await host.jobs.store.hasCode(id) == false)
    try await host.advance("1h")
    #expect(try await host.states() == ["ok"])
    #expect(try await host.runs().first?.digest == "2")
  }

  @Test func aStepFitsIfTheCodeNamesIt() {
    let sources = [Array("run.step('a', f) run.step(\"b c\", f) run:sleep(1)".utf8)]
    let fits = StepFit.of(["a", "a", "b c", "gone", "run.sleep", "run.wait_for"], in: sources)
    #expect(fits.map(\.name) == ["a", "b c", "gone", "run.sleep", "run.wait_for"])
    #expect(fits.map(\.fits) == [true, true, false, true, false])
    #expect(fits.map(\.count) == [2, 1, 1, 1, 1])
  }
}
