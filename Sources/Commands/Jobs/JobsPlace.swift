import CommandLine
import Core
import Crypto
import Files
import Glibc
import JobServer
import Jobs
package import Permissions

/// The folder with the scripts of jobs, and the folder with their state.
package struct JobsPlace {
  /// The absolute path of the folder with the scripts; nil if there is none and nobody has named one.
  let folder: String?
  let state: StateFolder

  /// - Parameters:
  ///   - named: the folder that the command line names.
  ///   - statePath: the folder of `--state`.
  ///   - needsFolder: false if a database has the jobs.
  ///   - hint: how to name another folder.
  /// - Throws: `UsageError` for a folder that is not there.
  init(
    _ named: String? = nil, state statePath: String? = nil, needsFolder: Bool = true,
    hint: String = "--folder names another one"
  ) throws {
    let given = named ?? "jobs"
    folder = FileSystem.isFolder(given) ? FileSystem.realPath(given) : nil
    if folder == nil, named != nil || statePath == nil && needsFolder {
      let isThere = FileSystem.exists(given)
      throw UsageError(
        isThere ? "\(given) is not a folder" : "there is no folder \(given)",
        hint: isThere
          ? "give the folder with the scripts of the jobs"
          : "b2c-run new --job NAME writes a first job into the folder jobs; \(hint)")
    }
    if let statePath {
      state = StateFolder(Self.absolute(statePath))
    } else {
      state = try StateFolder.usual(for: folder ?? Self.absolute(given)) {
        String(SHA256.hash($0.utf8).hexadecimal.prefix(16))
      }
    }
  }

  /// The name of the folder with the scripts, which is in the current folder of all runs.
  var name: String { folder?.split(separator: "/").last.map(String.init) ?? "jobs" }

  /// An absolute spelling of a path, whose links stay.
  package static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(String(decoding: ResolvedPath.currentFolder, as: UTF8.self))/\(path)"
  }

  /// The file of a job as messages show it: `jobs/inbox.lua`.
  func script(_ name: String) -> String { "\(self.name)/\(name).lua" }
}

extension ScriptHeader {
  /// The flags of all needs of a script. Other options in a header do not count: no run gets them.
  package static func flags(of source: [UInt8]) -> [String] {
    ScriptHeader(source).flags.reduce(into: []) { flags, flag in if !flags.contains(flag) { flags.append(flag) } }
  }
}
