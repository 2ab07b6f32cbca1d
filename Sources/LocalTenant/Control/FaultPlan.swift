import HTTPServer

/// The faults that are planned.
struct FaultPlan {
  /// Limits the number of faults, because each request is compared with all of them.
  static let most = 1000

  private var faults: [PlannedFault] = []
  /// The number of faults that have happened.
  private(set) var happened = 0

  /// Returns false if too many faults wait for their requests.
  mutating func add(_ fault: TenantFault) -> Bool {
    guard faults.count < Self.most else { return false }
    if fault.times ?? 1 > 0 { faults.append(PlannedFault(fault)) }
    return true
  }

  mutating func clear() {
    faults = []
  }

  /// Returns the first fault that matches the request and is due, and counts it as used.
  mutating func take(_ request: ServerRequest) -> TenantFault? {
    for index in faults.indices where faults[index].fault.matches(request) && faults[index].isDue() {
      let fault = faults[index].fault
      happened += 1
      if let times = fault.times {
        faults[index].fault.times = times - 1
        if times == 1 { faults.remove(at: index) }
      }
      return fault
    }
    return nil
  }
}

/// A fault and its counters.
private struct PlannedFault {
  var fault: TenantFault
  /// The number of requests that matched the fault.
  private var seen = 0
  private var random: SeededRandom

  init(_ fault: TenantFault) {
    self.fault = fault
    if case .probability(_, let seed) = fault.share { random = SeededRandom(seed) } else { random = SeededRandom(0) }
  }

  /// Returns true if the fault happens to the current request. Call it once for each matching request.
  mutating func isDue() -> Bool {
    switch fault.share {
    case nil: return true
    case .every(let count):
      seen += 1
      return seen.isMultiple(of: count)
    case .probability(let probability, _): return Double.random(in: 0..<1, using: &random) < probability
    }
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same seed gives the same numbers.
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
