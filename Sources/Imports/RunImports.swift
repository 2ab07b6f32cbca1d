import Accounts
package import Automation
import Core
import Databases
import Files
import Glibc
import HTTPClient
package import HostLoop
package import ImportEngine
package import ImportFormats
import ImportJournal
package import ImportReport
import JSON
package import Permissions
import Settings
import SharedImport

/// The imports of a run, and the journals of earlier ones that a script may see. An import goes with its source: a script
/// that may read the source may see the import, and a script that may write the source may forget it. A script may always
/// see and forget the imports of its run.
@HostActor
package final class RunImports {
  let run: ScriptRun
  package var session: Session { run.session }
  /// The journals of the imports of this run, by their files.
  var ownJournals: Set<String> = []
  /// The folder of the journals of plans at a tenant in memory; nil before the first one.
  private var temporary: ScratchFolder?
  /// The number of rows that failed in this run's imports.
  package internal(set) var failedRows = 0

  package init(_ run: ScriptRun) { self.run = run }

  /// Runs an import to its end. The handlers of `EndedImport` hear of it, also if it cannot begin.
  /// - Parameters:
  ///   - source: the name of the source for the handlers.
  ///   - plan: decides the import.
  package func run(_ source: String, _ plan: @HostActor () async throws -> ImportPlan) async throws -> ImportSummary {
    var begunRun: ImportRun?
    do {
      let begun = try await ImportRun(try await plan(), self)
      begunRun = begun
      let summary = try await begun.run()
      try await session.events.deliver(EndedImport(source: source, summary: begun.summary, error: nil))
      return summary
    } catch {
      try await session.events.deliver(EndedImport(source: source, summary: begunRun?.summary, error: error))
      throw error
    }
  }

  /// The journals in their usual folder.
  func journals() throws(ImportError) -> JournalShelf { JournalShelf(folder: try folder()) }

  /// The folder of the journals.
  func folder() throws(ImportError) -> String {
    if let folder = session.configuration.importsFolder { return folder }
    return try ImportJournal.standardFolder()
  }

  /// The folder of journals that end with the run.
  func temporaryFolder() throws(FileFailure) -> String {
    if let temporary { return temporary.path }
    let made = try ScratchFolder("b2c-run-plans-")
    temporary = made
    return made.path
  }

  /// The folder of the journal of an undo: tasks of a tenant in memory end with the run, and so do their journals.
  func folder(ofUndo journal: JournalSummary) throws -> String {
    if let temporary, isPassing(journal) { return temporary.path }
    return try folder()
  }

  /// True for a journal that ends with this run.
  func isPassing(_ journal: JournalSummary) -> Bool {
    journal.path == nil || journal.path?.parentFolder == temporary?.path
  }

  /// The IDs of imports, the last one first.
  package var names: [String] {
    guard let folder = try? folder(), FileSystem.access(folder, F_OK) == 0 else { return [] }
    return ((try? JournalShelf(folder: folder).list()) ?? []).compactMap(\.shortID)
  }

  /// The imports in the database of `--store`; nil if the store is a folder, or the tasks are those of this run's tenant.
  func shared() throws -> SharedImports? {
    guard case .database(let address) = try session.accounts.location() else { return nil }
    let shared = SharedImports(PostgresDatabase(address))
    shared.damaged.tell = { [console = session.console] in console.log(.error, $0) }
    return shared
  }

  /// Checks the tables of shared imports, or makes them. Waits for a server that does not answer.
  func prepare(_ shared: SharedImports) async throws {
    let warn: @HostActor (String) -> Void = { [console = session.console] in console.log(.warn, $0) }
    try await PostgresDatabase.patiently(shared.place, warn) { try await shared.prepare() }
  }

  /// This process, as other machines see it.
  var worker: WorkerIdentity {
    WorkerIdentity(
      machine: session.configuration.machineName ?? HostName.current, process: Int(getpid()), boot: HostName.bootID,
      version: session.configuration.version)
  }

  /// The imports that the script may read, of this machine and of the database.
  package func visible() async throws -> [JournalSummary] {
    try await all().filter { isAllowed($0, .read) }
  }

  private func all() async throws -> [JournalSummary] {
    let passing = try temporary.map { try JournalShelf(folder: $0.path).list() } ?? []
    let own = try journals().list() + passing
    guard let shared = try self.shared() else { return own }
    try await prepare(shared)
    let all = try await shared.summaries() + own
    await shared.close()
    return all.sorted { $0.updated > $1.updated }
  }

  /// One import: by its ID or the beginning of it, by its source, or by the file of its journal. For a source that a
  /// script may not use, the person is asked. A script that cannot name an import does not hear of it.
  /// - Throws: `PermissionDenied`; `journal_unknown`.
  package func find(_ name: String, _ use: Permissions.FileUse, by call: String) async throws -> JournalSummary {
    let shelf = try journals()
    let visible = try await self.visible()
    do {
      let journal = try shelf.summary(name, among: visible)
      if !isAllowed(journal, use) {
        _ = try session.permissions.check((journal.identity?.sourceFile ?? journal.path ?? "").pathBytes, use, by: call)
      }
      return journal
    } catch {
      guard error is ImportError, name.contains("/") || FileSystem.access(name, F_OK) == 0 else { throw error }
      let file = try session.permissions.check(name.pathBytes, use, by: call)
      let place = file.isUnrestricted ? OutputPlace(name) : OutputPlace(name, exact: file.path.bytes)
      return try shelf.summary(name, among: visible, file: place)
    }
  }

  /// Returns a function that reads the failed and unsettled rows of an import.
  package func failures(
    of journal: JournalSummary
  ) throws -> @HostActor () async throws -> JournalFailure? {
    if let id = journal.shared?.id, let shared = try self.shared() { return shared.failureReader(of: id) }
    let rows = try journals().failures(of: journal)
    return { try rows.next() }
  }

  /// Returns a function that reads the added rows of an import with their tasks; none for an import in a database, which keeps
  /// no IDs.
  package func tasks(of journal: JournalSummary) throws -> @HostActor () throws -> JournaledTask? {
    let rows = journal.shared == nil ? try journals().tasks(of: journal) : nil
    return { try rows?.nextAdded() }
  }

  /// The number of added rows whose tasks have IDs; nil if nobody keeps them.
  package func taskCount(of journal: JournalSummary) throws -> Int? {
    journal.shared == nil && journal.trouble == nil ? try journals().taskCount(of: journal) : nil
  }

  package func forget(_ journal: JournalSummary) async throws {
    guard let id = journal.shared?.id, let shared = try self.shared() else {
      try journals().forget(journal)
      return
    }
    try await shared.forget(id)
    await shared.close()
  }

  /// True if the script may hear of that import.
  func isVisible(_ journal: JournalSummary) -> Bool { isAllowed(journal, .read) }

  private func isAllowed(_ journal: JournalSummary, _ use: Permissions.FileUse) -> Bool {
    if session.permissions.allowsOthersData || journal.path.map(ownJournals.contains) == true { return true }
    // Nobody knows the source of a journal that cannot be read.
    guard let source = journal.identity?.sourceFile, source.hasPrefix("/") else { return false }
    return session.permissions.isAllowed(source.pathBytes, use)
  }

  // MARK: Identity

  /// The facts by which a later run knows an import again: its source, the user whose tasks they are, and the API.
  /// `path` is nil for a source that no later run could know again; `name` is its name then.
  func identity(of path: String?, named name: String, for account: Account) throws -> ImportIdentity {
    let settings = try session.settings()
    let address = try settings.taskAPI
    // The tenant's port may be another the next time; its data stays.
    let tenant = try usesOwnTenant() ? tenantAPI : nil
    let user = account.claims["oid"]?.string ?? account.subject
    // Not the whole issuer: it may name the policy, of which one user has several.
    let directory = tenant ?? Origin(account.issuer)?.description ?? account.issuer
    return ImportIdentity(
      source: path.map { FileSystem.realPath($0) ?? $0 } ?? name, account: "\(user) of \(directory)",
      accountName: account.name, api: tenant ?? Self.canonical(address) + settings.tasksPath)
  }

  /// The identity of an import into a task service.
  /// - Parameter service: the service with its options.
  static func identity(of path: String?, named name: String, forService service: String) -> ImportIdentity {
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
  func keepsTasks() throws -> Bool { try session.configuration.localTenant?.data != nil || !usesOwnTenant() }

  /// True if the task API is that of this run's local tenant, or that of a tenant of another process with the same data.
  private func usesOwnTenant() throws -> Bool {
    guard let tenant = session.tenant, let own = Origin(tenant.url),
      let api = Origin(try session.settings().taskAPI)
    else { return false }
    if api == own { return true }
    guard session.configuration.localTenant?.data != nil, api.scheme == own.scheme, api.isLoopback else { return false }
    return api.port == own.port || api.port == tenant.otherPort
  }
}

/// An import has ended, or could not begin. Handlers are called before the call returns.
package struct EndedImport: Sendable {
  package let source: String
  /// Nil if the import had not begun.
  package let summary: ImportSummary?
  /// The reason why the import stopped; nil if it came to its end.
  package let error: (any Error)?
}
