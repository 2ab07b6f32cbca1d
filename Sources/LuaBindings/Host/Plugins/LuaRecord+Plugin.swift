import Lua

extension LuaRecord {
  /// The table that a plugin returns.
  static let plugin = LuaRecord(
    "plugin", "The table that a plugin returns. All fields are optional.",
    Parameter("name", .string, optional: true, "The name in messages; the name of the file if not given."),
    Parameter("version", .string, optional: true, "The version, which b2c-run plugins prints."),
    Parameter(
      "commands", .map(of: .record(pluginCommand)), optional: true, "Commands by name. b2c-run NAME runs a command."),
    Parameter("flows", .map(of: .flow), optional: true, "Sign-in flows by name."),
    Parameter(
      "formats", .map(of: .record(pluginFormat)), optional: true,
      "Formats of files by name, for tasks.import and tasks.export."),
    Parameter(
      "agents",
      .map(
        of: .callback(
          [
            Parameter("url", .string, "The authorization URL."),
            Parameter("options", .record(agentOptions), "Options of the agent."),
          ], returns: [.init(.string, "The redirect URL with its parameters.")])), optional: true,
      "Agents by name, for browser.open and accounts.sign_in."),
    Parameter("hooks", .record(pluginHooks), optional: true, "Functions that are called on events."))

  /// A command: a declaration as `term.options` takes it, and its function.
  static let pluginCommand = LuaRecord(
    "plugin command", "A command of a plugin: its function, and the declaration of its command line for term.options.",
    CommandDeclaration.keys + [
      Parameter(
        "run", .callback([Parameter("options", .table, "The parsed command line.")]),
        "Called with the result of term.options, or with b2c.args if positions, options and usage are not declared.")
    ])

  static let pluginFormat = LuaRecord(
    "plugin format", "A format of files that a plugin reads, writes, or both.",
    Parameter(
      "extensions", .list(of: .string), optional: true,
      "The extensions of such files, each with its dot: { \".todoist.csv\" }."),
    Parameter(
      "rows",
      .callback(
        [Parameter("source", .object("source"), "The source to read.")],
        returns: [
          .init(
            .functionReturning(
              .init(.newTask, optional: true, "The next row; nil at the end."),
              .init(.integer, optional: true, "The line of the row.")), "An iterator over the rows.")
        ]), optional: true, "Reads such a file."),
    Parameter(
      "write",
      .callback([
        Parameter(
          "tasks", .functionReturning(.init(.record(.task), optional: true, "The next task; nil at the end.")),
          "An iterator over the tasks."),
        Parameter("put", .callback([Parameter("text", .string, "The text to write.")]), "Writes a text."),
      ]), optional: true, "Writes such a file."))

  /// The second argument of a plugin's agent. The first argument is the URL.
  static let agentOptions = LuaRecord(
    "agent options", "The options of a plugin's agent, its second argument.",
    Parameter("redirect_uri", .string, optional: true, "The redirect URI; nil if no redirect is expected."),
    Parameter("code", .string, optional: true, "The code for the user to enter."),
    Parameter("username", .string, optional: true, "The user name, if known."),
    Parameter("password", .object("secret"), optional: true, "The user's password, if given."),
    Parameter("timeout", .number, "The time limit for the agent, in seconds."))

  static let pluginHooks = LuaRecord(
    "hook table", "The functions that a plugin provides for events.", HookEvent.allCases.map(\.parameter))

  /// A request as hooks see it.
  static let hookedRequest = LuaRecord(
    "hooked request", "A request as hooks see it. A plugin may add fields; after_response gets the same table.",
    Parameter("method", .string, "The method in capitals."),
    Parameter("url", .string, "The URL without its secret parts."),
    Parameter("headers", .map(of: headerValue), "The header fields, by name in lower case."),
    Parameter("size", .integer, "The size of the body in bytes."), others: .any)

  /// The result of a request as hooks see it.
  static let hookedResponse = LuaRecord(
    "hooked response", "The result of a request, as hooks see it.",
    Parameter("status", .integer, optional: true, "The status; nil without a response."),
    Parameter("headers", .map(of: headerValue), optional: true, "The header fields, by name in lower case."),
    Parameter("size", .integer, optional: true, "The size of the body in bytes, if it was kept."),
    Parameter("seconds", .number, "The duration in seconds."),
    Parameter("error", .record(.error), optional: true, "The reason for a missing response."))

  /// The argument of `after_import`: the report, if the import had begun, and the fields below.
  static let endedImport = LuaRecord(
    "ended import",
    "The report of an import after its end. If the import did not start, the report has only these fields.",
    Parameter("source", .string, "The source of the import."),
    Parameter("account", .string, optional: true, "The account of the tasks."),
    Parameter("ending", .choice(["finished", "dry_run", "stopped"]), "The result of the import."),
    Parameter("error", .record(.error), optional: true, "The reason for the stop."), others: .any)

  private static let headerValue = LuaType.either([.string, .object("sealed secret")])
}
