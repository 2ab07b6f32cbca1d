import ImportEngine
package import JSON

extension ImportOptions {
  /// The options that every machine of a shared import follows.
  package func shared(timeout: Double) -> JSON {
    var json: [String: JSON] = [
      "concurrency": .array([.integer(Int64(concurrency.lowerBound)), .integer(Int64(concurrency.upperBound))]),
      "retries": .integer(Int64(retries)), "settle_after": .number(delays.settling), "strict": .bool(isStrict),
      "timeout": .number(timeout), "make_lists": .bool(missing.makesLists),
    ]
    json["wait"] = delays.patience.map { .number($0) }
    json["max_failures"] = maximumFailures.map { .integer(Int64($0)) }
    json["honors_key"] = keys.areHonored.map { .bool($0) }
    return .object(json)
  }

  /// - Parameter json: what `shared` has made, perhaps by another version of the program.
  package init(shared json: JSON) {
    self.init()
    func number(_ name: String) -> Double? { json[name]?.anyNumber.map { max(0, min($0, 1e9)) } }
    func integer(_ value: JSON?) -> Int? { value?.lenientInteger.map { Int(max(0, min($0, 1 << 31))) } }
    let bounds = json["concurrency"]?.array?.compactMap { integer($0) } ?? []
    if bounds.count == 2, 1 <= bounds[0], bounds[0] <= bounds[1], bounds[1] <= Self.mostConcurrency {
      concurrency = bounds[0]...bounds[1]
    }
    retries = integer(json["retries"]) ?? retries
    delays.settling = number("settle_after") ?? delays.settling
    delays.patience = number("wait")
    maximumFailures = integer(json["max_failures"])
    keys.areHonored = json["honors_key"]?.bool
    isStrict = json["strict"] == true
    missing.makesLists = json["make_lists"] == true
  }

  /// Seconds for one request.
  package static func timeout(shared json: JSON) -> Double? { json["timeout"]?.anyNumber }
}
