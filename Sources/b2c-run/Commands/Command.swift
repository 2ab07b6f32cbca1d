import Automation
import HostLoop
import LuaBindings

/// A command of the program itself, declared once: parsing, help, "did you mean" and completions come from it.
/// The others are scripts, in `scripts/`.
struct Command: Sendable {
  let name: String
  /// What stands behind it, and how much of that.
  let operands: Operands
  /// What it does, in half a sentence.
  let summary: String
  /// Its options besides the common ones.
  let flags: [Flag]
  /// What stands behind it, where that begins with a word of its own: `show FILE`.
  let forms: [String]
  /// What the names of its files end in, where it takes no others.
  let fileEnding: String?
  /// Whether --timeout is for each part of it, such as a test, not for all of it.
  let limitsParts: Bool
  /// Whether it can be run again by --watch: what is behind it are files and folders.
  let isRepeatable: Bool
  /// Whether it runs scripts, so that --trace has something to record.
  let isTraceable: Bool
  /// Carries it out; what stood behind it are the invocation's `arguments`.
  let run: @HostActor @Sendable (Invocation, Console) async throws -> ExitStatus

  enum Operands: Sendable {
    case none
    /// As `TOPIC`.
    case optional(String)
    case one(String)
    case any(String)
    case some(String)

    /// `[PATH…]`
    var usage: String {
      switch self {
      case .none: ""
      case .optional(let name): "[\(name)]"
      case .one(let name): name
      case .any(let name): "[\(name)…]"
      case .some(let name): "\(name)…"
      }
    }

    var count: ClosedRange<Int> {
      switch self {
      case .none: 0...0
      case .optional: 0...1
      case .one: 1...1
      case .any: 0...Int.max
      case .some: 1...Int.max
      }
    }
  }

  init(
    _ name: String, _ operands: Operands, _ summary: String, flags: [Flag] = [], forms: [String] = [],
    fileEnding: String? = nil, limitsParts: Bool = false, isRepeatable: Bool = false,
    isTraceable: Bool = false,
    run: @escaping @HostActor @Sendable (Invocation, Console) async throws -> ExitStatus
  ) {
    self.name = name
    self.operands = operands
    self.summary = summary
    self.flags = flags
    self.forms = forms
    self.fileEnding = fileEnding
    self.limitsParts = limitsParts
    self.isRepeatable = isRepeatable
    self.isTraceable = isTraceable
    self.run = run
  }

  /// `tenant [options]`
  var usage: String {
    [name, flags.isEmpty ? "" : "[options]", operands.usage].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// All there are, in the order of the help.
  static let all: [Command] = [.test, .new, .check, .trace, .plugins, .tenant, .stubs, .completions, .help]

  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// - Throws: `UsageError` for too few words behind the command, or too many.
  func check(_ words: [String]) throws(UsageError) {
    guard !operands.count.contains(words.count) else { return }
    let hint = "b2c-run \(usage)"
    guard words.count > operands.count.upperBound else {
      throw UsageError("\(name): expected \(operands.usage) behind it", hint: hint)
    }
    throw UsageError("\(name): '\(words[operands.count.upperBound])' is one word too many", hint: hint)
  }
}
