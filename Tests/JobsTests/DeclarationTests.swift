import HostLoop
import JSON
import JobSimulation
import Schedule
import Testing

@testable import Jobs

private func text(_ count: Int) -> JSON { .string(String(repeating: "x", count: count)) }

private func list(_ count: Int, of element: JSON) -> JSON { .array(Array(repeating: element, count: count)) }

@Suite struct DeclarationTests {
  /// The key and the message of the error of a declaration; nil for a correct one.
  private func problem(_ declaration: JSON) -> String? {
    do { _ = try JobDeclaration(declaration, zone: .utc) } catch {
      return "\(error.key ?? "no key"): \(error.message)"
    }
    return nil
  }

  /// Each text, list and number has a bound, which the error names with the key.
  @Test(
    arguments: [
      ("summary", ["on": ["start": true], "summary": text(1001)], "1000"),
      ("on", ["on": list(101, of: ["start": true])], "100"),
      ("on.every", ["on": ["every": text(501)]], "500"), ("on.cron", ["on": ["cron": text(501)]], "500"),
      ("on.at", ["on": ["at": text(501)]], "500"), ("on.zone", ["on": ["cron": "@daily", "zone": text(501)]], "500"),
      ("on.calendar.time", ["on": ["calendar": ["time": text(501)]]], "500"),
      ("on.files", ["on": ["files": text(501)]], "500"), ("on.webhook", ["on": ["webhook": text(501)]], "500"),
      ("on.secret", ["on": ["webhook": "/a", "secret": text(501)]], "500"),
      ("on.headers", ["on": ["webhook": "/a", "scheme": "none", "headers": list(51, of: "x")]], "50"),
      ("on.headers", ["on": ["webhook": "/a", "scheme": "none", "headers": list(1, of: text(101))]], "100"),
      ("on.after", ["on": ["after": text(501)]], "500"),
      ("on.late_after", ["on": ["after": "a", "result": "late", "late_after": text(501)]], "500"),
      ("overlap.key", ["on": ["start": true], "overlap": ["key": text(501)]], "500"),
      ("overlap.queue", ["on": ["start": true], "overlap": ["queue": 1_000_001]], "1000000"),
      ("retry.attempts", ["on": ["start": true], "retry": ["attempts": 1001]], "1000"),
      ("retry.on", ["on": ["start": true], "retry": ["on": list(101, of: "x")]], "100"),
      ("retry.on", ["on": ["start": true], "retry": ["on": list(1, of: text(101))]], "100"),
      ("keep.runs", ["on": ["start": true], "keep": ["runs": 10_000_001]], "10000000"),
      ("args", ["on": ["start": true], "args": list(1001, of: "x")], "1000"),
      ("args", ["on": ["start": true], "args": list(1, of: text(16385))], "16384"),
      ("args", ["on": ["start": true], "args": list(17, of: text(16384))], "262144"),
      ("args", ["on": ["start": true], "args": ["a\u{0}b"]], "NUL"),
      ("on.files", ["on": ["files": .string(String(repeating: "a/", count: 40) + "b")]], "32"),
    ] as [(String, JSON, String)])
  func eachEntryHasABound(_ key: String, _ declaration: JSON, _ bound: String) throws {
    let told = try #require(problem(declaration))
    #expect(told.hasPrefix("\(key): ") && told.contains(bound), "\(told)")
    // Nobody wants to read what is too long.
    #expect(told.utf8.count < 300)
  }

  /// Swift takes a Kelvin sign for the letter K, and both spellings of é for one. Only the bytes of a path count.
  @Test(arguments: [
    ("hooks", "expected a path"), ("/", "expected a path"), ("/a b", "has a space"), ("/a?b", "has '?'"),
    ("/a#", "has '#'"),
    ("/a%20", "has '%'"), ("/a\\b", "has '\\'"), ("/\u{212A}", "has the character U+212A"),
    ("/e\u{301}", "has the character U+0301"), ("/\u{e9}", "has the character U+00E9"), ("/a\u{7f}", "U+007F"),
  ])
  func aPathIsVisibleASCII(_ path: String, _ problem: String) throws {
    let told = try #require(WebhookPath.problem(path))
    #expect(told.contains(problem), "\(told)")
    let declaration: JSON = ["on": ["webhook": .string(path), "scheme": "none"]]
    #expect(self.problem(declaration) == "on.webhook: b2c.job: on.webhook: \(told)")
    #expect(WebhookPath.problem("/hooks/K;`~!$&'()*+,=:@[]{}|^\"<>") == nil)
  }

