import Core
import Files
import Glibc
import HostLoop
import JSON
import MCP

/// The tools that plan changes. They change no task: the plan is carried out by `plan_apply`, after a person has approved it.
extension Workshop {
  private static let planned =
    " Makes a plan, and changes nothing: plan_apply carries it out after a person has approved it."

  func planningTools() -> [ServedTool] {
    [
      tasksAdd, tasksUpdate, chosen("tasks_complete", "completed", ["completed": true]),
      chosen("tasks_reopen", "open again", ["completed": false]), tasksRemove, importPlan, undoPlan,
    ]
  }

  private static let fields: [String: JSON] = [
    "text": Schema.text("the text"), "notes": Schema.text("longer notes", most: 100_000),
    "due": Schema.text("2027-01-31 or 2027-01-31T09:00[Europe/Berlin]", most: 100),
    "start": Schema.text("like due", most: 100), "list": Schema.text("the ID of a list", most: 1000),
    "priority": Schema.number("1 is the highest", 0...9), "url": Schema.text("an address", most: 4000),
    "labels": [
      "type": "array", "items": ["type": "string", "maxLength": 1000], "maxItems": 100, "description": "words",
    ],
  ]

  private static let id: JSON = [
    "type": ["string", "integer"], "description": "the ID of a task, as tasks_list shows it", "maxLength": 4000,
  ]

  private var tasksAdd: ServedTool {
    let item: JSON = [
      "type": "object", "properties": .object(Self.fields), "required": ["text"], "additionalProperties": false,
    ]
    return tool(
      "tasks_add", "Plans new tasks.", ["tasks": Schema.list(of: item, "the new tasks", most: 100)], required: ["tasks"]
    ) { call in
      (call.arguments["tasks"]?.array ?? []).map { ["kind": "add", "fields": $0] }
    }
  }

  private var tasksUpdate: ServedTool {
    var fields = Self.fields
    for name in ["notes", "due", "start", "priority", "url", "labels"] {
      guard case .object(var field)? = fields[name], let type = field["type"] else { continue }
      field["type"] = [type, "null"]
      fields[name] = .object(field)
    }
    fields["id"] = Self.id
    let item: JSON = [
      "type": "object", "properties": .object(fields), "required": ["id"], "additionalProperties": false,
    ]
    return tool(
      "tasks_update", "Plans changes of tasks: the given fields get new values, and null removes a field.",
      ["changes": Schema.list(of: item, "a change for each task", most: 100)], required: ["changes"]
    ) { call in
      (call.arguments["changes"]?.array ?? []).map { change in
        var fields = change.object ?? [:]
        let id = fields.removeValue(forKey: "id") ?? .null
        return ["kind": "set", "id": id, "fields": .object(fields)]
      }
    }
  }

  private func chosen(_ name: String, _ state: String, _ fields: JSON) -> ServedTool {
    tool(
      name, "Plans that tasks are \(state).", ["ids": Schema.list(of: Self.id, "the IDs", most: 100)], required: ["ids"]
    ) { call in
      (call.arguments["ids"]?.array ?? []).map { ["kind": "set", "id": $0, "fields": fields] }
    }
  }

  private var tasksRemove: ServedTool {
    tool(
      "tasks_remove", "Plans that tasks are removed.", ["ids": Schema.list(of: Self.id, "the IDs", most: 100)],
      required: ["ids"]
    ) { call in (call.arguments["ids"]?.array ?? []).map { ["kind": "remove", "id": $0] } }
  }

  /// A tool that plans a list of changes.
  private func tool(
    _ name: String, _ text: String, _ properties: [String: JSON], required: [String],
    _ changes: @escaping @Sendable (MCPCall) -> [JSON]
  ) -> ServedTool {
    ServedTool(name, text + Self.planned, properties, required: required, hints: .init()) { call in
      let wanted: JSON = ["source": .string("\(name) of an agent"), "changes": .array(changes(call))]
      let (input, path) = (plans.newPath("json"), plans.newPath("plan"))
      let file = try OpenFile(input, Opening(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
      defer { _ = FileSystem.unlink(input) }
      try file.write(Array(wanted.encoded().utf8))
      return try await plan("changes", [input, path], runner.program.serviceWords, reading: input, path, call)
    }
  }

  private var importPlan: ServedTool {
    ServedTool(
      "import_plan", "Plans the import of a file as tasks." + Self.planned,
      [
        "file": Schema.text("the path of the file in the folder of this server", most: 4000),
        "key": Schema.text(
          "the column that tells the rows apart: a row whose key a task has changes this task", most: 1000),
        "key-field": Schema.choice(["text", "notes", "url", "key"], "the field of the task that keeps the key"),
        "delete-missing": Schema.flag("with key: also remove the tasks whose keys the file does not have"),
        "as-is": Schema.flag("read the file as it is, whatever is doubtful about it"),
        "format": Schema.text("the format, if the file does not tell it", most: 100),
      ], required: ["file"], hints: .init()
    ) { call in
      let file = try folder.file(call.arguments["file"]?.string ?? "")
      var words = runner.program.serviceWords
      for name in ["key", "key-field", "format"] {
        if let value = call.arguments[name] { words.append("--\(name)=\(try Self.word(value))") }
      }
      for name in ["delete-missing", "as-is"] where call.arguments[name] == true { words.append("--\(name)") }
      let path = plans.newPath("plan")
      return try await plan("plan", [file, path], words, reading: file, path, call)
    }
  }

  private var undoPlan: ServedTool {
    ServedTool(
      "import_undo", "Plans that an import, or a plan that was carried out, is taken back." + Self.planned,
      ["id": Schema.text("the ID, as imports_list or plan_apply shows it", most: 64)], required: ["id"], hints: .init()
    ) { call in
      let id = call.arguments["id"]?.string ?? ""
      // An import can be named by its source, too, which is a path.
      guard !id.isEmpty, id.utf8.allSatisfy({ $0.isWordPart && $0 != UInt8(ascii: ".") }), !id.hasPrefix("-") else {
        throw ToolError("usage", "id: expected the ID of an import, got '\(id.displayable)'")
      }
      let path = plans.newPath("plan")
      _ = try ToolRunner.checked(
        try await runner.run(
          runner.program.command("imports"), ["undo", "--plan=\(path)"] + runner.program.serviceWords + ["--", id],
          permissions: [Self.writing(path)], in: folder.current))
      return try reply(path, call)
    }
  }

  private func plan(
    _ script: String, _ positions: [String], _ words: [String], reading: String, _ path: String, _ call: MCPCall
  ) async throws -> ToolReply {
    try await runner.silent(
      script, words + ["--"] + positions, permissions: [Self.reading(reading), Self.writing(path)], in: folder.current)
    return try reply(path, call)
  }

  private func reply(_ path: String, _ call: MCPCall) throws -> ToolReply {
    let plan = try plans.keep(path, session: call.caller.session)
    var reply = ToolReply(ToolText.data(plan.text))
    reply.digest = plan.digest
    reply.data = ["plan": .string(plan.digest), "writes": .integer(Int64(plan.writes))]
    let next =
      plan.writes == 0
      ? "The plan changes nothing." : "Nothing was changed yet. Call plan_apply with this plan: \(plan.digest)"
    reply.text = "\(next)\n\n\(reply.text)"
    return reply
  }
}
