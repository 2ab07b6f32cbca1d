import Automation
import Core
import Files
import HostLoop
import JSON
import JobProcesses
import JobServer
import Jobs
import Lua
import Permissions

extension JobsCommand {
  func start(_ name: String, _ words: [String]) async throws {
    try tell(try await ask(.run(job: name, arguments: words.isEmpty ? nil : words)))
  }

  func tell(_ reply: CommandReply) throws {
    if invocation.isJSON { return write(reply.json) }
    let id = reply.run ?? 0
    StandardOutput.write("run \(id)\n")
    if let reason = reply.reason {
      console.log(.warn, "the run \(id) \(reason); \(commandLine("jobs cancel RUN")) ends a run")
    }
    console.log(.info, "\(commandLine("jobs log \(id) --follow")) shows its output")
  }

  @discardableResult
  func ask(_ command: JobCommand) async throws -> CommandReply {
    if let answer = try await ControlClient.ask(command, in: place.state, tell: notice) { return answer }
    guard let relay else {
      throw JobError(
        "no_server", "no server runs with the state folder \(place.state.path)",
        hint: "start one with b2c-run serve, or run the script by hand: b2c-run \(place.script("NAME"))")
    }
    return try await relay.answer(command, tell: notice)
  }

  /// Tells the person who waits.
  private var notice: @HostActor (String) -> Void { { [console] in console.log(.info, $0) } }

  /// A command as a person types it for these jobs.
  func commandLine(_ command: String) -> String {
    relay == nil ? "b2c-run \(command)" : invocation.configuration.commandLine(command)
  }

  /// Changes a job by the server, or in the store if no server runs.
  func change(
    _ name: String, _ command: JobCommand, done: String, _ body: (inout JobRecord) -> Void
  ) async throws {
    let answer = try await ControlClient.ask(command, in: place.state, tell: notice)
    if answer == nil, let relay, let store {
      if try await store.hasPlanner() {
        _ = try await relay.answer(command, tell: notice)
      } else {
        var record = try await overview(name).record
        body(&record)
        try await store.save(record)
      }
    } else if answer == nil {
      try place.state.make()
      let lock = try StateLock(place.state)
      defer { withExtendedLifetime(lock) {} }
      var record = try await overview(name).record
      body(&record)
      try await place.state.open().save(record)
    }
    console.log(.info, "\(done) the job \(name)")
  }

  /// Shows what a job needs, and records the yes of a person.
  func allow(_ name: String) async throws {
    let job = try await overview(name)
    // The script of this machine, if it has one, and not what a database says. It may be on other machines alone.
    let own = place.folder.map { "\($0)/\(name).lua" } ?? ""
    let path = FileSystem.exists(own) ? own : job.record.path
    let isHere = relay == nil || FileSystem.exists(path)
    let source = isHere ? try invocation.read(path) : Array("-- needs: \(job.record.needs.joined(separator: " "))".utf8)
    let header = ScriptHeader.flags(of: source)
    // The job needs to read the files in its declaration, too.
    let others = JobNeeds.missing(
      in: header, for: job.declaration?.filePatterns ?? [],
      from: Array((place.folder ?? path.parentFolder).parentFolder.utf8))
    let flags = header + others.map(\.flag)
    let missing = flags.filter { !job.record.allowed.contains($0) }
    if missing.isEmpty {
      return console.log(.info, "the job \(name) needs nothing that is not allowed yet")
    }
    let needs = ScriptHeader(source).needs.filter { !Set($0.flags).isDisjoint(with: missing) }.map {
      ($0.shownFlags.joined(separator: " "), $0.shownReason)
    }
    let facts =
      ["The job \(name) (\(path)) needs:"]
      + (needs + others.filter { missing.contains($0.flag) }.map { ($0.flag.displayable, $0.reason.displayable) }).map {
        "  \($0)" + ($1.isEmpty ? "" : "  \($1)")
      }
    if !invocation.jobs.isAgreed {
      guard let answer = PermissionPrompt.person(console).confirm(facts, "Allow it for each run?") else {
        for fact in facts { console.write(fact) }
        throw UsageError("jobs allow: there is no terminal to ask on", hint: "add --yes to allow all of it")
      }
      guard answer else { throw JobError("permission_denied", "nothing has been allowed to the job \(name)") }
    }
    try await change(name, .allow(job: name, flags: flags), done: "allowed") { $0.allow(flags) }
  }
}
