import HTTPServer
import JOSE

/// The faults to come.
struct FaultPlan {
  private var faults: [TenantFault] = []

  mutating func add(_ fault: TenantFault) {
    if fault.times > 0 { faults.append(fault) }
  }

  mutating func clear() {
    faults = []
  }

  /// The first that fits, used up by one.
  mutating func take(_ request: ServerRequest) -> TenantFault? {
    guard !faults.isEmpty, let index = faults.firstIndex(where: { $0.matches(request) }) else { return nil }
    let fault = faults[index]
    faults[index].times -= 1
    if faults[index].times == 0 { faults.remove(at: index) }
    return fault
  }
}

extension TenantFault {
  /// The error that an endpoint is to answer with.
  var error: ProtocolError? {
    guard let errorCode, var error = ProtocolError.known(errorCode) else { return nil }
    if let status { error.status = status }
    return error
  }

  /// The answer in place of the real one; nil when that is to be made, or its error.
  var replacement: ServerResponse? {
    guard let status, errorCode == nil else { return nil }
    let isTyped = headers.contains { $0.0.lowercased() == "content-type" }
    guard let body else {
      let error: JSON = [
        "code": "fault", "message": .string("status \(status), as a fault of the local tenant asked for"),
      ]
      return .json(status, error, headers: headers)
    }
    let type = body.first == "{" || body.first == "[" ? "application/json; charset=utf-8" : "text/plain; charset=utf-8"
    return ServerResponse(
      status: status, headers: (isTyped ? [] : [("Content-Type", type)]) + headers, body: Array(body.utf8))
  }
}