  @Test func keysHaveBounds() throws {
    let many = Dictionary(uniqueKeysWithValues: (0...50).map { ("k\($0)", JSON.null) })
    #expect(try #require(problem(.object(many))).contains("at most 50 keys, got 51"))
    let long = String(repeating: "k", count: 100_000)
    #expect(try #require(problem(.object([long: .null]))).contains("at most 100 bytes, got one of 100000"))
  }

  @Test(arguments: ["/proc/self/*", "/proc", "/sys/class/*/*", "/dev/shm/*"])
  func theKernelsFilesAreNoFilesOfAJob(_ pattern: String) throws {
    #expect(try #require(problem(["on": ["files": .string(pattern)]])).hasPrefix("on.files: "))
  }

  /// The paths of a declaration are permissions, which the header may name.
  @Test(arguments: [
    ("inbox/*.csv", [], ["--allow-read=inbox"]), ("/etc/s*", [], ["--allow-read=/etc"]),
    ("*.csv", [], ["--allow-read=."]), ("/*/*", [], ["--allow-read=/"]), ("a/b.csv", [], ["--allow-read=a/b.csv"]),
    ("a,b/*", [], ["--allow-read=a,,b"]), ("inbox/*.csv", ["--allow-read=inbox"], []),
    ("inbox/*.csv", ["--allow-read=/srv/jobs"], []), ("inbox/*.csv", ["--allow-read=."], []),
    ("inbox/*.csv", ["--allow-read"], []), ("inbox/*.csv", ["-A"], []),
    ("inbox/*.csv", ["--allow-read=outbox"], ["--allow-read=inbox"]),
    ("inbox/*.csv", ["--allow-write=inbox"], ["--allow-read=inbox"]),
    ("inbox/../../secret/*", ["--allow-read=inbox"], ["--allow-read=inbox/../../secret"]),
  ])
  func theFilesOfADeclarationNeedAPermission(_ pattern: String, _ header: [String], _ flags: [String]) throws {
    let patterns = JobDeclaration.filePatterns(in: ["on": ["files": .string(pattern)]])
    let missing = JobNeeds.missing(in: header, for: patterns, [], from: Array("/srv/jobs".utf8))
    #expect(missing.map(\.flag) == flags)
    #expect(missing.allSatisfy { $0.reason.contains(pattern) })
  }
}

