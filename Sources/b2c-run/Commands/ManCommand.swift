import Automation
import Core
import HostLoop
import Lua
import LuaBindings

extension Command {
  static let man = Command(
    "man", "print the manual page of the program or of a command: b2c-run man import | man -l -",
    flags: [Flag("--output DIR", "write all manual pages to files in DIR", \.outputFolder)],
    positions: [.init("[COMMAND]", "a command; if not given, the page of the program is printed")]
  ) { invocation, console in
    let scripts = try await invocation.declaredScripts(console)
    let own = Command.all.map(\.declaration)
    let pages =
      [ManualPage(commands: own + scripts)] + own.map { ManualPage($0, isScript: false) }
      + scripts.map { ManualPage($0, isScript: true) }
    if let folder = invocation.outputFolder {
      for page in pages { try TextFile.write(page.text, to: "\(folder)/\(page.name).1") }
      console.log(.info, "wrote \(pages.count) manual pages to \(folder)")
      return .done
    }
    let name = invocation.arguments.first.map { "b2c-run-\($0)" } ?? "b2c-run"
    guard let page = pages.first(where: { $0.name == name }) else {
      throw UsageError(
        "man: there is no command '\(invocation.arguments[0])'",
        hint: didYouMean(invocation.arguments[0], among: (own + scripts).map(\.command)))
    }
    StandardOutput.write(page.text)
    return .done
  }
}

struct ManualPage {
  /// The file's name without the section: `b2c-run-import`.
  let name: String
  private(set) var text: String

  /// - Parameter isScript: whether the command is a stock script, which takes no options of the program.
  init(_ declaration: CommandDeclaration, isScript: Bool) {
    self.init("b2c-run-\(declaration.command)", declaration.summary)
    section("SYNOPSIS")
    for line in declaration.usageLines {
      let words =
        isScript
        ? line.replacing("b2c-run \(declaration.command)", with: "b2c-run [options] \(declaration.command)") : line
      add(".B", words)
      add(".br")
    }
    if !declaration.positions.isEmpty { section("ARGUMENTS") }
    for position in declaration.positions { item(position.spelling, position.doc) }
    if !declaration.options.isEmpty { section("OPTIONS") }
    for option in declaration.options { item(option.spelling, option.described) }
    section("DESCRIPTION")
    if let notes = declaration.notes { add(notes) }
    if isScript { add("The command is a Lua script. Write the options of b2c-run before its name.") }
    section("SEE ALSO")
    add(".BR b2c-run (1)")
  }

  init(commands: [CommandDeclaration]) {
    self.init("b2c-run", "Lua scripts for Azure AD B2C and any OpenID Connect provider.")
    section("SYNOPSIS")
    for words in ["SCRIPT [args]", "-e CHUNK [args]", "COMMAND [args]", ""] {
      add(".B", "b2c-run [options] \(words)")
      add(".br")
    }
    section("DESCRIPTION")
    add(
      "Runs Lua scripts that sign in at a provider and work with a task list. SCRIPT is a Lua file, the name of a stock script, or - for standard input. Without a script, an interactive session starts on a terminal."
    )
    section("COMMANDS")
    for command in commands { item(command.command, command.summary) }
    section("OPTIONS")
    for flag in Flag.common { item(flag.option.spelling, flag.option.doc) }
    section("EXIT STATUS")
    for status in ExitStatus.meanings { item(status.codes, status.meaning) }
    section("CONCEPTS")
    for concept in Concept.all {
      add(".SS", concept.name)
      for (index, paragraph) in concept.paragraphs.enumerated() {
        if index > 0 { add(".PP") }
        if concept.isCode(paragraph) {
          add(".EX")
          for line in paragraph.split(separator: "\n") { add(String(line)) }
          add(".EE")
        } else {
          // The page is installed in another folder than the one it is written in, so it names files alone.
          let words = concept.plain(paragraph, linksTo: "").replacing("\n", with: " ")
          add(String(words.trimmingPrefix(" ")))
        }
      }
    }
    section("FILES")
    item("share/doc/b2c-run", "the documentation, with the files that this page names; help prints their full paths")
    item("share/b2c-run/scripts", "the commands and sign-in flows that are Lua scripts")
    section("SEE ALSO")
    for (index, command) in commands.enumerated() {
      add(".BR b2c-run-\(command.command) (1)\(index == commands.count - 1 ? "" : " ,")")
    }
  }

  private init(_ name: String, _ summary: String) {
    self.name = name
    text = ".TH \(name.uppercased()) 1 \(Version.date) \"b2c-run \(Version.text)\" \"b2c-run\"\n.SH NAME\n"
    let clause = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
    add("\(name) \\- \(clause)")
  }

  private mutating func section(_ title: String) { add(".SH", title) }

  private mutating func item(_ term: String, _ words: String) {
    add(".TP")
    add(".B", term)
    add(words)
  }

  private mutating func add(_ request: String, _ words: String) { text += "\(request) \(Self.escaped(words))\n" }

  private mutating func add(_ line: String) {
    let isRequest = line.hasPrefix(".") && line.dropFirst().first?.isUppercase == true || line == ".br"
    text += (isRequest ? line : Self.escaped(line)) + "\n"
  }

  /// The text without characters that troff would take for its own. A hyphen stays one that can be copied.
  private static func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\-", with: "-").replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .replacing("…", with: "...")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }
}
