import ImportEngine
import ImportReport
import JSON
import Testing

@Suite struct ProgressJSONTests {
  private func snapshot() -> ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    snapshot.counts.added = 880
    snapshot.counts.failed = 2
    snapshot.source.rows = 896
    snapshot.inFlight = 14
    snapshot.limit = 16
    snapshot.retried = 3
    snapshot.rate = 412.53
    snapshot.seconds = 2.13004
    snapshot.source.totalRows = 2000
    snapshot.source.bytes = 41210
    return snapshot
  }

  @Test func everyMemberIsAlwaysThere() throws {
    #expect(
      ProgressJSON.render(snapshot())
        == #"{"added":880,"bytes_read":41210,"failed":2,"finished":false,"fraction":0.441,"in_flight":14,"#
        + #""limit":16,"phase":"sending","rate":412.5,"resumed_rows":0,"retried":3,"rows":882,"rows_read":896,"#
        + #""seconds":2.13,"seconds_left":2.7,"skipped":0,"total_bytes":null,"total_rows":2000,"unsettled":0,"#
        + #""wait_reason":null,"wait_seconds":null}"#)
    let names = try JSON(parsing: ProgressJSON.render(snapshot())).object?.keys.sorted()
    #expect(try JSON(parsing: ProgressJSON.render(ProgressSnapshot())).object?.keys.sorted() == names)
  }

  @Test func waitsAndTheEnd() throws {
    var snapshot = snapshot()
    snapshot.phase = .waiting(until: 14.13, reason: .asked(status: 503))
    let waiting = try JSON(parsing: ProgressJSON.render(snapshot))
    #expect(waiting["phase"] == "waiting")
    #expect(waiting["wait_seconds"] == 12.0)
    #expect(waiting["wait_reason"] == "retry_after")
    #expect(waiting["seconds_left"] == .null)
    snapshot.isFinished = true
    let last = try JSON(parsing: ProgressJSON.render(snapshot))
    #expect(last["phase"] == "finished")
    #expect(last["finished"] == true)
    #expect(last["wait_seconds"] == .null)
  }
}
