package import Accounts
import Core
import Crypto
package import Files
import Glibc
package import HostLoop
package import JSON
package import JobCode
package import JobProcesses
package import Jobs
package import Lua
import LuaKit
import Schedule

/// The run of a job, as its script has it: what `b2c.job` gives, and what it tells the host.
@HostActor
package final class JobSession {
  /// Nil for a script that a person started.
  let link: RunLink?
  let id: Int64
  let name: String
  let attempt: Int
  /// Why the run began.
  package let event: JSON
  /// `run.state` when the run begins.
  let state: JSON
  private var results: [StepName: JSON] = [:]
  private var calls: [String: Int] = [:]
  /// The place at which the script called `b2c.job`; nil before the call.
  var declared: String?
  /// Gets the declaration, at which the script ends, or stays if this does not return.
  let onDeclaration: (@HostActor (JSON) async throws -> Void)?
  /// The code of the error that ends a script at its declaration.
  package static let declaredCode = "declared"
  /// The script with the modules that it has loaded, nil for a script that a person started; and the code that the host has.
  private var code: (present: RunCode?, kept: RunCode?)
  /// Saves `run.state`, once the script has it.
  var save: (() async throws -> Void)?

  private struct StepName: Hashable {
    let name: String
    let number: Int
  }

  /// - Parameters:
  ///   - name: the name of the script.
  ///   - given: the event of a run without a host.
  package init(
    _ link: RunLink?, script name: String, event given: JSON? = nil,
    onDeclaration: (@HostActor (JSON) async throws -> Void)? = nil
  ) {
    self.link = link
    self.onDeclaration = onDeclaration
    let context = link?.context ?? .null
    id = context["id"]?.lenientInteger ?? 0
    self.name = context["job"]?.string ?? name
    attempt = Int(context["attempt"]?.lenientInteger ?? 1)
    event = context["event"] ?? given ?? ["kind": "hand"]
    state = context["state"] ?? .object([:])
    let kept = RunCode(context["code"])
    code = (kept, kept)
    for step in context["steps"]?.array ?? [] {
      guard let name = step["name"]?.string, let number = step["number"]?.lenientInteger else { continue }
      results[StepName(name: name, number: Int(number))] = step["result"] ?? .null
    }
  }

  // MARK: Code

  /// The script to run: that with which the run began, or the file.
  package func script(_ path: String, _ source: [UInt8]) -> [UInt8] {
    guard link != nil else { return source }
    if let begun = code.present { return begun.script.source }
    code.present = RunCode(script: .init(path: path, source: source))
    return source
  }

  /// A module that the run loaded before it slept, waited or failed; nil for another one.
  package func module(_ name: String) -> RunCode.File? { code.kept?.module(name) }

  /// The script has loaded a module.
  package func loaded(_ name: String, _ path: String, _ source: () throws -> [UInt8]) rethrows {
    guard code.present != nil, code.present?.module(name) == nil else { return }
    code.present?.add(.init(module: name, path: path, source: try source()))
  }

  /// Tells the host the code before a step that depends on it.
  private func tellCode() {
    guard let link, let present = code.present, present != code.kept, !present.isTooLarge else { return }
    link.tell(.code(present))
    code.kept = present
  }

  /// The run waits for an event; its process ends.
  func wait(for event: RunWait, step number: Int, until: Int64?, _ link: RunLink) async throws {
    tellCode()
    try await link.ask(.wait(event, step: "run.wait_for", number: number, until: until))
    try await endProcess()
  }

  /// The number of this call of a step with that name, and its stored result.
  func nextStep(_ name: String) -> (number: Int, result: JSON?) {
    let number = (calls[name] ?? 0) + 1
    calls[name] = number
    return (number, results[StepName(name: name, number: number)])
  }

  /// Stores the result of a step. When this returns, no later try calls the step again.
  func store(_ result: JSON, of name: String, _ number: Int) async throws {
    results[StepName(name: name, number: number)] = result
    tellCode()
    try await link?.ask(.step(name: name, number: number, result: result))
  }

  /// Ends the process in the middle of the script: the host starts the run again later. Does not return.
  func endProcess() async throws {
    // As if from outside: close variables run, and no pcall catches it.
    kill(getpid(), SIGTERM)
    while true { try await HostLoop.shared.sleep(seconds: 3600) }
  }

  /// Attaches a file that the run has written.
  package func attach(_ path: String) throws(FileFailure) {
    guard let link else { return }
    let content = try FileSystem.contents(of: path, limit: JobStore.Attachment.most)
    link.tell(Self.attachment(FileSystem.realPath(path) ?? path, path, content, isQuiet: true))
  }

  /// The message to the host about an attached file. The pages show the file as long as it has this content.
  static func attachment(
    _ path: String, _ title: String, _ content: [UInt8], isQuiet: Bool = false
  ) -> RunMessage {
    .attach(path: path, title: title, digest: SHA256.hash(content).hexadecimal, isQuiet: isQuiet)
  }

  /// Tells the host of accounts that come, go, or cannot be refreshed.
  package func tell(of events: AccountEvents) {
    guard let link else { return }
    func tell(_ change: String, _ event: [String: JSON]) {
      link.tell(.account(change: change, event: .object(event)))
    }
    // Jobs do not wait for refreshes.
    _ = events.onChanged { change in
      guard change.reason != .refresh else { return }
      tell("changed", ["account": .string(change.account.name), "change": .string(change.reason.rawValue)])
    }
    _ = events.onFailed { failure in
      let error = LuaError(failure.error)
      var event: [String: JSON] = [
        "error": ["code": .string(error.code), "message": .string(Redaction.forScripts(error.message))],
        "stage": .string(failure.stage.rawValue),
      ]
      event["account"] = failure.account.map { .string($0.name) }
      tell("failed", event)
      return nil
    }
  }

  /// The script has ended well: its state is kept.
  package func finish() async throws { try await save?() }

  /// The beginning of a text that the history keeps; `most` is in bytes.
  static func clipped(_ text: String, to most: Int) -> String {
    text.utf8.count <= most ? text : String(decoding: text.utf8.prefix(most), as: UTF8.self) + "…"
  }

  /// Tells the host of the error that ends the script.
  package func fail(_ error: LuaError) { link?.tell(.error(Self.told(error))) }

  /// The message to the host about the error that ends a script.
  package static func told(_ error: LuaError) -> RunError {
    let message = clipped(Redaction.forScripts(error.message), to: 16 << 10)
    var told = RunError(
      code: clipped(error.code, to: 200), message: message, hint: error.hint.map { clipped($0, to: 16 << 10) },
      place: error.location)
    told.traceback = error.traceback.map { clipped($0, to: 64 << 10) }
    told.retryAfter = error.retryAfter
    return told
  }
}
