import Automation
import CommandLine
import Core
import Files
import HTTPClient
import HostLoop
import Lua
import Replay
import ScriptHost

/// `b2c-run replay`
struct ReplayCommand: Command {
  static let form = CommandForm(
    "replay", "run a script again on the answers in a trace, without a network",
    positions: [
      .init("TRACE", "a trace of --trace FILE.json --replayable"),
      .init("[SCRIPT]", "the script; that of the trace if it is not given"),
    ],
    fileEnding: ".json", isTraceable: true)

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let tape = try ReplayTape(ofTrace: words[0])
    guard var replayed = ReplayedRun(tape.run) else {
      throw UsageError("replay: \(words[0]) does not say which script ran", hint: "name it: replay TRACE SCRIPT")
    }
    if words.count > 1 { replayed.subject = .script(words[1]) }
    let options = try Self.options(run, for: replayed)
    let playback = Playback(tape, trace: words[0].lastName)
    (CurrentTape.value, HTTPClient.tape) = (playback, playback)
    defer {
      (CurrentTape.value, HTTPClient.tape) = (nil, nil)
      StandingClock.end()
    }
    let task = HostActor.task { try await Self.run(replayed, options, console) }
    playback.onDifference = {
      task.cancel()
      // A script that computes does not wait for anything that is canceled.
      LuaState.ask(.stop, bySignal: Interrupts.stopSignal)
    }
    let result = await withTaskCancellationHandler(operation: { await task.result }, onCancel: { task.cancel() })
    playback.finish()
    if let difference = playback.difference { throw difference }
    return try result.get()
  }

  /// The options of the recorded run. Permissions are those of this command line: a trace grants nothing.
  @HostActor
  private static func options(_ run: RunOptions, for replayed: ReplayedRun) throws -> RunOptions {
    guard run.session.localTenant == nil, run.session.settings.file == nil, run.session.settings.overrides.isEmpty
    else {
      throw UsageError("replay: --local, --settings and --set are those of the trace", hint: "leave them out")
    }
    var run = run
    if replayed.hasTenant {
      run.session.localTenant = .init()
      run.session.settings.overrides = replayed.overrides
    }
    run.tenant.usesTLS = replayed.usesTLS
    run.session.accountName = run.session.accountName ?? replayed.account
    run.session.forgetsAccounts = true
    run.session.importsFolder = try TemporaryPlace.makeFolder("b2c-run-replay-")
    return run
  }

  @HostActor
  private static func run(
    _ replayed: ReplayedRun, _ options: RunOptions, _ console: Console
  ) async throws -> ExitStatus {
    defer { options.session.importsFolder.map(TemporaryPlace.remove) }
    let (source, path): ([UInt8], String)
    switch replayed.subject {
    case .chunk(let chunk): (source, path) = (chunk.pathBytes, "(command line)")
    case .script(let name):
      guard let found = try ScriptFile.path(of: name) else { throw ScriptFile.notFound(name) }
      (source, path) = (try ScriptFile.read(found), found)
    }
    return try await options.withHost(console) { host in
      try await host.run(source, path: path, arguments: replayed.words, hasAPI: path == "(command line)")
    }
  }
}
