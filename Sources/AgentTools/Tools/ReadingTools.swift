import Core
import HostLoop
import JSON
import MCP

/// The tools that change nothing.
extension Workshop {
  func readingTools() -> [ServedTool] { [tasksList, taskLists, importLook, importsList, traceShow, scriptCheck] }

  private var tasksList: ServedTool {
    ServedTool(
      "tasks_list", "Lists tasks with their IDs.",
      [
        "state": Schema.choice(["open", "done", "all"], "which tasks; all if not given"),
        "list": Schema.text("the ID or the name of a list", most: 1000),
        "skip": Schema.number("leave out the first tasks", 0...10_000_000),
        "limit": Schema.number("at most this many; 100 if not given", 1...500),
      ]
    ) { call in
      var words = runner.program.serviceWords
      for name in ["state", "list", "skip", "limit"] {
        if let value = call.arguments[name] { words.append("--\(name)=\(try Self.word(value))") }
      }
      return ToolReply(data: try await runner.json("tasks", words, in: folder.current))
    }
  }

  private var taskLists: ServedTool {
    ServedTool("task_lists", "Lists the lists of tasks.") { _ in
      ToolReply(data: try await runner.json("tasks", ["--lists"] + runner.program.serviceWords, in: folder.current))
    }
  }

  private var importLook: ServedTool {
    ServedTool(
      "import_look", "Shows how a file would be read as tasks: format, columns, first rows, doubts. Sends nothing.",
      ["file": Schema.text("the path of the file in the folder of this server", most: 4000)], required: ["file"]
    ) { call in
      let file = try folder.file(call.arguments["file"]?.string ?? "")
      return ToolReply(
        data: try await runner.json("look", ["--", file], permissions: [Self.reading(file)], in: folder.current))
    }
  }

  private var importsList: ServedTool {
    ServedTool(
      "imports_list",
      "Lists the imports of files in the folder of this server, and the plans that were carried out, with their IDs."
    ) { _ in
      let all = try await runner.json(command: "imports", ["list", "--json"], in: folder.current).array ?? []
      let here = all.compactMap { record -> JSON? in
        guard case .object(var members) = record else { return nil }
        let source = members["source"]?.string ?? ""
        // The source of a plan of tools is not a file.
        guard !source.hasPrefix("/") || folder.contains(source) else { return nil }
        members["path"] = nil
        return .object(members)
      }
      return ToolReply(data: ["imports": .array(here), "elsewhere": .integer(Int64(all.count - here.count))])
    }
  }

  private var traceShow: ServedTool {
    ServedTool(
      "trace_show", "Shows the requests and events of a trace that b2c-run --trace FILE.json has recorded.",
      ["file": Schema.text("the path of the trace in the folder of this server", most: 4000)], required: ["file"]
    ) { call in
      let file = try folder.file(call.arguments["file"]?.string ?? "")
      return ToolReply(
        ToolText.data(
          try ToolRunner.checked(try await runner.run("trace", ["show", "--", file], in: folder.current)).text))
    }
  }

  private var scriptCheck: ServedTool {
    ServedTool(
      "script_check", "Finds mistakes in a script of the folder without running it.",
      ["file": Schema.text("the path of the script in the folder of this server", most: 4000)], required: ["file"]
    ) { call in
      let file = try folder.file(call.arguments["file"]?.string ?? "")
      let output = try await runner.run("check", ["--", file], in: folder.current)
      return ToolReply(ToolText.data(output.text.isEmpty ? "nothing found" : output.text))
    }
  }

  /// A value of one word: the schema has checked its type.
  static func word(_ value: JSON) throws(ToolError) -> String {
    let text = value.string ?? value.encoded()
    guard !text.utf8.contains(0) else { throw ToolError("usage", "a NUL cannot be passed on") }
    return text
  }

  /// The permission to read one file.
  static func reading(_ file: String) -> String { "--allow-read=\(file.replacing(",", with: ",,"))" }

  static func writing(_ file: String) -> String { "--allow-write=\(file.replacing(",", with: ",,"))" }
}