@HostActor
@Suite struct CommandTests {
  /// A command that does not fit its schema is refused, and the message names the field.
  @Test(
    arguments: [
      (.null, "expected a JSON object, got null"), ([], "expected a JSON object, got a list"),
      (["op": "run"], "job: is missing, expected a string"),
      (["op": "run", "job": 1], "job: expected a string, got 1"),
      (["op": "run", "job": "a", "arguments": "x"], "arguments: expected a list of strings, got \"x\""),
      (["op": "run", "job": "a", "arguments": [1]], "arguments: expected a list of strings, got 1 in it"),
      (["op": "run", "job": "a", "arguments": ["\u{0}"]], "arguments: a string contains a NUL character"),
      (["op": "run", "job": "a", "argument": []], "there is no field \"argument\" here"),
      (["op": "pause", "job": "a", "arguments": []], "there is no field \"arguments\" here"),
      (["op": "allow", "job": "a"], "flags: is missing, expected a list of strings"),
      (["op": "cancel", "run": "1"], "run: expected a whole number, got \"1\""),
      (["op": "retry", "run": 1.5], "run: expected a whole number, got 1.5"),
      (["op": "retry"], "run: is missing, expected a whole number"), (["op": "stop"], "there is no command stop"),
      ([:], "there is no command "),
    ] as [(JSON, String)])
  func aCommandThatMakesNoSenseDoesNothing(_ command: JSON, _ message: String) async throws {
    let host = try await Simulation(["a": ["on": ["every": "1h"]]])
    let error = await #expect(throws: JobError.self) {
      try await host.jobs.perform { try await $0.answer(JobCommand(command)) }
    }
    #expect(error?.message == message)
    #expect(try await host.runs().isEmpty)
  }

  @Test func aRunByHandSaysWhatItWaitsFor() async throws {
    let host = try await Simulation([
      "a": ["on": ["every": "10h"], "retry": ["attempts": 3, "first": "1h", "most": "1h"]]
    ])
    host.behavior = { _ in .failing("boom", "it broke") }
    let run = JobCommand.run(job: "a", arguments: nil)
    #expect(try await host.jobs.perform { try await $0.answer(run) }.json == ["ok": true, "run": 1])
    try await host.advance("1s")
    let reason = "waits for the end of the run 1, which failed and is tried again at 2027-01-04 01:00"
    let answer = try await host.jobs.perform { try await $0.answer(run) }
    let runs = try await host.runs()
    #expect(answer.json == ["ok": true, "run": 2, "reason": .string(reason)], "\(runs)")
    #expect(try await host.runs().last?.reason == reason)
    host.behavior = { _ in .init() }
    try await host.advance("2h")
    #expect(try await host.states() == ["ok", "ok"])
    #expect(try await host.runs().last?.reason == nil)
  }

  /// No job takes the request that another one waits for.
  @Test func aWaitAtThePathOfAnotherJobIsRefused() async throws {
    let host = try await Simulation([
      "asks": ["on": ["every": "10h"]], "steals": ["on": ["every": "10h"]],
      "hook": ["on": ["webhook": "/hook", "scheme": "none"]],
    ])
    host.behavior = { run in
      let path: JSON = run.job == "hook" ? "/hook" : "/approve"
      return .init(messages: [["op": "wait", "path": path, "name": "run.wait_for", "number": 1]])
    }
    for job in ["asks", "steals", "hook"] { try await host.jobs.perform { try await $0.run(job, arguments: nil) } }
    #expect(try await host.states() == ["waiting", "ok", "ok"])
    let taken = try await host.jobs.perform { try await $0.receivedWait("/approve", ["method": "POST"]) }
    #expect(taken == 1)
  }

  /// A person decides about the question that the person has seen, once.
  @Test func anApprovalIsForTheQuestionOnThePage() async throws {
    let host = try await Simulation(["asks": ["on": ["every": "10h"]]])
    host.behavior = { run in
      let number = Int64(run.attempt)
      return .init(messages: [
        ["op": "wait", "approval": .string("Pay bill \(number)?"), "name": "run.wait_for", "number": .integer(number)]
      ])
    }
    try await host.jobs.perform { _ = try await $0.run("asks", arguments: nil) }
    #expect(try await host.runs().last?.reason == "an approval: Pay bill 1?")
    func decide(_ members: [String: JSON]) async throws -> CommandReply {
      let command = try JobCommand(.object(members.merging(["run": 1]) { $1 }))
      return try await host.jobs.perform { try await $0.answer(command) }
    }
    // No request takes the place of a person.
    #expect(try await host.jobs.perform { try await $0.receivedWait("Pay bill 1?", [:]) } == nil)
    // The approval starts the next attempt at once.
    host.behavior = { _ in .init() }
    _ = try await decide(["op": "approve", "wait": 1, "by": "Alice"])
    try await host.advance("1s")
    #expect(try await host.states() == ["ok"])
    let steps = try await host.jobs.store.steps(of: 1)
    #expect(steps.map(\.result) == [["approved": true, "by": "Alice"]])
    let error = await #expect(throws: JobError.self) { try await decide(["op": "decline"]) }
    #expect(error?.message == "the run 1 has ended: ok")
  }

  @Test func aDecisionAboutAnotherQuestionIsRefused() async throws {
    let host = try await Simulation(["asks": ["on": ["every": "10h"]], "sleeps": ["on": ["every": "10h"]]])
    host.behavior = { run in
      .init(messages: [
        run.job == "sleeps"
          ? ["op": "sleep", "until": 5_000_000_000_000]
          : ["op": "wait", "approval": "Pay bill 2?", "name": "run.wait_for", "number": 2]
      ])
    }
    for job in ["asks", "sleeps"] { try await host.jobs.perform { _ = try await $0.run(job, arguments: nil) } }
    for (command, message) in [
      (["op": "approve", "run": 1, "wait": 1], "the run 1 waits for another approval now: Pay bill 2?"),
      (["op": "decline", "run": 2], "the run 2 waits for no approval"),
      (["op": "approve", "run": 9], "there is no run 9"),
    ] as [(JSON, String)] {
      let error = await #expect(throws: JobError.self) {
        try await host.jobs.perform { try await $0.answer(JobCommand(command)) }
      }
      #expect(error?.message == message)
    }
    #expect(try await host.states() == ["waiting", "asleep"])
  }

  @Test func whatAnotherTryCannotHealIsNotTriedAgain() async throws {
    let retry: JSON = ["attempts": 3, "first": "1s"]
    let host = try await Simulation([
      "denied": ["on": ["every": "1h"], "retry": retry], "other": ["on": ["every": "1h"], "retry": retry],
      "wanted": ["on": ["every": "1h"], "retry": ["attempts": 3, "first": "1s", "on": ["permission_denied"]]],
    ])
    host.behavior = { $0.job == "other" ? .failing("boom", "it broke") : .failing("permission_denied", "no") }
    try await host.advance("62m")
    for (job, attempts) in [("denied", 1), ("other", 3), ("wanted", 3)] as [(String, Int)] {
      let run = try #require(try await host.runs(job).first)
      #expect(run.attempt == attempts, "\(job): \(run)")
    }
  }
}
