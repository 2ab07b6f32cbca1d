import Automation
import CommandLine
import Core
import Files
import FoundationEssentials
import HostLoop
import Lua
import LuaKit
import Terminal

extension ProgramRun {
  /// Runs the command again whenever a file changes; ends when it is canceled. During a run only changes of Lua files
  /// and settings count and end the run: it may write others itself.
  func watch(_ console: Console) async throws -> ExitStatus {
    let changes = Changes()
    // The run that is under way, to be stopped from another thread.
    let running = Locked<Task<ExitStatus, any Error>?>(nil)
    let watch = try FolderWatch(watchedFolders()) { paths in
      let code = paths.filter(Self.isCode)
      if !code.isEmpty, let task = running.withLock({ $0 }) {
        task.cancel()
        LuaState.ask(.stop, bySignal: Interrupts.stopSignal)
      }
      HostActor.task { changes.add(running.withLock { $0 == nil } ? paths : code) }
    }
    defer { withExtendedLifetime(watch) {} }
    var once = invocation
    once.options.isWatching = false
    let run = ProgramRun(once, purpose) { nil }
    while true {
      let task = HostActor.task { await run.runLimited(console) }
      running.withLock { $0 = task }
      _ = await withTaskCancellationHandler(operation: { await task.result }, onCancel: { task.cancel() })
      try Task.checkCancellation()
      StandardOutput.flush()
      // By then the events of the files that the run itself has written have come.
      try await HostLoop.shared.sleep(seconds: 0.25)
      running.withLock { $0 = nil }
      if changes.isEmpty { console.write(console.paint("waiting for changes; Ctrl-C ends", "2")) }
      let paths = try await changes.next()
      let names = paths.count > 3 ? "\(paths[0]) and \(paths.count - 1) other files" : paths.joined(separator: ", ")
      console.write(console.paint("\(names.displayable) changed; running again", "2"))
    }
  }

  /// Runs once, no longer than --timeout says; where that is for each part, the command sees to it.
  private func runLimited(_ console: Console) async -> ExitStatus {
    guard let timeout = invocation.wholeTimeout else { return await run() }
    do {
      try await TimeLimit.run(seconds: timeout, signal: Interrupts.stopSignal) {
        // The run has reported that it was canceled; the reason is known here.
        if await run() == .interrupted { throw CancellationError() }
      }
    } catch { return invocation.options.report(error, console) }
    return .done
  }

  private nonisolated static func isCode(_ path: String) -> Bool { path.hasSuffix(".lua") || path.hasSuffix(".plist") }

  /// The folders of what is run: of the script, or of the files and folders that are tested.
  private func watchedFolders() throws -> [String] {
    switch invocation.subject {
    case .chunk: return ["."]
    case .script("-"):
      throw UsageError("--watch: standard input cannot be read again", hint: "give the script as a file")
    case .script(let name):
      // A command works with files of this folder, not with those beside its script.
      guard let path = try ScriptFile.path(of: name) else { return ["."] }
      // A link may be replaced as well as the file that it leads to.
      let folders = [GivenFiles.folder(ofScript: path), path.parentFolder]
      return folders[0] == folders[1] ? [folders[0]] : folders
    case .command(let command) where type(of: command).form.isRepeatable:
      var folders: [String] = []
      for path in words.isEmpty ? ["."] : words {
        let folder = FileSystem.isFolder(path) ? path : path.parentFolder
        for folder in Set([folder, FileSystem.isFolder(path) ? folder : GivenFiles.folder(ofScript: path)])
        where !folders.contains(folder) {
          folders.append(folder)
        }
      }
      return folders
    case .command(let command):
      throw UsageError("--watch: there is no sense in running \(type(of: command).form.name) again")
    default: throw UsageError("--watch: expected a script or a command after it")
    }
  }
}

@HostActor
private final class Changes {
  private var paths: [String] = []
  private var wait: CancellableWait<Void>?

  var isEmpty: Bool { paths.isEmpty }

  func add(_ paths: [String]) {
    for path in paths where !self.paths.contains(path) { self.paths.append(path) }
    if !self.paths.isEmpty { wait?.finish(.success(())) }
  }

  func next() async throws -> [String] {
    if paths.isEmpty {
      let wait = CancellableWait<Void>()
      self.wait = wait
      try await wait.value()
    }
    defer { paths = [] }
    return paths
  }
}
