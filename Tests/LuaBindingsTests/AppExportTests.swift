import Automation
import Core
import FoundationEssentials
import HostLoop
import ImportFormats
import JSON
import Lua
import LuaKit
import TaskAPI
import Testing

@testable import LuaTasks
@testable import ScriptHost

/// Files as twenty apps write them, in Exports/, each with the tasks that it means. They are read as an import reads them.
@HostActor @Suite("The files of other apps")
struct AppExportTests {
  /// The formats that need no script. Their names for tasks are found with the columns.
  nonisolated static let native = ["taskwarrior", "todotxt"]

  @Test("are recognized, and all their fields are right", arguments: AppExport.all)
  func fields(export: AppExport) async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/\(export.file)"
    try export.bytes().write(to: URL(filePath: path))
    if let reason = try export.refusal() {
      let error = await #expect(throws: LuaError.self) {
        try await Self.read(path, in: try TestHost(tenant: nil), expecting: export.app)
      }
      #expect(error?.message == "\(path): \(reason)")
      return
    }
    let read = try await Self.read(path, in: try TestHost(tenant: nil), expecting: export.app)
    let expected = try export.expected().map(Self.expectation)
    #expect(read.map(\.text) == expected.map(\.text))
    for (task, meant) in zip(read, expected) { #expect(task == meant) }
  }

  @Test("are enough to be told about")
  func count() {
    #expect(AppExport.apps.count >= 18)
    #expect(AppExport.all.count >= 120)
  }

  // MARK: Reading

  /// A task of a file: its text, and everything else as texts by name.
  struct Task: Equatable, CustomStringConvertible {
    var text: String
    var fields: [String: String] = [:]

    var description: String {
      ([text] + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }).joined(separator: ", ")
    }
  }

  /// The tasks of a file, as an import finds them.
  static func read(_ path: String, in host: TestHost, expecting app: String) async throws -> [Task] {
    // Makes the modules that the formats need.
    try await host.run("")
    let formats = host.host.tasks.formats
    let context = host.host.tasks.context
    let place = HostFunction("tasks.import", "", [.options([])]) { _ in [] }
    let arguments = try Arguments(options: host.host.state.makeTable(), of: place, host.host.state, noun: "option")
    let file = try context.session.permissions.source(path, arguments)
    let found = try await formats.find(nil, path: path, arguments) {
      try FormatHead(try context.session.permissions.source(path, arguments))
    }
    let source: any RowSource
    switch found?.format {
    case .lua(let format)?:
      #expect(format.name == app)
      source = IteratorRowSource(
        format, LuaSource(path: path, found?.match, ReadingOptions(), context), map: nil, context)
    case .native(let format)?: source = try FileRowSource(try RecordReaders.read(file, format: format), mapping: nil)
    case nil: source = try FileRowSource(try RecordReaders.read(file), mapping: nil)
    }
    var tasks: [Task] = []
    while let record = try await source.next() {
      switch try await source.draft(of: record) {
      case .task(let draft): tasks.append(task(draft))
      case .skipped: break
      case .unusable(_, let reason, _): tasks.append(Task(text: "", fields: ["failed": reason]))
      }
    }
    return tasks
  }

  private static func task(_ draft: TaskDraft) -> Task {
    var task = Task(text: draft.text)
    for (name, value) in draft.fields where value != .bool(false) { task.fields[name] = text(value) }
    task.fields["source_id"] = draft.sourceID
    if !draft.unread.isEmpty { task.fields["lost"] = draft.unread.keys.sorted().joined(separator: ", ") }
    return task
  }

  private static func text(_ value: JSON) -> String {
    let text = value.array?.map(\.plainText).joined(separator: ", ") ?? value.plainText
    return text.replacing("\r\n", with: "\n")
  }

  private static func expectation(_ json: JSON) throws -> Task {
    var members = json.object ?? [:]
    if let failure = members["failed"]?.string { return Task(text: "", fields: ["failed": failure]) }
    let lost = members.removeValue(forKey: "lost")?.array?.compactMap(\.string)
    let id = members.removeValue(forKey: "source_id")?.plainText
    let text = members.removeValue(forKey: "text")?.string ?? ""
    var draft = try TaskDraft(text: text, fields: members).normalized()
    draft.sourceID = id
    draft.unread = Dictionary(uniqueKeysWithValues: (lost ?? []).map { ($0, "") })
    return task(draft)
  }
}
