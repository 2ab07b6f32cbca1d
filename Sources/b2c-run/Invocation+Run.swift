import Automation
import Core
import Files
import FoundationEssentials
import Glibc
import HostLoop
import JobProcesses
import Jobs
import LocalTenant
import Lua
import LuaKit
import REPL
import ScriptHost
import Settings

extension Invocation {
  /// Every failure has been reported when this returns. `stopReason` is asked why the process stops the script.
  @HostActor
  func run(_ stopReason: @escaping () -> ExitStatus? = { nil }) async -> ExitStatus {
    let console = Console(level: logLevel, isQuiet: isQuiet, format: logFormat)
    if hasPasswordInStore {
      console.log(
        .warn,
        "--store has a password, which other users of this machine see in the list of processes; "
          + "write it into the file of PGPASSFILE instead (by default ~/.pgpass)")
    }
    if isWatching { do { return try await watch(console) } catch { return report(error, console) } }
    return await traced(console, stopReason) { invocation in
      switch action {
      case .version: StandardOutput.write("b2c-run \(Version.text) (Lua \(LuaState.version))\n")
      case .command(let command): return try await command.run(invocation, console)
      case .session: return try await invocation.runSession(console)
      case .chunk(let chunk):
        return try await invocation.withHost(console) { host in
          _ = try await host.run(chunk.pathBytes, path: "(command line)", arguments: arguments, hasAPI: true)
        }
      case .script("-"):
        guard !isInputTaken else {
          throw UsageError(
            "standard input cannot be both the client secret and the script",
            hint: "give one of them as a file: --set \(SecretSource.key)=@FILE")
        }
        let source = try contents(of: OpenFile.standardInput(), "standard input")
        return try await invocation.withHost(console) { host in
          _ = try await host.run(source, path: "(standard input)", arguments: arguments)
        }
      case .script(let name) where jobPurpose == .declare: try await declareJobs(name, console)
      case .script(let name):
        let source = try path(ofScript: name).map { (path: $0, text: try read($0)) }
        return try await invocation.withHost(console) { host in
          if let source {
            return try await runAsJob(host, name: name) {
              _ = try await host.run(source.text, path: source.path, arguments: arguments)
            }
          }
          try await host.makeReady()
          switch host.registry.commands[name] {
          case .stock(let script)?: try await host.run(read(script.path), path: script.path, arguments: arguments)
          case .plugin(let command)?: try await host.run(command, arguments: arguments)
          case nil: throw notFound(name, among: host.registry.commands.names + Command.all.map(\.name))
          }
        }
      case nil: break
      }
      return .done
    }
  }

  /// The kind of the local tenant: `--set kind=external_id` makes it one of External ID.
  private var tenantKind: TenantKind {
    configuration.session.settings.overrides.last { $0.key == "kind" }.flatMap { TenantKind(rawValue: $0.value) }
      ?? .b2c
  }

  /// The profile of the local tenant: `--set profile=fapi2` makes the tenant enforce it.
  private var tenantProfile: TenantProfile? {
    configuration.session.settings.overrides.last { $0.key == "profile" }.flatMap { TenantProfile(rawValue: $0.value) }
  }

  /// Makes a host, and the local tenant if it is wanted, for `body`, and ends both afterwards.
  @HostActor
  func withHost(_ console: Console, _ body: @HostActor (ScriptHost) async throws -> Void) async throws -> ExitStatus {
    var configuration = configuration
    let tenant = try startTenant(console)
    if let certificate = try tenantCertificate {
      configuration.session.caFile = configuration.session.caFile ?? certificate.path
    }
    defer { tenant?.stop() }
    configuration.session.localTenant?.data = local ?? nil
    configuration.mayAsk = asksForPermissions
    let host = try ScriptHost(configuration, console: console, tenant: tenant)
    defer { host.close() }
    host.state.obey(signal: Interrupts.stopSignal)
    do { try await body(host) } catch let error as any Failure where error.hint?.contains(Settings.placeWords) == true {
      // The parts of the host that give hints do not know where the settings come from.
      guard let settings = try? host.session.settings() else { throw error }
      var located = LuaError(error)
      located.hint = located.hint.map(settings.located)
      throw located
    }
    return host.failedRows > 0 ? .failedRows : .done
  }

  private var tenantCertificate: TenantCertificate? {
    get throws { local != nil && tenant.usesTLS ? try TenantCertificate.find() : nil }
  }

