import HTTPClient
import HostLoop
import JSON
import Lua

/// An HTTP response as scripts see it.
@HostActor
final class LuaResponse: LuaObject {
  let response: HTTPResponse
  private let json: JSONMarshal

  var weight: Int { response.body.count + 4096 }

  init(_ response: HTTPResponse, _ json: JSONMarshal) {
    self.response = response
    self.json = json
  }

  /// `response.json()`, called with a dot, and so bound to this response.
  private var jsonFunction: HostFunction {
    HostFunction("response.json", "The body, read as JSON.", returns: [Self.jsonResult]) { [self] _ in
      var text = response.body
      do throws(JSONError) { return [try json.value(parsing: &text)] } catch {
        let type = response.headers["Content-Type"] ?? "no content type"
        throw LuaError(
          code: "unexpected_body",
          message: "response.json: the body is not JSON (\(type), \(response.body.count) bytes): \(error.message)",
          status: response.status)
      }
    }
  }

  private nonisolated static let jsonResult = HostFunction.Result(.any, "The value.")

  private var headers: LuaValue {
    var values: [String: [String]] = [:]
    for field in response.headers.fields { values[field.name.lowercased(), default: []].append(field.value) }
    return .record(values.map { ($0.key, .string($0.value.joined(separator: ", "))) })
  }

  static let luaType = HostType(
    "response", "An HTTP response.",
    properties: [
      property("status", .integer, "The status code.") { .integer($0.response.status) },
      property("body", .string, "The bytes of the body.") { .bytes($0.response.body) },
      property("headers", .map(of: .string), "The header fields, by name in lower case.") { $0.headers },
      property("url", .string, "The address of the response, after redirects.") { .string($0.response.url) },
      .init(
        "json", .functionReturning(LuaResponse.jsonResult), "response.json() reads the body as JSON.",
        of: LuaResponse.self
      ) { object, state in .function(state.closure(object.jsonFunction)) },
    ], describe: { object in (object as? LuaResponse).map { "response \($0.response.status)" } ?? "response" })
}
