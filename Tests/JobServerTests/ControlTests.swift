import Foundation
import HostLoop
import Jobs
import Testing

@testable import JobServer

/// The socket at which a job host takes commands.
@HostActor
@Suite struct ControlTests {
  private let state = StateFolder(
    FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)").path)

  @Test func aCommandGetsItsReplyAndANonsenseOneIsRefusedAtOnce() async throws {
    try state.make()
    defer { try? FileManager.default.removeItem(atPath: state.path) }
    #expect(try await ControlClient.ask(.pause(job: "a"), in: state) == nil)
    #expect(try await !ControlClient.isServing(state))
    var commands: [String] = []
    let server = try ControlServer(at: state.socket) { command in
      commands.append("\(command)")
      guard case .run = command else { throw JobError.noRun(7) }
      return CommandReply(run: 5, reason: "waits")
    }
    defer { server.close() }
    // The host is not asked.
    #expect(try await ControlClient.isServing(state))
    #expect(commands.isEmpty)
    let reply = try await ControlClient.ask(.run(job: "a", arguments: ["x"]), in: state)
    #expect(reply == CommandReply(run: 5, reason: "waits"))
    await #expect(throws: JobError.noRun(7)) { try await ControlClient.ask(.cancel(run: 7), in: state) }
    #expect(commands == ["run(job: \"a\", arguments: Optional([\"x\"]), event: nil, like: nil)", "cancel(run: 7)"])
  }
}
