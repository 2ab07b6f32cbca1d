import LuaKit

extension ManualPage {
  /// The pages about files, section 5.
  static let filePages = [(name: "b2c-run-jobs", section: 5), (name: "b2c-run-settings", section: 5)]

  /// The page of a command.
  /// - Parameter isScript: whether the command is a stock script, which takes no options of the program.
  init(_ declaration: CommandDeclaration, isScript: Bool) {
    self.init("b2c-run-\(declaration.command)", declaration.summary)
    begin("SYNOPSIS")
    add(
      synopsis: declaration.usageLines.map { line in
        isScript
          ? line.replacing("b2c-run \(declaration.command)", with: "b2c-run [options] \(declaration.command)") : line
      })
    if !declaration.positions.isEmpty { begin("ARGUMENTS") }
    for position in declaration.positions { item(position.spelling, position.doc) }
    if !declaration.options.isEmpty { begin("OPTIONS") }
    for option in declaration.options { item(option.spelling, option.described) }
    if declaration.notes != nil || isScript { begin("DESCRIPTION") }
    if let notes = declaration.notes { add(notes) }
    if isScript { add("The command is a Lua script. Write the options of b2c-run before its name.") }
    seeAlso([("b2c-run", 1)])
  }

  /// The page of the program.
  init(commands: [CommandDeclaration]) {
    self.init("b2c-run", "Lua scripts for Azure AD B2C and any OpenID Connect provider.")
    begin("SYNOPSIS")
    add(
      synopsis: ["SCRIPT [args]", "-e CHUNK [args]", "COMMAND [args]"].map { "b2c-run [options] \($0)" } + [
        "b2c-run [options]"
      ])
    begin("DESCRIPTION")
    add(
      "Runs Lua scripts that sign in at a provider and work with a task list. SCRIPT is a Lua file, the name of a stock script, or - for standard input. Without a script, an interactive session starts on a terminal."
    )
    begin("COMMANDS")
    for command in commands { item(command.command, command.summary) }
    begin("OPTIONS")
    for flag in Flag.common { item(flag.option.spelling, flag.option.doc) }
    begin("EXIT STATUS")
    for status in ExitStatus.meanings { item(status.codes, status.meaning) }
    begin("CONCEPTS")
    for concept in Concept.all {
      begin(part: concept.name)
      add(concept)
    }
    begin("FILES")
    item("share/doc/b2c-run", "the documentation, with the files that this page names; help prints their full paths")
    item("share/b2c-run/scripts", "the commands and sign-in flows that are Lua scripts")
    seeAlso(commands.map { ("b2c-run-\($0.command)", 1) } + Self.filePages)
  }
}
