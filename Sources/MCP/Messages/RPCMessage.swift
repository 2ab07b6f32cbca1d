package import JSON

/// The name of a request of JSON-RPC 2.0: a number or a text.
package enum RPCID: Sendable, Hashable {
  case number(Int64)
  case text(String)

  package var json: JSON {
    switch self {
    case .number(let number): .integer(number)
    case .text(let text): .string(text)
    }
  }

  package init?(_ json: JSON?) {
    switch json {
    case .integer(let number)?: self = .number(number)
    case .string(let text)?: self = .text(text)
    default: return nil
    }
  }
}

/// A message of JSON-RPC 2.0, as MCP uses it: without batches, and requests without the ID null.
package enum RPCMessage: Sendable, Equatable {
  case request(RPCID, method: String, params: [String: JSON])
  case notification(method: String, params: [String: JSON])
  case result(RPCID, JSON)
  /// An error without an ID answers a message that could not be read.
  case error(RPCID?, RPCError)

  /// Reads one message.
  package init(parsing bytes: [UInt8]) throws(RPCError) {
    let json: JSON
    do { json = try JSON(parsing: bytes) } catch { throw RPCError(.parse, "the message is not JSON: \(error.message)") }
    try self.init(json)
  }

  package init(_ json: JSON) throws(RPCError) {
    guard let members = json.object, members["jsonrpc"] == "2.0" else {
      throw RPCError(.invalidRequest, "expected an object with \"jsonrpc\": \"2.0\"")
    }
    let id = RPCID(members["id"])
    if let method = members["method"]?.string {
      let params: [String: JSON]
      switch members["params"] {
      case nil: params = [:]
      case .object(let object)?: params = object
      default: throw RPCError(.invalidRequest, "params: expected an object")
      }
      if let id {
        self = .request(id, method: method, params: params)
      } else if members["id"] == nil {
        self = .notification(method: method, params: params)
      } else {
        throw RPCError(.invalidRequest, "id: expected a text or a whole number")
      }
    } else if let problem = members["error"] {
      self = .error(id, RPCError(problem))
    } else if let id, let result = members["result"] {
      self = .result(id, result)
    } else {
      throw RPCError(.invalidRequest, "expected method, or id with result or error")
    }
  }

  package var json: JSON {
    switch self {
    case .request(let id, let method, let params):
      ["jsonrpc": "2.0", "id": id.json, "method": .string(method), "params": .object(params)]
    case .notification(let method, let params):
      ["jsonrpc": "2.0", "method": .string(method), "params": .object(params)]
    case .result(let id, let result): ["jsonrpc": "2.0", "id": id.json, "result": result]
    case .error(let id, let error): ["jsonrpc": "2.0", "id": id?.json ?? .null, "error": error.json]
    }
  }
}

/// An error of JSON-RPC 2.0.
package struct RPCError: Error, Sendable, Equatable {
  package enum Code: Int64, Sendable {
    case parse = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
    /// The headers of HTTP say something else than the body.
    case headerMismatch = -32020
    case missingCapability = -32021
    case unsupportedVersion = -32022
    /// A resource that is not there, up to 2025-11-25.
    case resourceNotFound = -32002
  }

  package var code: Int64
  package var message: String
  package var data: JSON?

  package init(_ code: Code, _ message: String, data: JSON? = nil) {
    self.code = code.rawValue
    self.message = message
    self.data = data
  }

  /// The error of a message. An object that is none has the code of an internal error.
  package init(_ json: JSON) {
    code = json["code"]?.lenientInteger ?? Code.internalError.rawValue
    message = json["message"]?.string ?? "the error has no message"
    data = json["data"]
  }

  package var json: JSON {
    var members: [String: JSON] = ["code": .integer(code), "message": .string(message)]
    members["data"] = data
    return .object(members)
  }
}
