import Lua

extension LuaRecord {
  /// What a plugin returns.
  static let plugin = LuaRecord(
    "plugin", "What a plugin's file returns. Everything may be left out.",
    [
      Parameter("name", .string, optional: true, "What messages call it; the name of its file if not given."),
      Parameter("version", .string, optional: true, "Shown by b2c-run plugins."),
      Parameter(
        "commands", .map(of: .record(pluginCommand)), optional: true, "Commands by name, which b2c-run NAME runs."),
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
              Parameter("options", .record(agentOptions), "The rest."),
            ],
            returns: [.init(.string, "The redirect URL with its parameters.")])), optional: true,
        "Agents by name, for browser.open and accounts.sign_in."),
      Parameter("hooks", .record(pluginHooks), optional: true, "Functions that are called when something happens."),
    ])

  /// A command: a declaration as `term.options` takes it, and its function.
  static let pluginCommand = LuaRecord(
    "plugin command", "A command of a plugin: its command line, declared as to term.options, and its function.",
    CommandDeclaration.keys + [
      Parameter(
        "run", .callback([Parameter("options", .table, "What the command line says.")]),
        "Called with what term.options would return; with b2c.args where neither positions nor options nor usage are declared."
      )
    ])

  static let pluginFormat = LuaRecord(
    "plugin format", "A format of files that a plugin reads, writes, or both.",
    [
      Parameter(
        "extensions", .list(of: .string), optional: true,
        "Ends of the names of such files, each with its dot: { \".todoist.csv\" }."),
      Parameter(
        "rows",
        .callback(
          [Parameter("source", .object("source"), "What is read.")],
          returns: [
            .init(
              .callback(
                [],
                returns: [
                  .init(.newTask, optional: true, "The next row; nil at the end."),
                  .init(.integer, optional: true, "Its line."),
                ]), "Gives one row after the other.")
          ]), optional: true, "Reads such a file."),
      Parameter(
        "write",
        .callback([
          Parameter(
            "tasks", .callback([], returns: [.init(.record(.task), optional: true, "The next task; nil at the end.")]),
            "An iterator over the tasks."),
          Parameter("put", .callback([Parameter("text", .string, "What is written.")]), "Writes a text."),
        ]), optional: true, "Writes such a file."),
    ])

  /// What a plugin's agent is called with, behind the URL.
  static let agentOptions = LuaRecord(
    "agent options", "What a plugin's agent is called with, behind the URL.",
    [
      Parameter("redirect_uri", .string, optional: true, "Where it ends; nil where nothing comes back."),
      Parameter("code", .string, optional: true, "What the user is to type in there."),
      Parameter("username", .string, optional: true, "Who signs in, where that is known."),
      Parameter("password", .object("secret"), optional: true, "The user's password, where it was given."),
      Parameter("timeout", .number, "Seconds until the agent is given up."),
    ])

  static let pluginHooks = LuaRecord(
    "hook table", "What a plugin is told of.", HookEvent.allCases.map(\.parameter))

  /// What hooks see of a request.
  static let hookedRequest = LuaRecord(
    "hooked request", "A request as hooks see it, and a place for what a plugin wants to know at its end.",
    [
      Parameter("method", .string, "In capitals."),
      Parameter("url", .string, "The address, without what is secret in it."),
      Parameter("headers", .map(of: headerValue), "The header fields, by name in lower case."),
      Parameter("size", .integer, "Bytes of the body."),
    ], others: .any)

  /// What hooks see of what came of a request.
  static let hookedResponse = LuaRecord(
    "hooked response", "What came of a request, as hooks see it.",
    [
      Parameter("status", .integer, optional: true, "The status; nil where there was no answer."),
      Parameter("headers", .map(of: headerValue), optional: true, "The header fields, by name in lower case."),
      Parameter("size", .integer, optional: true, "Bytes of the body, where they were kept."),
      Parameter("seconds", .number, "How long it took."),
      Parameter("error", .record(.error), optional: true, "Why there was no answer."),
    ])

  /// What `after_import` gets: the report, if the import had begun, and more.
  static let endedImport = LuaRecord(
    "ended import", "The report of an import that has ended, however it did. One that had not begun has only these.",
    [
      Parameter("source", .string, "What was imported."),
      Parameter("account", .string, optional: true, "Whose tasks they are."),
      Parameter("ending", .choice(["finished", "dry_run", "stopped"]), "How it ended."),
      Parameter("error", .record(.error), optional: true, "Why it stopped."),
    ], others: .any)

  private static let headerValue = LuaType.either([.string, .object("sealed secret")])
}
