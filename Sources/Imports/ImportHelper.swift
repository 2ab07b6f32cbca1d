import Accounts
import Automation
import Core
package import HostLoop
import ImportEngine
import ImportFormats
import JSON
import SharedImport
import TaskAPI

/// Works on the imports of a database, one after the other.
@HostActor
package final class ImportHelper {
  private let imports: RunImports
  private let shared: SharedImports
  private let form: ImportProgress.Form?
  private let service: @HostActor (String) async throws -> any DeclaredService
  /// The IDs of the imports that this machine cannot work on. The reason is told once.
  private var refused: Set<String> = []
  /// The IDs of the imports of which this machine has just sent nothing: others come first.
  private var idle: Set<String> = []
  /// The IDs of the imports that stopped while this machine worked on them.
  private var stopped: Set<String> = []
  private var count = 0
  private var console: Console { imports.session.console }

  /// Seconds between two looks for imports.
  private static let pause = 2.0

  /// - Parameters:
  ///   - call: the name of the call in messages: `tasks.work`.
  ///   - service: opens the task service of that name.
  /// - Throws: `no_database` if no database is shared with other machines.
  package init(
    _ imports: RunImports, _ form: ImportProgress.Form?, by call: String,
    service: @escaping @HostActor (String) async throws -> any DeclaredService
  ) throws {
    guard let shared = try imports.shared() else {
      throw ImportRefusal(
        .noDatabase, "\(call): there is no database that machines share",
        hint: "give one: b2c-run --store postgresql://USER@HOST/NAME work")
    }
    self.imports = imports
    self.shared = shared
    self.form = form
    self.service = service
  }

  /// Returns the number of imports that this machine has worked on.
  package func run(isOnce: Bool) async throws -> Int {
    try await imports.prepare(shared)
    var hasTold = false
    while true {
      if let next = try await next() {
        hasTold = false
        try await help(next)
        continue
      }
      if isOnce { return try finish() }
      idle = []
      if !hasTold {
        let whose = refused.isEmpty ? "" : " that this machine can help with"
        console.log(.info, "no import\(whose) has rows to send; waiting for one (Ctrl-C ends this)")
      }
      hasTold = true
      try await HostLoop.shared.sleep(seconds: Self.pause)
    }
  }

  /// Throws if an import stopped, or if there were imports, and this machine could help with none.
  private func finish() throws -> Int {
    guard stopped.isEmpty else {
      throw ImportRefusal(
        .stopped, "\(counted(stopped.count, "import")) stopped with rows that were not sent",
        hint: "the warnings above say why")
    }
    guard count == 0, !refused.isEmpty else { return count }
    throw ImportRefusal(
      .cannotHelp, "this machine can help with none of \(counted(refused.count, "import"))",
      hint: "the warnings above say why")
  }

  private func next() async throws -> SharedImport? {
    try await shared.waiting().first { !refused.contains($0.id) && !idle.contains($0.id) }
  }

  private func help(_ record: SharedImport) async throws {
    let source = record.identity.sourceName
    let service: any TaskService
    do { service = try await self.service(record) } catch is CancellationError {
      throw CancellationError()
    } catch {
      let error = ErrorWords(error)
      refused.insert(record.id)
      let advice = error.hint.map { "; \($0)" } ?? ""
      return console.log(
        .warn, "this machine does not help with the import of \(source): \(error.message)\(advice)")
    }
    let events = Events(partOf: imports.session.events)
    let run = SharedRun(
      shared, record, service: service, options: ImportOptions(shared: record.options), events: events,
      worker: imports.worker)
    console.log(.info, "helping with the import of \(source) for \(record.identity.accountName)")
    let progress = ImportProgress(console, form)
    progress.follow(events) { [console] in console.log(.info, $0) }
    count += 1
    defer { progress.end() }
    do {
      if try await run.run().addedNow == 0 { idle.insert(record.id) }
      stopped.remove(record.id)
    } catch let error as ImportError where error.kind == .stopped {
      // The next round finds out whether the import goes on. Others come before it, and are not affected.
      idle.insert(record.id)
      stopped.insert(record.id)
      console.log(.warn, error.description)
      try await HostLoop.shared.sleep(seconds: Self.pause)
    }
  }

  /// The place of the import's tasks, as the settings of this machine name it.
  private func service(_ record: SharedImport) async throws -> any TaskService {
    let id = record.place["account"]?.string
    let account = if let id { try await imports.session.accounts.account(named: id) } else { Account?.none }
    if let name = record.place["service"]?.string { return try await service(name) }
    guard let account else { throw ImportRefusal(.noAccount, "the import names no account") }
    let own = try imports.identity(of: nil, named: "", for: account)
    guard own.api == record.identity.api else {
      throw ImportRefusal(
        .otherAPI,
        "its API is \(record.identity.api), and the settings of this machine name \(own.api)",
        hint: "give the settings of the import with --settings")
    }
    return try imports.session.taskClient(
      of: account, timeout: ImportOptions.timeout(shared: record.options) ?? TaskAPIClient.usualTimeout)
  }
}
