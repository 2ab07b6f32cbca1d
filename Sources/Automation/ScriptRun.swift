import Core
import Glibc
package import HostLoop
package import Permissions

/// One script: its questions to a person, its headers, its user agents, and the work that it leaves unfinished.
@HostActor
package final class ScriptRun {
  /// The running script, as messages and questions need to know it.
  @HostActor
  package protocol Caller: AnyObject, Sendable {
    /// The name of the call that the script waits for.
    var callName: String? { get }
    /// The line of the script that runs.
    var place: String? { get }
    /// True if the script is about to end. Questions then do not wait for an answer.
    var isStopping: Bool { get }
  }

  package let session: Session
  package let configuration: ScriptConfiguration
  package let leftovers = Leftovers()
  package let agents: Agents
  let caller: any Caller
  /// The headers of the script and the plugins: why they need a permission.
  package var headers: [ScriptHeader] = []

  package init(_ session: Session, _ configuration: ScriptConfiguration, caller: any Caller) {
    self.session = session
    self.configuration = configuration
    self.caller = caller
    agents = Agents(session)
    session.context.callName = { caller.callName }
    guard configuration.mayAsk else { return }
    session.permissions.ask = { [weak self] access in
      guard let self else { return nil }
      return prompt.ask(access, place: caller.place, reason: headers.lazy.compactMap { $0.reason(for: access) }.first)
    }
  }

  package var prompt: PermissionPrompt {
    PermissionPrompt(session.console) { [caller] in caller.isStopping || Task.isCancelled }
  }

  /// Asks the person at the terminal. Returns nil without an answer, and if this run asks nobody. Throws
  /// `CancellationError` if the task was canceled meanwhile.
  package func askPerson<Answer>(_ question: (PermissionPrompt) -> Answer?) throws -> Answer? {
    guard configuration.mayAsk, PermissionPrompt.canAsk else { return nil }
    let answer = question(prompt)
    try Task.checkCancellation()
    return answer
  }
}

/// The list of unfinished work of scripts, reported when the run ends.
@HostActor
package final class Leftovers {
  /// Others are counted.
  private static let mostShown = 5

  private var notes: [(text: String, count: Int)] = []

  package func add(_ text: String) {
    if let index = notes.firstIndex(where: { $0.text == text }) {
      notes[index].count += 1
    } else {
      notes.append((text, 1))
    }
  }

  /// Warns, once.
  package func report(_ console: Console) {
    for (text, count) in notes.prefix(Self.mostShown) {
      console.log(.warn, count == 1 ? text : "\(text) (\(count) times)")
    }
    let more = notes.dropFirst(Self.mostShown).reduce(0) { $0 + $1.count }
    if more > 0 { console.log(.warn, "\(more) more coroutines and timers were left like this") }
    notes = []
  }
}
