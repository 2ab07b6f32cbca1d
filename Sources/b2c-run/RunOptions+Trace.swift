import Automation
import CommandLine
import Core
import Files
import Glibc
import HTTPClient
import HostLoop
import Lua
import Permissions
import Replay
import Trace
import TraceView

extension RunOptions {
  /// Records what `body` does. Its failures have been reported when this returns; throws if there can be no trace.
  /// - Parameters:
  ///   - title: what runs, for the page.
  ///   - run: the subject of a replay; nil for a trace that cannot be replayed.
  @HostActor
  func traced(
    _ place: TracePlace, of title: String?, for run: ReplayedRun? = nil, _ console: Console,
    _ stopReason: @escaping () -> ExitStatus?,
    _ body: @HostActor (RunOptions) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    let recording = try run.map { try Recording(trace: place.path, run: $0.json) }
    let recorder = try TraceRecorder(
      place.path, place.format, program: "b2c-run \(Version.text)", lua: LuaState.version, script: title,
      sealing: recording?.sealed, writePage: { try TracePage.write(events: $0, to: $1, name: $2) })
    recorder.whyStopped = { stopReason()?.sentence }
    var traced = self
    traced.trace = nil
    let events = Events()
    recorder.watch(events)
    if let recording { (CurrentTape.value, HTTPClient.tape) = (recording, recording) }
    defer { (CurrentTape.value, HTTPClient.tape) = (nil, nil) }
    traced.session.events = events
    Self.finishAtExit(recorder)
    defer { Self.finishAtExit(nil) }
    let status: ExitStatus
    do { status = try await body(traced) } catch { status = traced.report(error, console) }
    do { try recorder.finish(status: Int((stopReason() ?? status).rawValue)) } catch {
      _ = report(error, console)
      return status == .done ? .failed : status
    }
    console.log(
      .info, "wrote the trace \(place.path)" + (place.format == .json ? ": b2c-run trace show reads it" : ""))
    return status
  }

  @HostActor private static var recorder: TraceRecorder?
  private static let atExit: Void = {
    on_exit(
      { status, _ in
        guard HostLoop.shared.isCurrent else { return }
        HostActor.assumeIsolated {
          do { try RunOptions.recorder?.finish(status: Int(status)) } catch {
            Console(level: .error).write("b2c-run: \(error)")
          }
        }
      }, nil)
  }()

  /// For scripts that end the process with `os.exit`.
  @HostActor
  private static func finishAtExit(_ recorder: TraceRecorder?) {
    _ = atExit
    Self.recorder = recorder
  }
}

extension ProgramRun {
  /// Runs as without `--trace`, and records it.
  func record(in place: RunOptions.TracePlace, _ console: Console) async throws -> ExitStatus {
    try check(place.path)
    let run = try invocation.options.record.isReplayable ? ReplayedRun(invocation, place) : nil
    return try await invocation.options.traced(place, of: title, for: run, console, stopReason) { options in
      var rest = invocation
      rest.options = options
      // The warning about it has been given.
      rest.options.hasPasswordInStore = false
      return await ProgramRun(rest, purpose, stopReason: stopReason).run()
    }
  }

  /// A trace replaces what is there: that is to be no other file of the run, and there is to be a run.
  private func check(_ path: String) throws(UsageError) {
    switch invocation.subject {
    case .command(let command) where !type(of: command).form.isTraceable:
      throw UsageError(
        "--trace: '\(type(of: command).form.name)' runs no script that could be recorded", hint: "leave --trace out")
    case .script(let name) where name != "-": _ = try ScriptFile.path(of: name)
    default: break
    }
    if let file = filesAtHand.first(where: { ResolvedPath.areOneFile($0, path) }) {
      throw UsageError(
        "--trace: \(path) would be replaced, and \(file == path ? "it" : file) is a file of this run",
        hint: "name another file for the trace")
    }
  }

  /// The words of the command line that may name files.
  private var filesAtHand: [String] {
    let (words, session) = (invocation.words, invocation.options.session)
    var files =
      words + [session.settings.file, session.localTenant?.data].compactMap(\.self) + session.settings.secretFiles
    if case .script(let name) = invocation.subject { files.append(name) }
    // Also behind an option's name.
    files += words.compactMap { word in word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } }
    return files.filter { FileSystem.access($0, F_OK) == 0 }
  }

  /// The beginning of a chunk, without the texts in it: those may be anybody's secrets.
  static func title(of chunk: String) -> String {
    let words = chunk.replacing(#/"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\[(=*)\[.*/#.dotMatchesNewlines(), with: "…")
    let line = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return "-e " + (line.count > 60 ? line.prefix(59) + "…" : line)
  }

  /// The name of the run on the page of a trace.
  private var title: String? {
    switch invocation.subject {
    case .script(let name): name
    case .command(let command): type(of: command).form.name
    case .chunk(let chunk): Self.title(of: chunk)
    case .session: "a session"
    case .version: nil
    }
  }
}
