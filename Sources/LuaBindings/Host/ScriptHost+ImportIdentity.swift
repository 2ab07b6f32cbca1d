import Accounts
import Automation
import Files
import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Settings
import TaskImport

extension ScriptHost {
  /// By what an import is known again in a later run: its source, the user whose tasks they are, and the API.
  /// - Parameters:
  ///   - path: the source's file; nil for a source that no later run could know again.
  ///   - name: what to call that one.
  func importIdentity(of path: String?, named name: String, for account: Account) throws -> ImportIdentity {
    let settings = try settings()
    let address = try settings.taskAPI
    // The tenant's port may be another the next time; its data is what stays.
    let tenant =
      try usesOwnTenant()
      ? "local tenant \(configuration.tenantData.map { FileSystem.realPath($0) ?? $0 } ?? "in memory")" : nil
    let user = account.claims["oid"]?.string ?? account.subject
    // Not the issuer as a whole: it may name the policy, of which one user has several.
    let directory = tenant ?? Origin(account.issuer)?.description ?? account.issuer
    return ImportIdentity(
      source: path.map { FileSystem.realPath($0) ?? $0 } ?? name, account: "\(user) of \(directory)",
      accountName: account.name,
      api: tenant ?? Self.canonical(address) + settings.tasksPath)
  }

  /// The address with its scheme and host in lower case, and without a slash at its end: however it is written, it is that of
  /// the same API.
  private static func canonical(_ address: String) -> String {
    let address = address.hasSuffix("/") ? address.dropLast() : address[...]
    let host = address.firstRange(of: "://")?.upperBound ?? address.startIndex
    let path = address[host...].firstIndex { "/?#".contains($0) } ?? address.endIndex
    return address[..<path].lowercased() + address[path...]
  }

  /// Whether a later run could go on: the tasks of a tenant in memory go with it.
  func keepsTasks() throws -> Bool { try configuration.tenantData != nil || !usesOwnTenant() }

  /// Where the journals of imports are.
  func importsFolder() throws -> String { try configuration.importsFolder ?? ImportJournal.standardFolder() }

  /// Whether the task API is that of this run's local tenant.
  private func usesOwnTenant() throws -> Bool {
    guard let tenant else { return false }
    return try Origin(settings().taskAPI) == Origin(tenant.url)
  }
}
