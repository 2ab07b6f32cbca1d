package import Core
import Files
import Glibc

/// The folder with what the servers for agents remember: the changes that wait for an approval, and the calls that were made.
package struct AgentFolder: Sendable {
  package let path: String

  var requests: String { "\(path)/approvals" }
  var log: String { "\(path)/calls.ndjson" }
  var earlierLog: String { "\(path)/calls.1.ndjson" }
  /// The folder of the plans that a server has made: not among the data, which is closed to scripts. The digests of plans are
  /// in the requests, so that a changed file is noticed.
  package let plans: String

  package init(_ path: String, plans: String) {
    self.path = path
    self.plans = plans
  }

  /// The folder of this person: `agents` among the data of the program. Nil without a home.
  package static func usual() -> AgentFolder? {
    func variable(_ name: String) -> String? { getenv(name).map { String(path: $0) } }
    guard let data = UserFolder.data.path(variable) else { return nil }
    let cache = variable("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let folder = cache ?? variable("HOME").map({ "\($0)/.cache" }) else { return nil }
    return AgentFolder("\(data)/agents", plans: "\(folder)/b2c-run/agent-plans")
  }

  /// Throws if other users could put approvals into the folder.
  package func make() throws(AgentRecordError) {
    for folder in [path, requests, plans] {
      do { try PrivateFolder.make(folder) } catch { throw Self.error(folder, error) }
    }
  }

  /// Throws if other users could put approvals into the folder. A folder that is not there is fine.
  func check() throws(AgentRecordError) {
    do { try PrivateFolder.check(requests) } catch { throw Self.error(requests, error) }
  }

  private static func error(_ folder: String, _ trouble: PrivateFolder.Trouble) -> AgentRecordError {
    switch trouble {
    case .notAFolder:
      AgentRecordError(.noFolder, "\(folder) is not a folder", hint: "move what has this name elsewhere")
    case .refused(let reason): AgentRecordError(.noFolder, "cannot make the folder \(folder): \(reason)")
    case .open(let reason):
      AgentRecordError(
        .noFolder, "the folder \(folder) is open to others: \(reason)", hint: PrivateFolder.remedy(folder))
    }
  }
}

/// An error about approvals and the log of calls.
package typealias AgentRecordError = DomainError<AgentRecordProblem>

package enum AgentRecordProblem: String, FailureKind {
  case noFolder = "no_folder"
  case noRequest = "no_request"
  case answered = "approval_answered"
  case unreadable = "approval_unreadable"
}
