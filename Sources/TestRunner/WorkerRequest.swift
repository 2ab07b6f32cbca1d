import JSON
import Lua

/// A request of a `WorkerBench` to the process that runs its tests.
enum WorkerRequest {
  /// Find the tests of a file.
  case load(TestFile)
  case run(TestCase)

  /// Throws `broken_request` for a request that this version does not know.
  init(_ json: JSON) throws(LuaError) {
    let file = TestFile(path: json["file"]?.string ?? "")
    switch json["op"]?.string {
    case "load": self = .load(file)
    case "run": self = .run(TestCase(json["case"] ?? .null, of: file))
    default:
      throw LuaError(code: "broken_request", message: "the process of the tests got a request that it does not know")
    }
  }

  var json: JSON {
    switch self {
    case .load(let file): ["op": "load", "file": .string(file.path)]
    case .run(let test): ["op": "run", "file": .string(test.file.path), "case": test.json]
    }
  }
}
