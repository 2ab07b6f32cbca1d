import Core
import Files
import Glibc
import JOSE
import Jobs
import Permissions
import Schedule

/// The options of `serve` and `jobs`.
struct JobsOptions {
  /// `--folder`, or the argument of `serve`.
  var folder: String?
  var state: String?
  /// The runs at once.
  var parallel = 4
  /// The seconds that runs have to end when the server stops.
  var drain = 30.0
  /// The days of history of jobs that do not say how long.
  var keep = 30
  var isFailedOnly = false
  var since: String?
  var from: String?
  var follows = false
  /// `--yes`: nobody is asked.
  var isAgreed = false

  /// The options of both commands.
  static let places: [Flag] = [
    Flag("--state DIR", "keep the state of the jobs in the folder DIR") { $0.jobs.state = $1 }
  ]
}

/// The folder with the scripts of jobs, and the folder with their state.
struct JobsPlace {
  /// The absolute path of the folder with the scripts; nil if there is none and nobody has named one.
  let folder: String?
  let state: StateFolder

  /// - Parameters:
  ///   - needsFolder: false if a database has the jobs.
  ///   - hint: how to name another folder.
  /// - Throws: `UsageError` for a folder that is not there.
  init(_ options: JobsOptions, needsFolder: Bool = true, hint: String = "--folder names another one") throws {
    let given = options.folder ?? "jobs"
    folder = FileSystem.isFolder(given) ? FileSystem.realPath(given) : nil
    if folder == nil, options.folder != nil || options.state == nil && needsFolder {
      let isThere = FileSystem.exists(given)
      throw UsageError(
        isThere ? "\(given) is no folder" : "there is no folder \(given)",
        hint: isThere
          ? "give the folder with the scripts of the jobs"
          : "b2c-run new --job NAME writes a first job into the folder jobs; \(hint)")
    }
    if let path = options.state {
      state = StateFolder(Self.absolute(path))
    } else {
      state = try StateFolder.usual(for: folder ?? Self.absolute(given)) {
        String(SHA256.hash($0.utf8).hexadecimal.prefix(16))
      }
    }
  }

  /// The name of the folder with the scripts, which is in the current folder of all runs.
  var name: String { folder?.split(separator: "/").last.map(String.init) ?? "jobs" }

  static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(String(decoding: ResolvedPath.currentFolder, as: UTF8.self))/\(path)"
  }

  /// The file of a job as messages show it: `jobs/inbox.lua`.
  func script(_ name: String) -> String { "\(self.name)/\(name).lua" }
}

extension ScriptHeader {
  /// The flags of all needs of a script. Other options in a header are no needs: nobody gives them to a run.
  static func flags(of source: [UInt8]) -> [String] {
    ScriptHeader(source).flags.reduce(into: []) { flags, flag in if !flags.contains(flag) { flags.append(flag) } }
  }
}
