import CLinuxShims
import Core
import Files
import Glibc
package import HostLoop
package import JSON
package import Jobs
package import Permissions

/// The connection of a process to the job host that started it.
@HostActor
package final class RunLink {
  /// Tells a process what its host wants.
  package nonisolated static let variable = "B2C_RUN_JOB"
  nonisolated static let channel: Int32 = 3
  private nonisolated static let contextDescriptor: Int32 = 4

  /// The task that a host gives to a process.
  package enum Purpose: String, Sendable {
    case run
    /// To tell the declarations of jobs alone.
    case declare
    /// To tell the command line that a script declares, alone.
    case options
    /// To run as a tool, which has no connection to its host. Its context is the code that it may run, or null.
    case tool
  }

  package let purpose: Purpose
  /// The context that the host gave to the run; null for a declaration.
  package let context: JSON
  private var pipe: MessagePipe?
  private var waits: [CancellableWait<RunReply>] = []
  private let begun = CancellableWait<Bool>()

  /// The purpose that the environment names; nil for a process that a person started. Its parent's end is its own.
  package nonisolated static func purpose() -> Purpose? {
    guard let purpose = getenv(variable).flatMap({ Purpose(rawValue: String(path: $0)) }) else { return nil }
    cprocess_end_with_parent(SIGTERM)
    unsetenv(variable)
    for descriptor in [channel, contextDescriptor] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return purpose
  }

  /// The code that a tool may run; nil for any. Throws for a context that cannot be read.
  package nonisolated static func sealedSources() throws -> SealedSources? {
    SealedSources(try JSON(parsing: OpenFile(owning: contextDescriptor).contents()))
  }

  /// Takes the descriptors that the host gave to this process. Throws for a context that cannot be read.
  package init(_ purpose: Purpose) throws {
    self.purpose = purpose
    context = purpose == .run ? try JSON(parsing: OpenFile(owning: Self.contextDescriptor).contents()) : .null
    pipe = MessagePipe(
      Self.channel,
      onMessage: { [unowned self] in take($0) },
      onEnd: { [unowned self] in
        begun.finish(.success(false))
        for wait in waits { wait.finish(.failure(Self.gone)) }
        waits = []
        pipe = nil
      })
  }

  private func take(_ message: JSON) {
    let reply = Result { () throws(JobError) in try RunReply(message) }
    if case .success(.go) = reply {
      begun.finish(.success(true))
    } else if !waits.isEmpty {
      waits.removeFirst().finish(reply.mapError { $0 })
    }
  }

  private func reply() async throws -> RunReply {
    guard pipe != nil else { throw Self.gone }
    let wait = CancellableWait<RunReply>()
    waits.append(wait)
    return try await wait.value()
  }

  private static let gone = JobError("host_gone", "the job host has ended")

  /// Waits until the host lets the script begin. Returns false if the host has ended.
  package func begin() async throws -> Bool { try await begun.value() }

  /// Waits for the next script whose declaration the host wants to hear. Throws `host_gone` at the end of the host.
  package func nextScript() async throws -> String? {
    guard case .script(let path) = try await reply() else { return nil }
    return path
  }

  /// Sends a message that has no answer.
  package func tell(_ message: RunMessage) { pipe?.send(message.json) }

  /// Tells of the declaration of a script.
  package func tell(_ message: DeclarationMessage) { pipe?.send(message.json) }

  /// Sends a message, and waits until what it says is on the disk. Throws `host_gone` if the host has ended.
  package func ask(_ message: RunMessage) async throws {
    guard pipe != nil else { throw Self.gone }
    pipe?.send(message.json)
    if case .failed(let error) = try await reply() { throw JobError(error) }
  }
}
