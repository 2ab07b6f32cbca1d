package import Accounts
import Core
import Databases
import Files
import Glibc
import HTTPClient
package import HostLoop
import JSON
import LocalTenant
package import Permissions
import Settings
package import TaskImport

/// The journals of imports, and the ones that a script may see. An import goes with its source: a script that may read
/// the source may see the import, and a script that may write the source may forget it. A script may always see and
/// forget the imports of its run.
extension Automation {
  /// The journals in their usual folder.
  package func journals() throws(ImportError) -> JournalShelf { JournalShelf(folder: try importsFolder()) }

  /// The folder of the journals.
  package func importsFolder() throws(ImportError) -> String {
    if let folder = configuration.importsFolder { return folder }
    return try ImportJournal.standardFolder()
  }

  /// The IDs of imports, the last one first.
  package var namesOfImports: [String] {
    guard let folder = try? importsFolder(), FileSystem.access(folder, F_OK) == 0 else { return [] }
    return ((try? JournalShelf(folder: folder).list()) ?? []).compactMap(\.shortID)
  }

  /// The imports in the database of `--store`; nil if the store is a folder, or the tasks are those of this run's tenant.
  package func sharedImports() throws -> SharedImports? {
    guard case .database(let address) = try accounts.location() else { return nil }
    let shared = SharedImports(PostgresDatabase(address))
    shared.damaged.tell = { [console] in console.log(.error, $0) }
    return shared
  }

  /// Checks the tables of shared imports, or makes them. Waits for a server that does not answer.
  package func prepare(_ shared: SharedImports) async throws {
    let warn: @HostActor (String) -> Void = { [console] in console.log(.warn, $0) }
    try await PostgresDatabase.patiently(shared.place, warn) { try await shared.prepare() }
  }

  /// This process, as other machines see it.
  package var worker: WorkerIdentity {
    WorkerIdentity(
      machine: configuration.machineName ?? HostName.current, process: Int(getpid()), boot: HostName.bootID,
      version: configuration.version)
  }

  /// The imports that the script may read, of this machine and of the database.
  package func visibleImports() async throws -> [JournalSummary] {
    try await allImports().filter { isAllowed($0, .read) }
  }

  private func allImports() async throws -> [JournalSummary] {
    let own = try journals().list()
    guard let shared = try sharedImports() else { return own }
    try await prepare(shared)
    let all = try await shared.summaries() + own
    await shared.close()
    return all.sorted { $0.updated > $1.updated }
  }

  /// One import: by its ID or the beginning of it, by its source, or by the file of its journal. For a source that a
  /// script may not use, the person is asked. A script that cannot name an import does not hear of it.
  /// - Throws: `PermissionDenied`; `journal_unknown`.
  package func findImport(_ name: String, _ use: Permissions.FileUse, by call: String) async throws -> JournalSummary {
    let shelf = try journals()
    let visible = try await visibleImports()
    do {
      let journal = try shelf.summary(name, among: visible)
      if !isAllowed(journal, use) {
        _ = try permissions.check((journal.identity?.source ?? journal.path ?? "").pathBytes, use, by: call)
      }
      return journal
    } catch {
      guard error is ImportError, name.contains("/") || FileSystem.access(name, F_OK) == 0 else { throw error }
      let file = try permissions.check(name.pathBytes, use, by: call)
      let place = file.isUnrestricted ? OutputPlace(name) : OutputPlace(name, exact: file.path.bytes)
      return try shelf.summary(name, among: visible, file: place)
    }
  }

  /// Returns a function that reads the failed and unsettled rows of an import.
  package func failures(
    of journal: JournalSummary
  ) throws -> @HostActor () async throws -> JournalFailure? {
    if let id = journal.shared?.id, let shared = try sharedImports() { return shared.failureReader(of: id) }
    let rows = try journals().failures(of: journal)
    return { try rows.next() }
  }

  package func forget(_ journal: JournalSummary) async throws {
    guard let id = journal.shared?.id, let shared = try sharedImports() else {
      try journals().forget(journal)
      return
    }
    try await shared.forget(id)
    await shared.close()
  }

  /// True if the script may hear of that import.
  package func isVisible(_ journal: JournalSummary) -> Bool { isAllowed(journal, .read) }

