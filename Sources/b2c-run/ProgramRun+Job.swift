import Automation
import CommandLine
import Core
import HostLoop
import JSON
import JobProcesses
import Jobs
import Lua
import LuaJobs
import Permissions
import ScriptHost

extension ScriptHost {
  /// The script that comes next is a run of a job.
  func begin(_ run: JobSession, job: String?) {
    jobSession = run
    session.permissions.start.job = job
    session.permissions.start.files = run.event["files"]?.array?.compactMap { $0["path"]?.string } ?? []
  }
}

extension ProgramRun {
  /// Runs a script. A job host gets to know how the script ends.
  func runFile(_ path: String, _ source: [UInt8], on host: ScriptHost) async throws {
    guard purpose == .run else {
      try await host.run(source, path: path, arguments: words)
      return
    }
    let link = try RunLink(.run)
    // False if the host has ended meanwhile.
    guard try await link.begin() else { return }
    host.begin(JobSession(link, script: path), job: link.context["job"]?.string)
    host.jobSession.tell(of: host.session.accounts.events)
    let source = host.jobSession.script(path, source)
    do {
      try await host.run(source, path: path, arguments: words)
      try await host.jobSession.finish()
    } catch {
      if !(error is CancellationError) { host.jobSession.fail(LuaError(error)) }
      throw error
    }
  }

  /// Tells a job host the declaration of a script, and those of the scripts that the host names after it.
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
  /// close of a variable. Returns the message to the job host.
  private func declaration(of path: String, _ console: Console) async throws -> DeclarationMessage {
    let answer = CancellableWait<DeclarationMessage>()
    HostActor.task {
      do {
        let source = try ScriptFile.read(path)
        _ = try await invocation.options.withHost(console) { host in
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
          _ = try await host.run(source, path: path, arguments: words)
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

  /// Tells a host the command line that a script declares. The script ends there; until then it may not wait for anything.
  func declareOptions(_ path: String, _ console: Console) async throws {
    let link = try RunLink(.options)
    guard try await link.begin() else { return }
    do {
      let source = try ScriptFile.read(path)
      var declared: JSON?
      _ = try await invocation.options.withHost(console) { host in
        host.state.beforeWaiting = { function throws(LuaError) in
          throw LuaError(
            code: "usage", message: "\(function.name): the script works before it calls term.options",
            hint: "call term.options first")
        }
        declared = try await host.declaredOptions(path: path, source)
      }
      link.tell(declared.map { .declared($0) } ?? .none)
    } catch { link.tell(.failed(JobSession.told(LuaError(error)))) }
  }
}
