import HostLoop
import JSON
import JobSimulation
import Testing

@testable import Jobs

/// The messages between processes. Machines with different versions of the program pass them on to each other, so that the
/// texts stay as they are.
@HostActor
@Suite struct MessageTests {
  @Test(
    arguments: [
      ["op": "state", "value": ["a": 1]], ["op": "step", "name": "a", "number": 2, "result": .null],
      ["op": "sleep", "until": 5], ["op": "wait", "path": "/a", "name": "run.wait_for", "number": 1, "until": .null],
      ["op": "wait", "approval": "Pay?", "name": "run.wait_for", "number": 2, "until": 7],
      ["op": "attach", "path": "/a", "title": "A", "digest": "d"],
      ["op": "attach", "path": "/a", "title": "A", "digest": "d", "quiet": true],
      ["op": "progress", "value": ["done": 1]], ["op": "error", "error": ["code": "x", "message": "y"]],
      ["op": "account", "change": "failed", "event": ["account": "a"]],
    ] as [JSON])
  func aMessageOfARunKeepsItsText(_ json: JSON) throws { #expect(try RunMessage(json).json == json) }

  @Test(
    arguments: [
      ["op": "run", "job": "a"], ["op": "run", "job": "a", "arguments": ["x"]], ["op": "pause", "job": "a"],
      ["op": "resume", "job": "a"], ["op": "allow", "job": "a", "flags": ["--allow-read=in"]],
      ["op": "cancel", "run": 7], ["op": "retry", "run": 7], ["op": "approve", "run": 7],
      ["op": "approve", "run": 7, "wait": 2, "by": "Alice"], ["op": "decline", "run": 7],
    ] as [JSON])
  func aCommandKeepsItsText(_ json: JSON) throws { #expect(try JobCommand(json).json == json) }

  @Test(
    arguments: [
      ["run": 1, "owner": "north/1", "number": 2, "notes": ["ran": 5]],
      ["run": 1, "owner": "north/1", "number": 2, "message": ["op": "sleep", "until": 5]],
      ["run": 1, "owner": "north/1", "number": 2, "end": ["status": 3]],
      [
        "run": 1, "owner": "north/1", "number": 2, "end": ["signal": 9], "shutdown": true, "log": "text", "cut": false,
      ],
    ] as [JSON])
  func newsOfAProcessKeepsItsText(_ json: JSON) throws { #expect(try ProcessNews(json).json == json) }

  @Test(arguments: [["go": true], ["ok": true], ["error": ["code": "x", "message": "y"]], ["script": "a"]] as [JSON])
  func aReplyKeepsItsText(_ json: JSON) throws { #expect(try RunReply(json).json == json) }

  @Test(
    arguments: [
      (["op": "fly"], "there is no message 'fly' between a job host and its processes"),
      (["op": "step", "name": "a"], "the message 'step' has no valid member 'number'"),
      (["op": "wait"], "the message 'wait' has no valid member 'path'"),
      (["op": "error", "error": 1], "the message 'error' has no valid member 'error'"),
    ] as [(JSON, String)])
  func anUnknownMessageIsNamed(_ json: JSON, _ problem: String) async throws {
    let error = #expect(throws: JobError.self) { try RunMessage(json) }
    #expect(error?.code == "bad_message" && error?.message == problem)
    // The host tells a person, and the run goes on.
    let host = try await Simulation(["a": ["on": ["every": "1h"]]])
    host.behavior = { _ in .init(messages: [json]) }
    try await host.jobs.perform { _ = try await $0.run("a", arguments: nil) }
    try await host.advance("1m")
    #expect(try await host.states() == ["ok"])
    #expect(host.jobs.messages.contains { $0.hasPrefix("the run 1: \(problem)") }, "\(host.jobs.messages)")
  }
}
