import Automation
import CommandLine
import Core
import JSON
import Trace

/// The subject of a replay: the script with its arguments, and the options that decide what it meets.
struct ReplayedRun {
  enum Subject {
    case script(String)
    case chunk(String)
  }

  var subject: Subject
  let words: [String]
  /// True for a run with `--local`.
  let hasTenant: Bool
  let usesTLS: Bool
  /// `--set`
  let overrides: [(key: String, value: String)]
  let account: String?

  /// - Throws: `UsageError` for a run that no replay could repeat.
  init(_ invocation: Invocation, _ place: RunOptions.TracePlace) throws(UsageError) {
    guard place.format == .json else {
      throw UsageError("--replayable: expected --trace FILE.json, got \(place.path)", hint: "replay reads a .json")
    }
    switch invocation.subject {
    case .script(let name) where name != "-" && (try? ScriptFile.path(of: name)) != nil: subject = .script(name)
    case .chunk(let chunk): subject = .chunk(chunk)
    default:
      throw UsageError(
        "--replayable: only a script file or -e can be replayed", hint: "b2c-run --trace FILE.json --replayable SCRIPT")
    }
    let session = invocation.options.session
    words = invocation.words
    hasTenant = session.localTenant != nil
    usesTLS = invocation.options.tenant.usesTLS
    overrides = session.settings.overrides
    account = session.accountName
  }

  /// - Throws: `UsageError` for `--replayable` without `--trace`.
  static func check(_ options: RunOptions) throws(UsageError) {
    guard options.record.isReplayable, options.trace == nil, options.session.events == nil else { return }
    throw UsageError("--replayable: there is no trace", hint: "add --trace FILE.json")
  }

  /// Nil for what this program does not write.
  init?(_ json: JSON) {
    if let name = json["script"]?.string {
      subject = .script(name)
    } else if let chunk = json["chunk"]?.string {
      subject = .chunk(chunk)
    } else {
      return nil
    }
    words = json["words"]?.array?.compactMap(\.string) ?? []
    hasTenant = json["local"]?.bool == true
    usesTLS = json["tls"]?.bool == true
    overrides = (json["set"]?.array ?? []).compactMap(\.array).filter { $0.count == 2 }.map {
      (key: $0[0].string ?? "", value: $0[1].string ?? "")
    }
    account = json["account"]?.string
  }

  var json: JSON {
    var members: [String: JSON] = [
      "words": .array(words.map(JSON.string)), "local": .bool(hasTenant), "tls": .bool(usesTLS),
      "set": .array(overrides.map { [.string($0.key), .string($0.value)] }),
    ]
    switch subject {
    case .script(let name): members["script"] = .string(name)
    case .chunk(let chunk): members["chunk"] = .string(chunk)
    }
    members["account"] = account.map { .string($0) }
    return .object(members)
  }
}
