package import Automation
package import CommandLine
import Core
import Files
import FoundationEssentials
import Glibc
import HostLoop
import Terminal

/// `b2c-run new`
package struct NewCommand: Command {
  package static let form = CommandForm(
    "new", "write a first script, NAME.lua, and its test, NAME_test.lua",
    positions: [.init("NAME", "the name of the script, or its path")])

  package static let flags: [Flag<Self>] = [
    Flag("--job", "write a job into the folder jobs, for b2c-run serve", \.isJob)
  ]

  private var isJob = false

  package init() {}

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let starter = try Starter(named: words[0], isJob: isJob, from: run.session.scriptsFolder)
    try starter.write()
    let forEditors = try EditorFiles.write()
    StandardOutput.write(starter.nextSteps(forEditors))
    return .done
  }
}

/// A script to begin with, and its test, made of the templates in `scripts/starter`.
struct Starter {
  /// Without `.lua`.
  private let path: String
  private let isJob: Bool

  /// - Parameters:
  ///   - name: a name or a path, with or without `.lua`. Throws `UsageError` if `require` could not find it.
  ///   - isJob: writes a job. A name alone is one in the folder `jobs`.
  init(named name: String, isJob: Bool, from scriptsFolder: String) throws(UsageError) {
    let given = name.hasSuffix(".lua") ? String(name.dropLast(4)) : name
    path = isJob && !given.contains("/") ? "jobs/\(given)" : given
    self.isJob = isJob
    let base = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let isName = base.utf8.allSatisfy { $0.isWordPart && $0 != UInt8(ascii: ".") }
    guard isName, !base.isEmpty, !base.hasPrefix("-") else {
      throw UsageError(
        "new: expected a name of letters, digits, - and _, got '\(base)'", hint: "for example b2c-run new weekly-tasks")
    }
    guard !base.hasSuffix("_test") else {
      throw UsageError("new: '\(base)' is the name of a test", hint: "give that of the script: its test comes with it")
    }
    for ending in [".lua", "_test.lua"] {
      let template = "\(scriptsFolder)/starter/\(isJob ? "JOB" : "NAME")\(ending)"
      guard let bytes = try? FileSystem.contents(of: template) else {
        throw UsageError("new: cannot read the template \(template)", hint: "install the program again")
      }
      let text = String(decoding: bytes, as: UTF8.self).replacing("NAME", with: base).replacing("PATH", with: path)
      files.append((path + ending, text))
    }
  }

  private var files: [(path: String, text: String)] = []

  /// The folder of a job for `serve`, after a space; empty for the usual one.
  private var folder: String { path.parentFolder == "jobs" ? "" : " \(path.parentFolder)" }

  /// - Parameter editorFiles: the paths of files that were written for editors.
  func nextSteps(_ editorFiles: [String]) -> String {
    var commands =
      isJob
      ? [
        ("b2c-run --local \(path).lua", "runs it by hand, with a tenant on this machine"),
        ("b2c-run test \(path)_test.lua", "runs its test"),
        ("b2c-run --local serve\(folder)", "runs it when it is due"),
        ("b2c-run help job", "explains the function b2c.job"),
      ]
      : [
        ("b2c-run --local \(path).lua", "runs it with a tenant on this machine"),
        ("b2c-run test \(path)_test.lua", "runs its test"),
        ("b2c-run help tasks", "explains the module b2c.tasks"),
      ]
    if !editorFiles.isEmpty {
      commands.append(
        ("b2c-run stubs --output \(EditorFiles.stubs)", "writes the definitions of the API for the editor"))
    }
    let width = commands.map(\.0.count).max() ?? 0
    let lines = commands.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))   \($0.1)\n" }
    let more = editorFiles.isEmpty ? "" : "wrote \(editorFiles.joined(separator: ", ")) for editors\n"
    return "wrote \(path).lua and \(path)_test.lua\n\(more)\n\(lines.joined())"
  }

  /// Writes both, or neither where one of them is there.
  func write() throws(UsageError) {
    for file in files where FileSystem.exists(file.path) {
      throw UsageError("new: \(file.path) is there already", hint: "choose another name, or move it away")
    }
    do { try FileSystem.makeFolder(path.parentFolder) } catch {
      throw UsageError("new: cannot make the folder \(path.parentFolder): \(error.reason)")
    }
    for file in files {
      // O_EXCL: nobody else's file is overwritten, even one made just now.
      do { try OpenFile(file.path, Opening(O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)).write(file.text.utf8) } catch {
        throw UsageError("new: cannot write \(file.path): \(error.reason)")
      }
    }
  }
}
