import HostLoop
import Jobs
import Testing

@HostActor
@Suite struct JobFilterTests {
  @Test(arguments: Engine.allCases) func findsAPartOfTheJobsByTheirNames(_ engine: Engine) async throws {
    let store = try await engine.store()
    try await store.save(
      ["a_1", "ax1", "Inbox", "inbox-2", "z%", "z\\"].map { JobRecord(name: $0, path: $0, created: 1) })
    func names(_ text: String, after: String = "", limit: Int = 50) async throws -> [String] {
      var filter = JobStore.JobFilter()
      (filter.text, filter.after, filter.limit) = (text, after, limit)
      let found = try await store.jobs(filter).map(\.name)
      let counts = try await store.jobCounts(filter)
      #expect(counts.rest >= found.count && counts.all >= counts.rest)
      return found
    }
    #expect(try await Set(names("INBOX")) == ["Inbox", "inbox-2"])
    #expect(try await names("a_") == ["a_1"])
    #expect(try await names("%") == ["z%"])
    #expect(try await names("\\") == ["z\\"])
    #expect(try await names("\u{0}nothing").isEmpty)
    // The parts, one after the other, have each job once.
    var all: [String] = []
    while true {
      let part = try await names("", after: all.last ?? "", limit: 2)
      guard !part.isEmpty else { break }
      all += part
    }
    #expect(all.count == 6 && Set(all).count == 6)
  }
}