  /// The local tenant of `--local`; nil without one.
  @HostActor
  func startTenant(_ console: Console) throws -> LocalTenant? {
    // The tenant has settings of its own, and a script may need none: nobody else would tell.
    if let file = configuration.session.settings.file { try Settings.check(file: file) }
    guard let data = local else {
      guard !tenant.usesTLS else {
        throw UsageError(
          "--tls: there is no local tenant to serve https", hint: "add --local, or use b2c-run tenant --tls")
      }
      return nil
    }
    var settings = TenantConfiguration(
      dataFile: data, tls: try tenantCertificate?.identity, kind: tenantKind,
      onMessage: { console.post(.info, $0.text) })
    settings.profile = tenantProfile
    settings.clientAuthorities = try tenant.readAuthorities()
    return try LocalTenant(settings)
  }

  /// The runs of jobs use this tenant by a file with its settings, which is written to `folder`.
  mutating func pass(_ tenant: LocalTenant, in folder: String) throws {
    let path = "\(folder)/tenant.plist"
    do {
      try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)).write(
        tenant.settingsFile.utf8)
    } catch { throw UsageError("cannot write \(path): \(error.reason)") }
    given.removeAll { $0.option == "--settings" }
    given.insert(("--settings", path), at: 0)
    if configuration.session.storePath == nil {
      // Accounts of an earlier tenant are of no use at this one.
      let store = "\(folder)/tenant-accounts"
      TemporaryPlace.remove(store)
      given.append(("--store", store))
    }
    if let certificate = try tenantCertificate { given.append(("--cacert", certificate.path)) }
  }

  /// The path of a script; nil for a name that can only be that of a command.
  func path(ofScript name: String) throws(UsageError) -> String? {
    if !FileSystem.isFolder(name), FileSystem.exists(name) { return name }
    guard name.contains(where: { $0 == "." || $0 == "/" }) else { return nil }
    throw notFound(name)
  }

  private func notFound(_ name: String, among commands: [String] = []) -> UsageError {
    if FileSystem.exists(name) { return UsageError("the script \(name) is a folder, expected a Lua file") }
    let others = commands.isEmpty ? "" : ", or one of \(commands.sorted().joined(separator: ", "))"
    return UsageError(
      "cannot find the script '\(name)'",
      hint: didYouMean(name, among: commands + GivenFiles.beside(name)) ?? synonym(name, commands)
        ?? "give the path of a Lua file\(others)")
  }

  /// The command that a word of another program means; a concept is one of help.
  private func synonym(_ name: String, _ commands: [String]) -> String? {
    guard !commands.isEmpty else { return nil }
    return Synonyms.topic(name, among: commands)
      ?? Synonyms.topic(name, among: Concept.all.map(\.name)).map { "\($0) (b2c-run help)" }
  }

  func read(_ path: String) throws -> [UInt8] {
    let file: OpenFile
    do { file = try OpenFile(path, .streaming) } catch {
      throw UsageError(
        "cannot read the script \(path): \(error.reason)",
        hint: error.number == EACCES ? "check who owns the file, and its mode" : nil)
    }
    return try contents(of: file, "the script \(path)")
  }

  /// The bytes that a script may have. A folder may be somebody else's, with files of any size.
  private static let mostBytesOfScript = 64 << 20

  private func contents(of file: OpenFile, _ name: String) throws(UsageError) -> [UInt8] {
    do { return GivenFiles.withoutInterpreterLine(try file.contents(limit: Self.mostBytesOfScript)) } catch {
      throw error.number == EISDIR
        ? UsageError("\(name) is a folder, expected a Lua file")
        : UsageError("cannot read \(name): \(error.reason)")
    }
  }

  @HostActor
  private func runSession(_ console: Console) async throws -> ExitStatus {
    _ = try await withHost(console) { host in
      if !isQuiet { greet(host, console) }
      let session = REPL.Session(host, console: console, timeout: timeout, stopSignal: Interrupts.stopSignal)
      Interrupts.handOver { hasStopped in
        HostActor.task {
          await session.interrupt()
          hasStopped()
        }
      }
      defer { Interrupts.handOver(nil) }
      try await session.run()
    }
    return .done
  }

  @HostActor
  private func greet(_ host: ScriptHost, _ console: Console) {
    console.write("b2c-run \(Version.text), Lua \(LuaState.version). help() explains; Ctrl-D ends.")
    guard let url = host.session.tenant?.url else {
      console.write("Commands of the shell: \(Command.daily.joined(separator: ", ")). b2c-run --help explains them.")
      return
    }
    let users = LocalTenant.seededUsers.map(\.username).joined(separator: " and ")
    console.write("Local tenant at \(url), with the users \(users):\ntenant.sign_in() signs the first one in.")
  }
}
