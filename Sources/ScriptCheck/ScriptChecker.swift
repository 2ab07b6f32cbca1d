import Core
package import Documentation
import Files
import FoundationEssentials
package import HostLoop
package import Lua
import Permissions

/// Finds mistakes in scripts without running them.
@HostActor
package final class ScriptChecker {
  /// A mistake, and where it is: lines and columns from 1.
  package struct Finding: Sendable, Equatable {
    package let line: Int
    package let column: Int
    package let message: String
    /// luacheck's, for `-- luacheck: ignore CODE`.
    package let code: String

    /// True for a mistake of the syntax or in the use of the API: the script fails at it.
    package var isSerious: Bool { code.hasPrefix("0") || code.hasPrefix("8") }

    package init(_ position: Position, _ message: String, code: String) {
      (line, column) = (position.line, position.column)
      self.message = message
      self.code = code
    }
  }

  /// A line and a column, from 1.
  package struct Position: Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// Facts about a script besides its source.
  package struct Surroundings: Sendable {
    /// True if it is a test file, which has `expect` and its like.
    package var isTest = false
    /// True if it lies where plugins are looked for.
    package var isPlugin = false
    /// True if there are plugins: agents, flows and formats that the API does not name may be theirs.
    package var hasPlugins = false
    /// The file of a module that is there; nil where no file is known, and where the script looks for modules elsewhere.
    package var hasFile: (@HostActor @Sendable (_ path: String) -> Bool)?

    /// Gets each call of `b2c.job` with the constant part of its table, or nil if only the running script knows the table.
    /// Returns the problem of the table; nil for a correct one.
    package var jobProblem: (@HostActor @Sendable (_ declaration: LuaValue, _ call: Position) -> JobProblem?)?

    package init() {}
  }

  /// The reason why a job cannot run.
  package struct JobProblem: Sendable {
    /// The path of the wrong entry, such as `on[2].cron`; empty for the whole declaration.
    let key: String
    let message: String
    let hint: String?

    package init(key: String, message: String, hint: String?) {
      self.key = key
      self.message = message
      self.hint = hint
    }
  }

  private let state: LuaState
  private let check: LuaFunction
  private let standardModules: Set<String>

  /// - Parameter folder: the folder of the stock scripts, with the check's own Lua.
  /// - Throws: `no_luacheck`
  package init(_ reference: Reference, globals: LuaTable, scriptsFolder folder: String) async throws {
    let luacheck = try Luacheck()
    state = try LuaState()
    let source = HostFunction("source", "", [Parameter("module", .string)]) { arguments in
      let name = arguments.string(0)
      let own = "\(folder)/\(name.replacing(".", with: "/")).lua"
      let bytes = name.hasPrefix("check.") ? try? FileSystem.contents(of: own) : luacheck.source(of: name)
      return [bytes.map { .bytes($0) } ?? .nil]
    }
    let nearest = HostFunction("nearest", "", [Parameter("name", .string), Parameter("names", .table)]) { arguments in
      [.string(nearestName(to: arguments.string(0), in: try arguments[1].table?.texts ?? []))]
    }
    let main = try await state.load(Array(Self.loader.utf8), name: "check").call([
      .function(state.function(source)), CheckTable(reference).value, Self.standard(globals),
      .function(state.function(nearest)),
    ])
    guard let function = main.first?.function else {
      throw LuaError(code: "check_incomplete", message: "\(folder)/check/main.lua gave no function")
    }
    check = function
    let loaded = try globals["package"].table?["loaded"].table?.pairs ?? []
    standardModules = Set(loaded.compactMap(\.key.string)).union(["_G", "b2c"])
  }

  package func close() { state.close() }

  /// The mistakes in `source`, in the order of its lines.
  package func findings(in source: [UInt8], _ surroundings: Surroundings) async throws -> [Finding] {
    let isModule = HostFunction("is_module", "", [Parameter("name", .string, "")], returns: []) {
      [standardModules] arguments in
      let name = arguments.string(0)
      // A loader or a path of the script's own may find anything.
      guard let hasFile = surroundings.hasFile, !standardModules.contains(name), !source.contains(Self.ownPath) else {
        return [.boolean(true)]
      }
      let path = name.replacing(".", with: "/")
      return [.boolean(hasFile("\(path).lua") || hasFile("\(path)/init.lua"))]
    }
    let jobProblem = surroundings.jobProblem.map { find in
      HostFunction(
        "job_problem", "",
        [
          Parameter("declaration", .table, optional: true, ""), Parameter("line", .integer),
          Parameter("column", .integer),
        ], returns: []
      ) { arguments in
        let call = Position(line: Int(arguments[1].integer ?? 0), column: Int(arguments[2].integer ?? 0))
        guard let problem = find(arguments[0], call) else { return [] }
        return [.string(problem.key), .string(problem.message), .string(problem.hint)]
      }
    }
    let about = LuaValue.record([
      ("job_problem", jobProblem.map { .function(state.function($0)) } ?? .nil),
      ("is_module", .function(state.function(isModule))), ("is_test", .boolean(surroundings.isTest)),
      ("is_plugin", .boolean(surroundings.isPlugin)), ("has_plugins", .boolean(surroundings.hasPlugins)),
      ("header_mistakes", .list(ScriptHeader(source).mistakes.map(Self.value))),
    ])
    let found = try await check.call([.bytes(source), about]).first?.table?.elements ?? []
    let findings = found.compactMap { element -> Finding? in
      guard let table = element.table, let line = table["line"].integer, let column = table["column"].integer else {
        return nil
      }
      return Finding(
        Position(line: Int(line), column: Int(column)), table["message"].string ?? "",
        code: table["code"].string ?? "")
    }
    return findings.contains { $0.code == Self.syntaxError } ? findings : findings + compilerFinding(source)
  }

  private static func value(_ mistake: ScriptHeader.Mistake) -> LuaValue {
    .record([("line", .integer(mistake.line)), ("message", .string(mistake.message)), ("hint", .string(mistake.hint))])
  }

  private static let syntaxError = "011"

  /// The text by which a script shows that it looks for modules in other places.
  private static let ownPath = Array("package.".utf8)

  private func compilerFinding(_ source: [UInt8]) -> [Finding] {
    do throws(LuaError) {
      _ = try state.load(source, name: "script")
      return []
    } catch {
      let line = error.location.flatMap { Int($0.split(separator: ":").last ?? "") } ?? 1
      return [Finding(Position(line: line, column: 1), error.message, code: Self.syntaxError)]
    }
  }

  /// The globals as luacheck's standards have them: names by name, with the fields of those that are tables.
  private static func standard(_ globals: LuaTable) -> LuaValue {
    var names: [(name: String, value: LuaValue)] = []
    for pair in (try? globals.pairs) ?? [] {
      guard let name = pair.key.string else { continue }
      let isOpen = name == "_G" || name == "package"
      let fields = isOpen ? [] : (try? pair.value.table?.pairs) ?? []
      names.append((name, definition(isOpen: isOpen, fields.map { ($0.key.string ?? "", $0.value) })))
    }
    // The words of the command line, which every script gets when it begins.
    names.append(("arg", .record([("other_fields", .boolean(true))])))
    return .record([("read_globals", .record(names))])
  }

  private static func definition(isOpen: Bool, _ fields: [(name: String, value: LuaValue)]) -> LuaValue {
    let inner = fields.map { field in
      // A value that is no function may have fields, as files do.
      (name: field.name, value: LuaValue.record(field.value.function == nil ? [("other_fields", .boolean(true))] : []))
    }
    return .record([
      ("fields", inner.isEmpty ? .nil : .record(inner)), ("other_fields", isOpen ? .boolean(true) : .nil),
      ("read_only", isOpen ? .boolean(false) : .nil),
    ])
  }

  /// Modules come from luacheck and from the check's own folder, and from nowhere else.
  private static let loader = """
    local source, declarations, standard, nearest = ...
    local loaded = {}
    -- luacheck looks at metatables of tables in the same file only.
    debug.getmetatable = getmetatable

    function require(name)
      if loaded[name] == nil then
        local text = source(name) or error(("the module %s of the check is missing"):format(name), 0)
        loaded[name] = assert(load(text, "@" .. name, "t"))(name) or true
      end
      return loaded[name]
    end

    local main = source "check.main" or error("the module check.main of the check is missing", 0)
    return assert(load(main, "@check.main", "t"))(declarations, standard, nearest)
    """
}
