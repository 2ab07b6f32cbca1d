import Glibc
import HostLoop
import Lua

extension ScriptHost {
  var termModule: HostModule {
    HostModule(
      "term", "The terminal, and the script's own command line.", notes: Self.termNotes, example: Self.termExample,
      [
        HostFunction(
          "term.progress", "Shows progress on standard error: a bar on a terminal, nothing elsewhere.",
          [
            .options([
              Parameter("total", .integer, optional: true, "How much there is to do; without it, a count is shown."),
              Parameter("label", .string, optional: true, "What is being done."),
            ])
          ], returns: [.init(.object("progress"), "The bar; it goes with :finish(), or as a <close> variable.")],
          example: """
            local progress <close> = b2c.term.progress { total = 3, label = "Counting" }
            for i = 1, 3 do progress:update(i) end
            """
        ) { [console] arguments in
          let total = arguments["total"].integer
          if let total, total < 0 { throw arguments.failure("option 'total': expected zero or more, got \(total)") }
          return [.object(Progress(console, label: arguments["label"].string ?? "", total: total.map { Int($0) }))]
        },
        HostFunction(
          "term.table", "Prints rows as a table with aligned columns.",
          [
            Parameter("rows", .list(of: .table), "Each a list of cells, or a table by column name."),
            .options([
              Parameter("columns", .list(of: .string), optional: true, "The columns to show, in order."),
              Parameter(
                "shorten", .string, optional: true,
                "The column that is cut off where the terminal is too narrow for all of them."),
            ]),
          ],
          example: """
            b2c.term.table({ { id = 1, text = "Buy milk" }, { id = 2, text = "日本" } }, { columns = { "id", "text" } })
            """
        ) { arguments in
          StandardOutput.write(try TextTable(arguments).text)
          return []
        },
        termOptions, termPrompt, termConfirm, termPassword, termWhen, termSize, termStyle, termWidth, termFit,
        termScreen,
        termEditor,
        .question("term.is_tty", "Whether standard output is a terminal.") { [isTerminal = isatty(1) == 1] in isTerminal
        },
      ])
  }
}
