import Core
import Files
import HostLoop
import JSON
import Lua

/// A breakpoint of a client.
struct Breakpoint: Sendable {
  let id: Int
  /// The line where it is; the client may have asked for another one.
  var line: Int
  var condition: String?
  var hits: HitCondition?
  var logMessage: String?
  /// The reason why it will never halt the script.
  var problem: String?
  var isMoved = false
  var count = 0

  /// The answer to the client.
  var json: JSON {
    var fields: [String: JSON] = [
      "id": .integer(Int64(id)), "verified": .bool(problem == nil), "line": .integer(Int64(line)),
    ]
    if let problem { fields["message"] = .string(problem) }
    if isMoved { fields["message"] = .string("moved to line \(line), the next one with code") }
    return .object(fields)
  }
}

/// A condition on the number of times that a breakpoint was reached: `5`, `>= 5`, `% 5`.
struct HitCondition: Sendable {
  private let symbol: String
  private let number: Int

  init?(_ text: String) {
    let text = text.trimmingPrefix { $0 == " " }
    let symbol = text.prefix { "=<>%".contains($0) }
    guard let number = Int(text.dropFirst(symbol.count).filter { $0 != " " }), number > 0,
      ["", "=", "==", ">", ">=", "<", "<=", "%"].contains(String(symbol))
    else { return nil }
    self.symbol = String(symbol)
    self.number = number
  }

  func allows(_ count: Int) -> Bool {
    switch symbol {
    case ">": count > number
    case ">=": count >= number
    case "<": count < number
    case "<=": count <= number
    case "%": count % number == 0
    default: count == number
    }
  }
}

/// The breakpoints of a client, by the path of the file and the line.
@HostActor
final class Breakpoints {
  private var lines: [String: [Breakpoint]] = [:]
  /// The names of functions that halt the script when they are called.
  private(set) var functions: [(id: Int, name: String)] = []
  private var lastID = 0
  /// Compiles sources and conditions, to find mistakes in them.
  private let compiler: LuaState

  init() throws { compiler = try LuaState() }

  /// The numbers of all lines, of any file.
  var allLines: Set<Int> { Set(lines.values.joined().filter { $0.problem == nil }.map(\.line)) }

  /// Replaces the breakpoints of a file. Returns the answers for the client.
  func set(_ wanted: [JSON], in path: String) -> [JSON] {
    let code = lines(of: path)
    let made = wanted.map { make($0, code, path) }
    lines[path] = made
    return made.map(\.json)
  }

  private func make(_ wanted: JSON, _ code: Result<Set<Int>, LuaError>, _ path: String) -> Breakpoint {
    lastID += 1
    var point = Breakpoint(id: lastID, line: Int(wanted["line"]?.lenientInteger ?? 0))
    func text(_ name: String) -> String? { wanted[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    switch code {
    case .failure(let error): point.problem = error.description
    case .success(let lines):
      if let next = lines.filter({ $0 >= point.line }).min() {
        point.isMoved = next != point.line
        point.line = next
      } else {
        point.problem = "line \(point.line) has no code, and no line after it"
      }
    }
    point.condition = text("condition")
    point.logMessage = text("logMessage")
    if let condition = point.condition, let mistake = mistake(in: condition) {
      point.problem = "the condition '\(condition)' is not a Lua expression: \(mistake)"
    }
    if let hits = text("hitCondition") {
      point.hits = HitCondition(hits)
      if point.hits == nil {
        point.problem =
          "the hit condition '\(hits)' is not understood; expected a number, with >=, >, <, <= or % in front"
      }
    }
    return point
  }

  private func mistake(in expression: String) -> String? {
    do { _ = try compiler.load(Array("return \(expression)\n".utf8), name: "condition") } catch { return error.message }
    return nil
  }

  /// The lines of a file that have code.
  private func lines(of path: String) -> Result<Set<Int>, LuaError> {
    let source: [UInt8]
    do { source = try FileSystem.contents(of: path) } catch {
      return .failure(LuaError(code: "no_file", message: "cannot read \(path): \(error.reason)"))
    }
    do {
      let chunk = try compiler.load(Self.withoutFirstLine(source), name: path.lastName)
      return .success(chunk.compiledCode?.lines ?? [])
    } catch { return .failure(error) }
  }

  /// A first line for the shell becomes an empty one.
  private static func withoutFirstLine(_ source: [UInt8]) -> [UInt8] {
    source.first == UInt8(ascii: "#") ? Array(source.drop { $0 != UInt8(ascii: "\n") }) : source
  }

  /// Replaces the function breakpoints. Returns the answers for the client.
  func set(functions names: [String]) -> [JSON] {
    functions = names.map { name in
      lastID += 1
      return (lastID, name)
    }
    return functions.map { ["id": .integer(Int64($0.id)), "verified": .bool(true)] }
  }

  /// The breakpoints at a line that is reached. Each of them has then been reached once more.
  func reach(_ path: String, _ line: Int) -> [Breakpoint] {
    guard let points = lines[path] else { return [] }
    var reached: [Breakpoint] = []
    for (index, point) in points.enumerated() where point.line == line && point.problem == nil {
      lines[path]?[index].count += 1
      if var now = lines[path]?[index], now.hits?.allows(now.count) ?? true {
        now.problem = nil
        reached.append(now)
      }
    }
    return reached
  }

  /// True if one of the function breakpoints is for a function of this name.
  func function(named name: String) -> Int? {
    functions.first { $0.name == name || $0.name.hasSuffix(".\(name)") || $0.name.hasSuffix(":\(name)") }?.id
  }
}
