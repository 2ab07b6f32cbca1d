import JobConditions

/// The signs of another machine that plans, as this machine sees them.
struct OtherPlanner {
  /// The last change of the right to plan, with the time since the boot in milliseconds at which this machine saw it.
  private var seen: (sight: JobStore.Sight, at: Int64)?
  /// When this machine last saw that another one planned, in milliseconds since 1970.
  private var planned: Int64?

  mutating func note(_ sight: JobStore.Sight, _ now: Moment) {
    if seen?.sight.epoch != sight.epoch || seen?.sight.until != sight.until { seen = (sight, now.sinceBoot) }
    if sight.until > sight.now { planned = now.wall }
  }

  /// While nobody can say that it is alive, the silence of a machine says nothing.
  mutating func forget() { seen = nil }

  /// True if the right has ended by the clock of the database, and if this machine has itself seen no sign of its holder for
  /// so many seconds: the clock of a database may be set.
  func isGone(_ sight: JobStore.Sight, for seconds: Double, _ now: Moment) -> Bool {
    guard sight.until <= sight.now, let seen else { return false }
    return sight.until == 0 || Double(now.sinceBoot - seen.at) >= seconds * 1000
  }

  /// The last time at which another machine planned, if that is no longer ago than so many seconds.
  func lastPlanned(within seconds: Double, _ now: Moment) -> Int64? {
    planned.flatMap { Double(now.wall - $0) < seconds * 1000 ? $0 : nil }
  }
}

/// The last messages to a person about the other machines, so that each comes once.
struct ToldOfMachines {
  /// The owner of the right to plan.
  var planner: String?
  var problem: String?
  /// True if the clock of this machine and that of the database are apart.
  var isApart = false
  /// The names of the jobs in which this machine differs from the one that plans; nil if it differs in none.
  var difference: String?
  private var lastDifference: String?

  /// Notes a difference. Returns false for one that was told already.
  /// - Parameter isNow: false for a difference that has to be there twice: the machine that plans may read its jobs now.
  mutating func isNews(difference now: String?, isNow: Bool) -> Bool {
    defer { lastDifference = now }
    guard now != difference, isNow || now == lastDifference else { return false }
    difference = now
    return true
  }
}
