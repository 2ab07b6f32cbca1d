import Databases
import HostLoop
import Testing

@Suite("Leases") @HostActor
struct LeaseTests {
  @Test("are one owner's at a time", arguments: Engine.allCases)
  func exclusive(engine: Engine) async throws {
    let scratch = try Scratch(engine)
    let (one, other) = (try scratch.connect(), try scratch.connect())
    try await Lease.migrations.demand(in: one)
    let lease = try #require(try await Lease.take("refresh/1", owner: "a", seconds: 60, in: one))
    #expect(lease.epoch == 1)
    #expect(try await Lease.take("refresh/1", owner: "b", seconds: 60, in: other) == nil)
    #expect(try await Lease.take("refresh/1", owner: "a", seconds: 60, in: one) == nil)
    #expect(try await Lease.take("refresh/2", owner: "b", seconds: 60, in: other)?.epoch == 1)
    #expect(try await lease.renew(seconds: 60, in: one))
    #expect(try await lease.isHeld(in: other))
    try await lease.release(in: one)
    #expect(try await !lease.isHeld(in: one))
    #expect(try await !lease.renew(seconds: 60, in: one))
    #expect(try await Lease.take("refresh/1", owner: "b", seconds: 60, in: other)?.epoch == 2)
    try await lease.release(in: one)
    #expect(try await Lease.take("refresh/1", owner: "a", seconds: 60, in: one) == nil)
  }

  @Test("end with their time, and their old owner is fenced", arguments: Engine.allCases)
  func end(engine: Engine) async throws {
    let scratch = try Scratch(engine)
    let (one, other) = (try scratch.connect(), try scratch.connect())
    try await Lease.migrations.demand(in: one)
    let lease = try #require(try await Lease.take("planner", owner: "a", seconds: 0, in: one))
    #expect(try await !lease.renew(seconds: 60, in: one))
    let next = try #require(try await Lease.take("planner", owner: "b", seconds: 60, in: other))
    #expect(next.epoch == 2)
    #expect(try await !lease.isHeld(in: one))
    #expect(try await other.transaction { try await next.isHeld(in: $0) })
  }

  @Test(
    "that would last for ever are taken over",
    arguments: ["extract(epoch FROM now()) + 80000", "1e300", "'infinity'", "'NaN'"])
  func endless(until: String) async throws {
    let scratch = try Scratch(.postgresql)
    let one = try scratch.connect()
    try await Lease.migrations.demand(in: one)
    let lease = try #require(try await Lease.take("planner", owner: "a", seconds: 60, in: one))
    try await one.execute("UPDATE lease SET until = \(until)")
    let next = try #require(try await Lease.take("planner", owner: "b", seconds: 60, in: one))
    #expect(try await !lease.isHeld(in: one))
    #expect(next.epoch == 2)
  }
}
