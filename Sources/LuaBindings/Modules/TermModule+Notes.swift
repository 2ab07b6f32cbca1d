extension ScriptHost {
  nonisolated static let termNotes = """
    `term.prompt`, `term.confirm` and `term.password` ask at the terminal, also where standard input is a pipe. Without a
    terminal they raise `no_terminal`, at its end (Ctrl-D) `no_input`. The echo of the terminal is on again afterwards,
    however the script ends.
    """

  nonisolated static let termExample = """
    local term = require "b2c.term"

    local options = term.options {
      summary = "Greets people.",
      positions = { { "[NAME...]", "whom to greet" } },
      options = {
        { "--greeting TEXT", "what to say", default = "Hello" },
        { "--times N", "how often", type = "integer", default = 1 },
        { "--dry-run", "only say what would be done" },
      },
    }
    for i = 1, #options do
      for _ = 1, options.dry_run and 0 or options.times do print(options.greeting .. ", " .. options[i]) end
    end
    """
}