  private func isAllowed(_ journal: JournalSummary, _ use: Permissions.FileUse) -> Bool {
    if permissions.allowsOthersData || journal.path.map(ownJournals.contains) == true { return true }
    // Nobody knows the source of a journal that cannot be read.
    guard let source = journal.identity?.source, source.hasPrefix("/") else { return false }
    return permissions.isAllowed(source.pathBytes, use)
  }

  // MARK: Identity

  /// The facts by which a later run knows an import again: its source, the user whose tasks they are, and the API.
  /// `path` is nil for a source that no later run could know again; `name` is its name then.
  package func importIdentity(of path: String?, named name: String, for account: Account) throws -> ImportIdentity {
    let settings = try settings()
    let address = try settings.taskAPI
    // The tenant's port may be another the next time; its data stays.
    let tenant =
      try usesOwnTenant()
      ? "local tenant \(configuration.tenantData.map { FileSystem.realPath($0) ?? $0 } ?? "in memory")" : nil
    let user = account.claims["oid"]?.string ?? account.subject
    // Not the whole issuer: it may name the policy, of which one user has several.
    let directory = tenant ?? Origin(account.issuer)?.description ?? account.issuer
    return ImportIdentity(
      source: path.map { FileSystem.realPath($0) ?? $0 } ?? name, account: "\(user) of \(directory)",
      accountName: account.name, api: tenant ?? Self.canonical(address) + settings.tasksPath)
  }

  /// The identity of an import into a task service.
  /// - Parameter service: the service with its options.
  package static func importIdentity(of path: String?, named name: String, forService service: String) -> ImportIdentity
  {
    ImportIdentity(
      source: path.map { FileSystem.realPath($0) ?? $0 } ?? name, account: service,
      accountName: String(service.prefix { $0 != " " }), api: "service \(service.prefix { $0 != " " })")
  }

  /// The address with scheme and host in lower case and no slash at its end: each spelling of an API's gives the same.
  private static func canonical(_ address: String) -> String {
    let address = address.hasSuffix("/") ? address.dropLast() : address[...]
    let host = address.firstRange(of: "://")?.upperBound ?? address.startIndex
    let path = address[host...].firstIndex { "/?#".contains($0) } ?? address.endIndex
    return address[..<path].lowercased() + address[path...]
  }

  /// True if a later run could go on: the tasks of a tenant in memory end with it.
  package func keepsTasks() throws -> Bool { try configuration.tenantData != nil || !usesOwnTenant() }

  /// True if the task API is that of this run's local tenant, or that of a tenant of another process with the same data.
  private func usesOwnTenant() throws -> Bool {
    guard let tenant, let own = Origin(tenant.url), let api = Origin(try settings().taskAPI) else { return false }
    if api == own { return true }
    guard configuration.tenantData != nil, api.scheme == own.scheme, api.isLoopback else { return false }
    return api.port == own.port || api.port == tenant.otherPort
  }
}

/// Shows the progress of an import.
@HostActor
package final class ImportProgress {
  /// The ways to show it, by the names that scripts and the command line use.
  package enum Form: String, CaseIterable, Sendable {
    /// One line that is drawn again and again, on a terminal.
    case bar
    /// A line every five seconds.
    case lines
    /// A JSON object a line, for programs; also with `--quiet`.
    case json
    case none
  }

  /// Seconds between two of them, at least.
  private static let intervals: [Form: Double] = [.bar: 0.09, .lines: 5, .json: 0.5]

  private let console: Console
  private let form: Form
  private var last = 0.0

  /// - Parameter form: nil for a bar on a terminal and lines elsewhere.
  package init(_ console: Console, _ form: Form? = nil) {
    self.console = console
    let isBar = form == .bar || form == nil
    self.form = isBar ? (console.canShowProgress ? .bar : .lines) : form ?? .lines
  }

  /// Takes a snapshot, some times a second and at the end.
  package func show(_ snapshot: ProgressSnapshot) {
    guard let interval = Self.intervals[form], snapshot.isFinished || snapshot.seconds - last >= interval
    else { return }
    last = snapshot.seconds
    switch form {
    case .bar: console.show(progress: ProgressLine.render(snapshot, width: console.width - 1))
    case .lines where !console.isQuiet && !snapshot.isFinished:
      console.write(ProgressLine.render(snapshot, width: 200, hasBar: false))
    case .json: console.write(ProgressJSON.render(snapshot))
    case .lines, .none: break
    }
  }

  /// Takes the bar away.
  package func end() { if form == .bar { console.finish(progress: "") } }
}
