import Glibc
import HostLoop
import Lua

extension ScriptHost {
  var termModule: HostModule {
    HostModule(
      "term", "The terminal, and the script's own command line.",
      [
        HostFunction(
          "term.progress", "Shows progress on standard error: a bar on a terminal, nothing elsewhere.",
          [
            .options([
              Parameter("total", .integer, optional: true, "How much there is to do; without it, a count is shown."),
              Parameter("label", .string, optional: true, "What is being done."),
            ])
          ], returns: [.init(.object("progress"), "With :update(done), :advance(n) and :finish().")]
        ) { [console] arguments in
          let total = arguments["total"].integer
          if let total, total < 0 { throw arguments.failure("option 'total': expected zero or more, got \(total)") }
          return [.object(Progress(console, label: arguments["label"].string ?? "", total: total.map { Int($0) }))]
        },
        HostFunction(
          "term.table", "Prints rows as a table with aligned columns.",
          [
            Parameter("rows", .table, "A list of rows: each a list of cells, or a table by column name."),
            .options([Parameter("columns", .table, optional: true, "The columns to show, in order.")]),
          ]
        ) { arguments in
          StandardOutput.write(try TextTable(arguments).text)
          return []
        },
        termOptions, termPrompt, termConfirm, termPassword, termWhen,
        .question("term.is_tty", "Whether standard output is a terminal.") { [isTerminal = isatty(1) == 1] in isTerminal
        },
      ])
  }
}
