import Automation
import Files
import Glibc
import HostLoop
import Lua
import Permissions
import Trace
import TraceView

extension Invocation {
  struct TracePlace {
    let path: String
    let format: TraceFormat

    init(_ path: String) throws(UsageError) {
      guard let format = TraceFormat(path: path) else {
        let endings = TraceFormat.allCases.map { ".\($0.rawValue)" }
        throw UsageError(
          "--trace: expected a file that ends in \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? ""), "
            + "got '\(path)'")
      }
      self.path = path
      self.format = format
    }
  }

  /// Every failure has been reported when this returns.
  @HostActor
  func traced(
    _ console: Console, _ stopReason: @escaping () -> ExitStatus?,
    _ body: @HostActor (Invocation) async throws -> ExitStatus
  ) async -> ExitStatus {
    guard let trace else { do { return try await body(self) } catch { return report(error, console) } }
    let recorder: TraceRecorder
    do {
      try checkTrace(trace.path)
      recorder = try TraceRecorder(
        trace.path, trace.format, program: "b2c-run \(Version.text)", lua: LuaState.version, script: subject,
        writePage: { try TracePage.write(events: $0, to: $1, name: $2) })
    } catch { return report(error, console) }
    recorder.whyStopped = { stopReason()?.sentence }
    var traced = self
    let events = Events()
    recorder.watch(events)
    traced.configuration.session.events = events
    Self.finishAtExit(recorder)
    defer { Self.finishAtExit(nil) }
    let status: ExitStatus
    do { status = try await body(traced) } catch { status = traced.report(error, console) }
    do { try recorder.finish(status: Int((stopReason() ?? status).rawValue)) } catch {
      _ = report(error, console)
      return status == .done ? .failed : status
    }
    console.log(.info, "wrote the trace \(trace.path)" + (trace.format == .json ? ": b2c-run trace show reads it" : ""))
    return status
  }

  /// A trace replaces what is there: that is to be no other file of the run, and there is to be a run.
  private func checkTrace(_ path: String) throws(UsageError) {
    switch action {
    case .command(let command) where !command.isTraceable:
      throw UsageError("--trace: '\(command.name)' runs no script that could be recorded", hint: "leave --trace out")
    case .script(let name) where name != "-": _ = try self.path(ofScript: name)
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
    var files =
      arguments + [configuration.session.settings.file, local ?? nil].compactMap { $0 }
      + configuration.session.settings.secretFiles
    if case .script(let name) = action { files.append(name) }
    // Also behind an option's name.
    files += arguments.compactMap { word in word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } }
    return files.filter { FileSystem.access($0, F_OK) == 0 }
  }

  @HostActor private static var recorder: TraceRecorder?
  private static let atExit: Void = {
    on_exit(
      { status, _ in
        guard HostLoop.shared.isCurrent else { return }
        HostActor.assumeIsolated {
          do { try Invocation.recorder?.finish(status: Int(status)) } catch {
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

  /// The beginning of a chunk, without the texts in it: those may be anybody's secrets.
  static func title(of chunk: String) -> String {
    let words = chunk.replacing(#/"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\[(=*)\[.*/#.dotMatchesNewlines(), with: "…")
    let line = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return "-e " + (line.count > 60 ? line.prefix(59) + "…" : line)
  }

  private var subject: String? {
    switch action {
    case .script(let name): name
    case .command(let command): command.name
    case .chunk(let chunk): Self.title(of: chunk)
    case .session: "a session"
    case .version, nil: nil
    }
  }
}
