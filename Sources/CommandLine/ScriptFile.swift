import Core
import Files
import Glibc
import HostLoop
import Permissions

/// The files of scripts that a command line names.
package enum ScriptFile {
  /// The bytes that a script may have. A folder may be somebody else's, with files of any size.
  private static let mostBytes = 64 << 20

  /// The endings of files that have no Lua in them, but perhaps tasks.
  private static let endingsOfLists = [".csv", ".tsv", ".json", ".ndjson", ".ics", ".xlsx", ".ods"]

  /// The path of a script; nil for a name that can only be that of a command.
  package static func path(of name: String) throws(UsageError) -> String? {
    guard !endingsOfLists.contains(where: name.lowercased().hasSuffix) else {
      throw UsageError(
        "\(name) is not a Lua script", hint: "b2c-run import \(ShellWord.quoted(name)) imports a list of tasks")
    }
    if !FileSystem.isFolder(name), FileSystem.exists(name) { return name }
    guard name.contains(where: { $0 == "." || $0 == "/" }) else { return nil }
    throw notFound(name)
  }

  /// The error for a name that is neither a script nor one of these commands.
  package static func notFound(_ name: String, among commands: [String] = []) -> UsageError {
    if FileSystem.exists(name) { return UsageError("the script \(name) is a folder, expected a Lua file") }
    let others = commands.isEmpty ? "" : ", or one of \(commands.sorted().joined(separator: ", "))"
    return UsageError(
      "cannot find the script '\(name)'",
      hint: didYouMean(name, among: commands + GivenFiles.beside(name)) ?? synonym(name, commands)
        ?? "give the path of a Lua file\(others)")
  }

  /// The command that a word of another program means; a concept is one of help.
  private static func synonym(_ name: String, _ commands: [String]) -> String? {
    guard !commands.isEmpty else { return nil }
    return Synonyms.topic(name, among: commands)
      ?? Synonyms.topic(name, among: Concept.all.map(\.name)).map { "\($0) (b2c-run help)" }
  }

  /// The source of the script at `path`.
  package static func read(_ path: String) throws(UsageError) -> [UInt8] {
    let file: OpenFile
    do { file = try OpenFile(path, .streaming) } catch {
      throw UsageError(
        "cannot read the script \(path): \(error.reason)",
        hint: error.number == EACCES ? "check who owns the file, and its mode" : nil)
    }
    return try contents(of: file, "the script \(path)")
  }

  /// The script on standard input.
  package static func readStandardInput() throws -> [UInt8] {
    try contents(of: OpenFile.standardInput(), "standard input")
  }

  private static func contents(of file: OpenFile, _ name: String) throws(UsageError) -> [UInt8] {
    do throws(FileFailure) {
      let sealed = SealedSources.current.withLock { $0 }
      let bytes = if let sealed { try sealed.contents(of: file) } else { try file.contents(limit: mostBytes) }
      return GivenFiles.withoutInterpreterLine(bytes)
    } catch {
      throw error.number == EISDIR
        ? UsageError("\(name) is a folder, expected a Lua file")
        : UsageError("cannot read \(name): \(error.reason)")
    }
  }
}
