import Automation
import CommandLine
import Commands
import Core
import Files
import Glibc
import HostLoop
import JSON
import JobProcesses
import Lua
import LuaKit
import Schedule
import ScriptCheck
import ScriptHost
import Terminal

/// `b2c-run check`
struct CheckCommand: Command {
  static let form = CommandForm(
    "check", "find mistakes in scripts without running them: misspelled names and options, and more",
    positions: [.init("PATH…", "a script, or a folder of scripts")], fileEnding: ".lua", isRepeatable: true)

  static let flags: [Flag<Self>] = [
    Flag("--jobs", "each script is a job for serve: one that does not call b2c.job is a mistake", \.areJobs),
    Flag("--sarif FILE", "also write the findings to FILE as SARIF 2.1.0, which code hosts show") {
      // Otherwise `--sarif *.lua` would replace a script.
      guard let path = $1, path.hasSuffix(".sarif") || path.hasSuffix(".json") else {
        throw UsageError("--sarif: expected a file that ends in .sarif or .json, got '\($1 ?? "")'")
      }
      $0.sarif = path
    },
  ]

  private var areJobs = false
  private var sarif: String?

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let host = try ScriptHost(run.configuration, console: console)
    defer { host.close() }
    let checker = try await ScriptChecker(
      host.reference, globals: host.state.globals, scriptsFolder: run.session.scriptsFolder)
    defer { checker.close() }
    let files = try GivenFiles.find(words, endingIn: ".lua", for: "check")
    let declarations = DeclarationCheck(
      ScriptLauncher(run.scriptProgram(folder: ".", logs: ".")), host.state, zone: try Zone.local())
    defer { declarations.end() }
    let plugins = Set(run.configuration.plugins.all().map(\.identity))
    var found: [(file: String, finding: ScriptChecker.Finding)] = []
    for file in files {
      var surroundings = ScriptChecker.Surroundings()
      surroundings.isTest = file.hasSuffix("_test.lua")
      surroundings.isPlugin = plugins.contains(PluginFile(file).identity)
      surroundings.hasPlugins = !plugins.isEmpty
      // Plugins bring modules of their own.
      if !surroundings.isPlugin {
        // A module in a folder is required by a script above it, whose folder is the one that counts.
        var folders = [GivenFiles.folder(ofScript: file)]
        for _ in 0..<3 where folders.last != folders.last?.parentFolder {
          folders.append(folders.last?.parentFolder ?? ".")
        }
        surroundings.hasFile = { [folders] path in folders.contains { FileSystem.access("\($0)/\(path)", F_OK) == 0 } }
      }
      let source = try ScriptFile.read(file)
      declarations.begin()
      surroundings.jobProblem = { declarations.problem($0, at: $1) }
      var findings = try await checker.findings(in: source, surroundings)
      // A script with mistakes in the use of the API would fail with them once more.
      if !surroundings.isTest, !surroundings.isPlugin, !findings.contains(where: \.isSerious) {
        findings += try await declarations.findings(in: file, source, isJob: isJob(file, words))
      }
      for finding in findings {
        StandardOutput.write("\(file):\(finding.line):\(finding.column): \(finding.message) (\(finding.code))\n")
      }
      found += findings.map { (file, $0) }
    }
    for note in declarations.notes { console.log(.warn, note) }
    if let sarif { try TextFile.write(CheckSARIF.json(found, version: Version.text).encoded() + "\n", to: sarif) }
    let count = found.count
    let amount = files.count == 1 ? "1 file" : "\(files.count) files"
    console.log(.info, count == 0 ? "\(amount), nothing found" : "\(amount), \(count) found")
    return count == 0 ? .done : .failed
  }

  /// True for a script that somebody calls a job. Scripts in folders of the folder are its modules.
  private func isJob(_ file: String, _ words: [String]) -> Bool {
    areJobs && words.contains { $0 == file || FileSystem.areOne($0, file.parentFolder) }
  }
}
