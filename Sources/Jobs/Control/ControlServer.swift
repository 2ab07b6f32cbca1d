import CLinuxShims
import Core
import Files
import Glibc
package import HostLoop
package import JSON

/// Takes commands at a Unix socket: a line of JSON each, with a line of JSON as the answer.
@HostActor
package final class ControlServer: DescriptorHandler {
  private let path: String
  private let descriptor: Int32
  private var pipes: [Int: MessagePipe] = [:]
  private var last = 0
  /// The commands that have no answer yet.
  package private(set) var pending = 0
  private let answer: @HostActor (JSON) async throws -> JSON

  /// Throws `no_state` if the socket cannot be made. A socket that an ended host left behind is replaced.
  package init(at path: String, answer: @escaping @HostActor (JSON) async throws -> JSON) throws(JobError) {
    switch ControlSocket.listen(at: path) {
    case .success(let descriptor): self.descriptor = descriptor
    case .failure(let failure): throw JobError("no_state", "cannot make the socket \(path): \(failure.reason)")
    }
    self.path = path
    self.answer = answer
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  package func close() {
    HostLoop.shared.unwatch(descriptor)
    Glibc.close(descriptor)
    FileSystem.unlink(path)
    for pipe in pipes.values { pipe.close() }
    pipes = [:]
  }

  package func ready(_ descriptor: Int32, for readiness: Readiness) {
    let connection = csocket_accept_own(descriptor)
    guard connection >= 0 else { return }
    guard pipes.count < Self.most else {
      Glibc.close(connection)
      return
    }
    last += 1
    let number = last
    pipes[number] = MessagePipe(
      connection,
      onMessage: { [weak self] message in
        HostActor.task { await self?.take(message, from: number) }
      },
      onEnd: { [weak self] in self?.pipes[number] = nil })
  }

  /// The connections at once.
  private static let most = 100

  private func take(_ message: JSON, from number: Int) async {
    pending += 1
    defer { pending -= 1 }
    let told: JSON
    do { told = try await answer(message) } catch {
      let failure = error as? any Failure
      let problem = RunError(
        code: failure?.code ?? "host_error", message: failure?.message ?? "\(error)", hint: failure?.hint)
      told = .object(["error": problem.json])
    }
    pipes[number]?.send(told)
  }
}

/// Sends commands to a job host.
@HostActor
package enum ControlClient {
  /// The answer of the host with the state folder; nil if no host runs. Throws the error that the host answers.
  /// - Parameter tell: gets a sentence for the person who waits for more than a second.
  package static func ask(
    _ message: JSON, in state: StateFolder, tell: (@HostActor (String) -> Void)? = nil
  ) async throws -> JSON? {
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
    let answer = try await wait.value()
    if let error = RunError(answer["error"]) { throw JobError(error.code, error.message, hint: error.hint) }
    return answer
  }
}
