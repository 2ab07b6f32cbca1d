import Automation
import Core
import Crypto
import DatabaseAddress
import Files
import Glibc
import HostLoop
import JSON
import JobProcesses
import Jobs
import Lua
import LuaJobs
import LuaKit
import Permissions
import ScriptHost

extension Invocation {
  /// Runs a script. For a job host, the host gets to know how the script ends.
  @HostActor
  func runAsJob(_ host: ScriptHost, name: String, _ body: @HostActor () async throws -> Void) async throws {
    guard jobPurpose == .run else { return try await body() }
    let link = try RunLink(.run)
    // False if the host has ended meanwhile.
    guard try await link.begin() else { return }
    host.jobSession = JobSession(link, script: name)
    host.session.permissions.start.job = link.context["job"]?.string
    host.session.permissions.start.files =
      link.context["event"]?["files"]?.array?.compactMap { $0["path"]?.string } ?? []
    host.jobSession.tell(of: host.session.accounts.events)
    do {
      try await body()
      try await host.jobSession.finish()
    } catch {
      if !(error is CancellationError) { host.jobSession.fail(LuaError(error)) }
      throw error
    }
  }

  /// Tells a job host the declaration of a script, and those of the scripts that the host names after it.
  @HostActor
  func declareJobs(_ first: String, _ console: Console) async throws {
    let link = try RunLink(.declare)
    // False if the host has ended meanwhile.
    guard try await link.begin() else { return }
    var script: String? = first
    while let path = script {
      link.tell(try await declaration(of: path, console))
      script = try await link.nextScript()
    }
  }

  /// Runs a script until it declares its job, and leaves it there: nothing behind the declaration may happen, not even the
  /// close of a variable. Returns what the job host is told.
  @HostActor
  private func declaration(of path: String, _ console: Console) async throws -> DeclarationMessage {
    let answer = CancellableWait<DeclarationMessage>()
    HostActor.task {
      do {
        let source = try read(path)
        _ = try await withHost(console) { host in
          host.jobSession = JobSession(nil, script: path) { value in
            answer.finish(.success(.declared(value)))
            while true { try await HostLoop.shared.sleep(seconds: 3600) }
          }
          host.state.beforeWaiting = { function throws(LuaError) in
            guard function.name != "job" else { return }
            throw LuaError(
              code: "bad_job", message: "\(function.name): the script works before it calls b2c.job",
              hint: "call b2c.job first")
          }
          _ = try await host.run(source, path: path, arguments: arguments)
        }
        answer.finish(.success(.none))
      } catch {
        var told = LuaError(error)
        // Before its declaration a script has no permissions.
        if told.code == PermissionDenied.code {
          told.message = "the script works before it calls b2c.job: \(told.message)"
          told.hint = "call b2c.job first"
        }
        answer.finish(.success(.failed(JobSession.told(told))))
      }
    }
    return try await answer.value()
  }

  /// Starts the processes of jobs.
  @HostActor
  func scriptLauncher(folder: String, logs: String) throws -> ScriptLauncher {
    let hidden = ["LISTEN_", "NOTIFY_", "WATCHDOG_", "CREDENTIALS_DIRECTORY=", ServiceCredentials.ownVariable]
    var environment = Self.environment.filter { variable in !hidden.contains(where: variable.hasPrefix) }
    // A run finds the secrets of the service, and its script cannot name their folder.
    if let folder = ServiceCredentials.folder { environment.append("\(ServiceCredentials.ownVariable)=\(folder)") }
    return ScriptLauncher(
      ScriptLauncher.Program(
        path: FileSystem.realPath("/proc/self/exe") ?? "b2c-run", arguments: passedOptions, folder: folder,
        logs: logs,
        environment: environment))
  }

  /// The variables of this process: `NAME=VALUE`.
  static var environment: [String] {
    var environment: [String] = []
    var entry = environ
    while let text = entry.pointee {
      environment.append(String(path: text))
      entry += 1
    }
    return environment
  }

  /// The options that each run of a job gets, too. Paths in them are absolute.
  private var passedOptions: [String] {
    given.flatMap { option, text -> [String] in
      switch option {
      case "--store" where PostgresAddress.isOne(text ?? ""): [option, text ?? ""]
      case "--settings", "--store", "--cacert", "--plugin": [option, JobsPlace.absolute(text ?? "")]
      case "--set":
        if let text, let range = text.firstRange(of: "=@"), text[..<range.lowerBound] == SecretSource.key {
          [option, "\(SecretSource.key)=@\(JobsPlace.absolute(String(text[range.upperBound...])))"]
        } else {
          [option, text ?? ""]
        }
      case "--account", "--memory", "--log-level", "--log-format": [option, text ?? ""]
      case "--trust-plugins", "--no-plugins", "--quiet": [option]
      default: []
      }
    }
  }

  /// Reads the definitions of jobs in the folder.
  @HostActor
  func jobFolder(_ place: JobsPlace, _ launcher: ScriptLauncher) -> JobFolder {
    JobFolder(
      place.folder ?? place.name, launcher: launcher, digest: { SHA256.hash($0).hexadecimal },
      needs: { ScriptHeader.flags(of: $0) })
  }
}
