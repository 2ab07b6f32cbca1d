import CLinuxShims
import Core
import Files
import Glibc
package import HostLoop
import JSON
import JobProcesses
package import Jobs

/// Takes commands at a Unix socket: a line of JSON each, with a line of JSON as the answer.
@HostActor
package final class ControlServer: DescriptorHandler {
  private let path: String
  private let descriptor: Int32
  private var pipes: [Int: MessagePipe] = [:]
  private var last = 0
  /// The commands that have no answer yet.
  package private(set) var pending = 0
  private let looked: @HostActor () async -> Void
  private let answer: @HostActor (JobCommand) async throws -> CommandReply

  /// Throws `no_state` if the socket cannot be made. A socket that an ended host left behind is replaced.
  /// - Parameter looked: called before each message, also before the question whether a host runs.
  package init(
    at path: String, looked: @escaping @HostActor () async -> Void = {},
    answer: @escaping @HostActor (JobCommand) async throws -> CommandReply
  ) throws(JobError) {
    switch ControlSocket.listen(at: path) {
    case .success(let descriptor): self.descriptor = descriptor
    case .failure(let failure): throw JobError("no_state", "cannot make the socket \(path): \(failure.reason)")
    }
    self.path = path
    self.looked = looked
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
    await looked()
    let told: JSON
    do { told = try await answer(JobCommand(message)).json } catch { told = CommandReply.json(error) }
    pipes[number]?.send(told)
  }
}
