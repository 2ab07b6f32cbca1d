import Core
import Crypto
import Files
import Glibc
import JobServer
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
  /// The most runs of a list.
  var limit = 50
  /// Only runs with smaller numbers.
  var before: Int64?
  var from: String?
  var follows = false
  /// `--yes`: nobody is asked.
  var isAgreed = false

  /// The options of both commands.
  static let places: [Flag] = [
    Flag("--state DIR", "keep the state of the jobs in the folder DIR") { $0.jobs.state = $1 }
  ]
}

extension JobsOptions {
  /// The seconds of an option: a number, or a length of time such as `5s`.
  static func seconds(_ text: String, _ option: String, in range: ClosedRange<Double>) throws(UsageError) -> Double {
    let given = Double(text) ?? (try? Interval.milliseconds(of: text)).map { Double($0) / 1000 }
    guard let given, range.contains(given) else {
      throw UsageError(
        "\(option): expected a time such as 5s or 2m, or a number of seconds, from \(Int(range.lowerBound)) to "
          + "\(Int(range.upperBound)) s, got '\(text)'")
    }
    return given
  }

  /// The days of an option: a number, or a length of time such as `30d`.
  static func days(_ text: String, _ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    let day: Int64 = 86_400_000
    let time = (try? Interval.milliseconds(of: text)).flatMap { $0 % day == 0 ? Int(exactly: $0 / day) : nil }
    guard let given = Int(text) ?? time, range.contains(given) else {
      throw UsageError(
        "\(option): expected a number of days from \(range.lowerBound) to \(range.upperBound), such as 30 or 30d, got "
          + "'\(text)'")
    }
    return given
  }
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
        isThere ? "\(given) is not a folder" : "there is no folder \(given)",
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
