protocol Expiring {
  var expires: Int { get }
}

/// Values in memory by random keys. Expired values stay for a while, so that their error differs from the error of unknown
/// values. The store has room for a limited number of values: it forgets the expired ones first.
final class ExpiringStore<Value: Expiring> {
  private let clock: TenantClock
  private var values: [String: Value] = [:]

  init(_ clock: TenantClock) { self.clock = clock }

  /// The value of the key, which may have expired. A new key is stored by `add`.
  subscript(key: String) -> Value? {
    get { values[key] }
    set { values[key] = newValue }
  }

  func add(_ value: Value, as key: String) {
    let capacity = 10_000
    if values.count >= capacity { values = values.filter { $0.value.expires > clock.elapsed } }
    if values.count >= capacity { values = [:] }
    values[key] = value
  }

  func current(_ key: String?) -> Value? {
    key.flatMap { values[$0] }.flatMap { $0.expires > clock.elapsed ? $0 : nil }
  }

  func key(where matches: (Value) -> Bool) -> String? {
    values.first { $0.value.expires > clock.elapsed && matches($0.value) }?.key
  }

  /// The values that have not expired, in no order.
  var current: [Value] { values.values.filter { $0.expires > clock.elapsed } }

  @discardableResult
  func remove(_ key: String?) -> Value? { key.flatMap { values.removeValue(forKey: $0) } }

  @discardableResult
  func removeAll(where matches: (Value) -> Bool) -> [Value] {
    let removed = values.filter { matches($0.value) }
    for key in removed.keys { values[key] = nil }
    return Array(removed.values)
  }
}
