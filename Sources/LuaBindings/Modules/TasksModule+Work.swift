import Accounts
import Automation
import Core
import HostLoop
import JSON
import Lua
import TaskAPI
import TaskImport

extension TasksModule {
  static let work = suspending(
    "tasks.work",
    "Sends rows of the imports in the database of --store, which several machines share, until the script ends.",
    .options([
      .optional("once", .boolean, "End when no import has rows to send. If not given, wait for more.")
        .flag("--once", "end when no import has rows to send"),
      .optional(
        "progress", .either([.boolean, .choice(ImportProgress.Form.allCases.map(\.rawValue))]),
        "The form of the progress display: \"bar\", \"lines\", \"json\", or \"none\" (or false)."
      ).flag("--progress HOW", "the form of the progress display: bar, lines, json, none"),
    ]),
    returns: .init(.integer, "The number of imports that this machine has worked on.")
  ) { module, arguments in
    guard let shared = try module.host.automation.sharedImports() else {
      throw LuaError(
        code: "no_database", message: "\(arguments.function.name): there is no database that machines share",
        hint: "give one: b2c-run --store postgresql://USER@HOST/NAME work")
    }
    let form =
      arguments["progress"].boolean == false
      ? ImportProgress.Form.none : arguments["progress"].string.flatMap(ImportProgress.Form.init)
    let helper = ImportHelper(module.host, shared, form)
    return [.integer(try await helper.run(isOnce: arguments["once"].isTrue))]
  }
}

/// Works on the imports of a database, one after the other.
@HostActor
private final class ImportHelper {
  private let host: ScriptHost
  private let shared: SharedImports
  private let form: ImportProgress.Form?
  /// The IDs of the imports that this machine cannot work on. The reason is told once.
  private var refused: Set<String> = []
  /// The IDs of the imports of which this machine has just sent nothing: others come first.
  private var idle: Set<String> = []
  /// The IDs of the imports that stopped while this machine worked on them.
  private var stopped: Set<String> = []
  private var count = 0

  /// Seconds between two looks for imports.
  private static let pause = 2.0

  init(_ host: ScriptHost, _ shared: SharedImports, _ form: ImportProgress.Form?) {
    self.host = host
    self.shared = shared
    self.form = form
  }

  func run(isOnce: Bool) async throws -> Int {
    try await host.automation.prepare(shared)
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
        host.console.log(.info, "no import\(whose) has rows to send; waiting for one (Ctrl-C ends this)")
      }
      hasTold = true
      try await HostLoop.shared.sleep(seconds: Self.pause)
    }
  }

  /// Throws if an import stopped, or if there were imports, and this machine could help with none.
  private func finish() throws -> Int {
    guard stopped.isEmpty else {
      throw LuaError(
        code: "stopped", message: "\(counted(stopped.count, "import")) stopped with rows that were not sent",
        hint: "the warnings above say why")
    }
    guard count == 0, !refused.isEmpty else { return count }
    throw LuaError(
      code: "cannot_help", message: "this machine can help with none of \(counted(refused.count, "import"))",
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
      let error = LuaError(error)
      refused.insert(record.id)
      let advice = error.hint.map { "; \($0)" } ?? ""
      return host.console.log(
        .warn, "this machine does not help with the import of \(source): \(error.message)\(advice)")
    }
    let events = Events(partOf: host.automation.events)
    let run = SharedRun(
      shared, record, service: service, options: ImportOptions(shared: record.options), events: events,
      worker: host.automation.worker)
    host.console.log(.info, "helping with the import of \(source) for \(record.identity.accountName)")
    let progress = ImportProgress(host.console, form)
    events.watch(ImportEvent.self) { [host] event, _ in
      switch event {
      case .notice(let sentence): host.console.log(.info, sentence)
      case .progress(let snapshot): progress.show(snapshot)
      case .phase, .retry, .failed: break
      }
    }
    count += 1
    defer { progress.end() }
    do {
      if try await run.run().addedNow == 0 { idle.insert(record.id) }
      stopped.remove(record.id)
    } catch let error as ImportError where error.kind == .stopped {
      // The next round finds out whether the import goes on. Others come before it, and are not affected.
      idle.insert(record.id)
      stopped.insert(record.id)
      host.console.log(.warn, error.description)
      try await HostLoop.shared.sleep(seconds: Self.pause)
    }
  }

  /// The place of the import's tasks, as the settings of this machine name it.
  private func service(_ record: SharedImport) async throws -> any TaskService {
    let id = record.place["account"]?.string
    let account =
      if let id { try await host.luaAccount(host.automation.accounts.account(named: id)) } else { LuaAccount?.none }
    if let name = record.place["service"]?.string {
      return try await host.luaService(named: name, account: try? await host.currentAccount())
    }
    guard let account else { throw LuaError(code: "no_account", message: "the import names no account") }
    let own = try host.automation.importIdentity(of: nil, named: "", for: account.account)
    guard own.api == record.identity.api else {
      throw LuaError(
        code: "other_api",
        message: "its API is \(record.identity.api), and the settings of this machine name \(own.api)",
        hint: "give the settings of the import with --settings")
    }
    return try host.taskClient(
      of: account, timeout: ImportOptions.timeout(shared: record.options) ?? TaskAPIClient.usualTimeout)
  }
}
