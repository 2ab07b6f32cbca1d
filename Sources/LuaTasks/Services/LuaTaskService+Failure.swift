import HTTPClient
import HostLoop
import JSON
import Lua
import LuaKit
import TaskAPI

extension LuaTaskService {
  /// The sentence with the name of the service in front of it, once.
  private static func prefixed(_ sentence: String, _ service: String) -> String {
    sentence.hasPrefix("\(service): ") ? sentence : "\(service): \(sentence)"
  }

  /// The failure that a service gives for one task.
  /// - Parameter aim: the purpose of the call; nil for a call that changes nothing.
  static func failure(
    of value: LuaValue, _ service: String, _ aim: TaskAPIError.Aim? = .adding, isOfOne: Bool
  ) -> TaskAPIError {
    guard let table = value.table else {
      return .ofService(
        code: nil, message: "\(service): \(value.string ?? value.typeName)", hint: nil, status: nil, retryAfter: nil,
        isOfOne: isOfOne, aim)
    }
    return .ofService(
      code: table["code"].string, message: prefixed(table["message"].string ?? "the task was refused", service),
      hint: table["hint"].string, status: table["status"].integer.map { Int($0) },
      retryAfter: table["retry_after"].number.flatMap { $0.isFinite && $0 >= 0 ? Wait(asked: $0).seconds : nil },
      isOfOne: isOfOne, aim)
  }

  /// An error that a function of a service raised: the table of a failure, an error of `b2c`, or a mistake of the script.
  static func failure(of error: LuaError, _ service: String, _ aim: TaskAPIError.Aim? = nil) -> any Error {
    if let kind = HTTPError.Kind(rawValue: error.code) {
      return HTTPError(
        kind, "\(service): \(error.message)", hint: error.hint,
        mayHaveBeenReceived: error.details["fate"] == "unknown")
    }
    if let table = error.value?.table, !table["message"].isNil {
      return failure(of: .table(table), service, aim, isOfOne: false)
    }
    if error.status != nil || error.isRetryable {
      return TaskAPIError.ofService(
        code: error.code, message: "\(service): \(error.message)", hint: error.hint, status: error.status,
        retryAfter: error.retryAfter.map { Wait(asked: $0).seconds }, isOfOne: false, aim)
    }
    guard error.code == "script_error" else { return error }
    return TaskAPIError.brokenService("\(service): \(error.description)", hint: error.hint)
  }
}
