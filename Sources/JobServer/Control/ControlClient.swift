import Files
import Glibc
package import HostLoop
import JSON
import JobProcesses
package import Jobs

/// Sends commands to a job host.
@HostActor
package enum ControlClient {
  /// The answer of the host with the state folder; nil if no host runs. Throws the error that the host answers.
  /// - Parameter tell: gets a sentence for the person who waits for more than a second.
  package static func ask(
    _ command: JobCommand, in state: StateFolder, tell: (@HostActor (String) -> Void)? = nil
  ) async throws -> CommandReply? {
    try await send(command.json, in: state, tell: tell)
  }

  /// True if a host runs with the state folder.
  package static func isServing(_ state: StateFolder) async throws -> Bool {
    // A host refuses a command without a name at once, also while it reads its jobs.
    do { return try await send(["op": ""], in: state) != nil } catch let error as JobError {
      guard error.code == "no_command" else { throw error }
      return true
    }
  }

  private static func send(
    _ message: JSON, in state: StateFolder, tell: (@HostActor (String) -> Void)? = nil
  ) async throws -> CommandReply? {
    try state.check()
    let path = state.socket
    let descriptor: Int32
    switch ControlSocket.connect(to: path) {
    case .success(let found): descriptor = found
    // The socket of a host that was killed is still there.
    case .failure(let failure) where [ENOENT, ECONNREFUSED].contains(failure.number): return nil
    case .failure(let failure):
      throw JobError(
        "no_server", "cannot reach the server at \(path): \(failure.reason)",
        hint: failure.number == EACCES ? "it belongs to another user" : nil)
    }
    let wait = CancellableWait<JSON>()
    let pipe = MessagePipe(
      descriptor, onMessage: { wait.finish(.success($0)) },
      onEnd: { wait.finish(.failure(JobError("no_server", "the server at \(path) ended before it answered"))) })
    defer { pipe.close() }
    pipe.send(message)
    let notice = HostLoop.shared.schedule(after: 1) {
      tell?("the server does not answer yet; when it starts, commands wait until it has read its jobs")
    }
    defer { HostLoop.shared.cancel(notice) }
    return try CommandReply(try await wait.value())
  }
}
