import HTTPServer
import HostLoop
import LocalTenant
import Lua

extension TenantModule {
  nonisolated static let faultKeys: [Parameter] = [
    Parameter("method", .string, optional: true, "Any if not given."),
    Parameter("path", .string, optional: true, "The beginning of the path, or a pattern with *; any if not given."),
    Parameter(
      "status", .integer, optional: true, in: 0...999, "Respond with this status, without acting on the request."),
    Parameter(
      "aadb2c", .string, optional: true,
      "Respond with this error of B2C, such as AADB2C90244: at the token endpoint, or as a redirect."),
    Parameter("body", .string, optional: true, "The body of the response with the status."),
    Parameter(
      "headers", .map(of: .requestValue), optional: true, "Header fields of the response with the status, by name."),
    Parameter("times", .integer, optional: true, "The number of requests; 1 if not given, no limit with a share."),
    Parameter("every", .integer, optional: true, "A share of the matching requests: 3 is the third, the sixth, …"),
    Parameter("probability", .number, optional: true, "A share of the matching requests, by chance: from 0 to 1."),
    Parameter("seed", .integer, optional: true, in: -0x1p63...0x1p63, "The same seed makes the same choice by chance."),
    Parameter("delay", .number, optional: true, in: -0x1p53...86_400, "Seconds until the response."),
    Parameter(
      "drop", .either([.boolean, .choice(["request", "before", "middle"])]), optional: true,
      "Break the connection. \"request\": the request is lost and not acted on; true or \"before\": before the response; "
        + "\"middle\": within the response."
    ),
    Parameter("reset", .boolean, optional: true, "true: drop resets the connection, in place of closing it."),
  ]

  static func fault(_ arguments: Arguments) throws -> TenantFault {
    if let times = arguments["times"].integer, times < 1 {
      throw arguments.failure(option: "times", "expected at least 1, got \(times)")
    }
    if let delay = arguments["delay"].number, delay < 0 {
      throw arguments.failure(option: "delay", "expected zero or more seconds, got \(delay)")
    }
    let drop = arguments["drop"].isTrue ? arguments["drop"].string ?? "before" : nil
    if drop == nil, arguments["reset"].isTrue {
      throw arguments.failure(option: "reset", "expected the option 'drop' with it")
    }
    let share = try share(arguments)
    return TenantFault(
      method: arguments["method"].string, path: arguments["path"].string,
      status: arguments["status"].integer.map { Int($0) }, body: arguments["body"].string,
      headers: try HTTPRequestOptions.fields(arguments, "headers"),
      times: arguments["times"].integer.map { Int(clamping: $0) } ?? (share == nil ? 1 : nil), share: share,
      delay: arguments["delay"].number ?? 0, drop: drop.map { $0 == "middle" ? .midResponse : .beforeResponse },
      isReset: arguments["reset"].isTrue, losesRequest: drop == "request", errorCode: arguments["aadb2c"].string)
  }

  private static func share(_ arguments: Arguments) throws -> TenantFault.Share? {
    let seed = arguments["seed"].integer
    switch (arguments["every"].integer, arguments["probability"].number) {
    case (let count?, nil) where seed == nil: return .every(Int(clamping: count))
    case (nil, let probability?):
      return .probability(probability, seed: UInt64(bitPattern: seed ?? 0))
    case (nil, nil) where seed == nil: return nil
    case (.some, .some):
      throw arguments.failure("options 'every' and 'probability': expected only one of them")
    default: throw arguments.failure(option: "seed", "expected the option 'probability' with it")
    }
  }
}
