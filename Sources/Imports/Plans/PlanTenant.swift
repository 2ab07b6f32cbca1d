import Automation
import Core
import Files
import HostLoop
import ImportEngine
import TaskPlans

/// The local tenant of an import, of a plan or of an undo.
extension RunImports {
  private static let tenantPrefix = "local tenant "
  private static let inMemory = "in memory"

  /// The API of imports into the local tenant of this run: `local tenant DATA`.
  var tenantAPI: String {
    let data = session.configuration.localTenant?.data
    return Self.tenantPrefix + (data.map { FileSystem.realPath($0) ?? $0 } ?? Self.inMemory)
  }

  /// Refuses what belongs to a local tenant in a run without this tenant, before anybody has to sign in.
  /// - Parameters:
  ///   - api: the API of the plan or of the journal.
  ///   - what: the plan or the import, for the message.
  ///   - command: the command to repeat with the tenant, such as `import --apply p.json`.
  /// - Throws: `plan_elsewhere`.
  func demandTenant(of api: String, _ what: String, _ command: String) throws(ImportRefusal) {
    guard api.hasPrefix(Self.tenantPrefix), session.tenant == nil || api != tenantAPI else { return }
    let data = String(api.dropFirst(Self.tenantPrefix.count))
    guard data != Self.inMemory else { throw Self.passed(what) }
    var configuration = session.configuration
    configuration.localTenant = .init()
    configuration.localTenant?.data = data
    throw ImportRefusal(
      .planElsewhere, "\(what) is for the local tenant \(data)", hint: configuration.commandLine(command))
  }

  /// The refusal of what belongs to the tenant of an earlier run.
  private static func passed(_ what: String) -> ImportRefusal {
    ImportRefusal(
      .planElsewhere, "\(what) is for a local tenant in memory, which ended with its run",
      hint: "--local=FILE keeps the tasks of a local tenant for later runs")
  }

  /// Refuses an account of another tenant in memory. Each has other IDs of its users.
  static func demandThisRun(_ api: String, _ what: String) throws(ImportRefusal) {
    guard api != tenantPrefix + inMemory else { throw passed(what) }
  }

  /// The command that takes an import, a plan or an undo back; nil if its journal ends with this run.
  func undoCommand(of journal: JournalSummary) -> String? {
    guard let id = journal.shortID, !isPassing(journal) else { return nil }
    return session.configuration.commandLine("imports undo \(id)")
  }
}
