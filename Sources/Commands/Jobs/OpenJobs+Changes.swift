import Automation
import CommandLine
import Core
import Files
import HostLoop
import JSON
import JobProcesses
import JobServer
import Jobs
import Permissions
import Terminal

extension OpenJobs {
  func start(_ name: String, _ words: [String]) async throws {
    let event = try options.input.event.map { try EventFile.read($0) }
    try tell(
      try await ask(
        .run(job: name, arguments: words.isEmpty ? nil : words, event: event, like: options.input.like)))
  }

  func tell(_ reply: CommandReply) throws {
    if options.isJSON { return write(reply.json) }
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
    guard relay == nil else { return run.session.commandLine(command) }
    let places = [("--folder", options.folder), ("--state", options.state)]
    return
      (["b2c-run \(command)"] + places.compactMap { option, path in path.map { "\(option) \(ShellWord.quoted($0))" } })
      .joined(separator: " ")
  }

  /// The way to have the server read the scripts again.
  private var reloading: String { commandLine("jobs reload") }

  /// Changes a job by the server, or in the store if no server runs.
  func change(
    _ name: String, _ command: JobCommand, done: String, _ body: (inout JobRecord) -> Void
  ) async throws {
    let answer = try await ControlClient.ask(command, in: place.state, tell: notice)
    var changed: JobRecord?
    if answer == nil, let relay, let store {
      if try await store.hasPlanner() {
        _ = try await relay.answer(command, tell: notice)
      } else {
        var record = try await overview(name).record
        body(&record)
        try await store.save(record)
        changed = record
      }
    } else if answer == nil {
      try place.state.make()
      let lock = try StateLock(place.state)
      defer { withExtendedLifetime(lock) {} }
      var record = try await overview(name).record
      body(&record)
      try await place.state.open().save(record)
      changed = record
    }
    console.log(.info, "\(done) the job \(name)")
    if case .pause = command { return }
    // The job may not start for another reason.
    let job =
      if let changed { try await JobOverview(changed, store, zone: zone, now: now) } else { try await overview(name) }
    if let problem = job.problem(commandLine) { console.log(.warn, problem) }
  }

  /// Shows what a job needs, and records the yes of a person.
  func allow(_ name: String) async throws {
    let job = try await overview(name)
    // The script of this machine, if it has one, and not what a database says. It may be on other machines alone.
    let own = place.folder.map { "\($0)/\(name).lua" } ?? ""
    let path = FileSystem.exists(own) ? own : job.record.path
    let isHere = relay == nil || FileSystem.exists(path)
    let source = isHere ? try ScriptFile.read(path) : Array("-- needs: \(job.record.needs.joined(separator: " "))".utf8)
    let header = ScriptHeader.flags(of: source)
    // The job needs to read the files in its declaration, too.
    let others = JobNeeds.missing(
      in: header, for: job.declaration?.filePatterns ?? [], job.declaration?.notices ?? [],
      from: Array((place.folder ?? path.parentFolder).parentFolder.utf8))
    let flags = header + others.map(\.flag)
    var asRead = job.record
    asRead.needs = flags
    let missing = asRead.missing
    if missing.isEmpty { return try tellAllAllowed(job) }
    let needs = ScriptHeader(source).needs.filter { !Set($0.flags).isDisjoint(with: missing) }.map {
      ($0.shownFlags.joined(separator: " "), $0.shownReason)
    }
    let facts =
      ["The job \(name) (\(path)) needs:"]
      + (needs + others.filter { missing.contains($0.flag) }.map { ($0.flag.displayable, $0.reason.displayable) }).map {
        "  \($0)" + ($1.isEmpty ? "" : "  \($1)")
      }
    if !options.isAgreed {
      guard let answer = PermissionPrompt.person(console).confirm(facts, "Allow it for each run?") else {
        for fact in facts { console.write(fact) }
        throw UsageError("jobs allow: there is no terminal to ask on", hint: "add --yes to allow all of it")
      }
      guard answer else {
        throw JobError(
          "permission_denied", "nothing has been allowed to the job \(name)",
          hint: "the job stays held: change the needs in the first comment of \(path), or allow them later by "
            + commandLine("jobs allow \(name)"))
      }
    }
    try await change(name, .allow(job: name, flags: flags), done: "allowed") { $0.allow(flags) }
  }

  /// All that the script needs is allowed. The server may know an earlier script, which needs more.
  private func tellAllAllowed(_ job: JobOverview) throws(JobError) {
    let name = job.record.name
    guard job.record.missing.isEmpty else {
      throw JobError(
        "held",
        "all that the script of the job \(name) needs is allowed, but the server has read an earlier script, which needs "
          + job.record.missing.joined(separator: " "), hint: "let the server read the scripts again: \(reloading)")
    }
    console.log(.info, "the job \(name) needs nothing that is not allowed yet")
    if let problem = job.problem(commandLine) { console.log(.warn, problem) }
  }
}
