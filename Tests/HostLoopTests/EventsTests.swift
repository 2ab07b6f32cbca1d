import HostLoop
import Testing

@HostActor
@Suite("The events of a run") struct EventsTests {
  private struct Began: Sendable { let name: String }
  private struct Ended: Sendable {}

  @Test("watchers get the events of their type, in the order in which they began to watch") func watching() {
    let events = Events()
    var seen: [String] = []
    events.watch(Began.self) { event, _ in seen.append("first \(event.name)") }
    events.watch(Began.self) { event, _ in seen.append("second \(event.name)") }
    events.emit(Ended())
    events.emit(Began(name: "a"))
    #expect(seen == ["first a", "second a"])
  }

  @Test("an event that nobody watches is not made") func silence() {
    let events = Events(partOf: Events())
    var made = 0
    func make() -> Began {
      made += 1
      return Began(name: "a")
    }
    events.watch(Ended.self) { _, _ in }
    events.emit(make())
    #expect(made == 0)
    #expect(!events.isWatched(Began.self))
  }

  @Test("events of a part reach the watchers of the run, with their place; those of the run do not reach the part")
  func parts() {
    let run = Events()
    let part = Events(partOf: run)
    part.place = {
      var place = EventPlace()
      place.line = "import.lua:3"
      return place
    }
    var seen: [String] = []
    run.watch(Began.self) { event, source in seen.append("\(event.name) at \(source.currentPlace().line ?? "none")") }
    part.watch(Began.self) { event, _ in seen.append("part: \(event.name)") }
    part.emit(Began(name: "a"))
    run.emit(Began(name: "b"))
    #expect(seen == ["part: a", "a at import.lua:3", "b at none"])
    #expect(Events(partOf: part).currentPlace().line == "import.lua:3")
  }

  @Test("handlers are waited for, one after the other, and an error of one ends the delivery") func handling() async {
    struct Refused: Error {}
    let run = Events()
    let part = Events(partOf: run)
    var seen: [Int] = []
    part.handle(Ended.self) { _, _ in
      await Task.yield()
      seen.append(1)
    }
    part.handle(Ended.self) { _, _ in
      seen.append(2)
      throw Refused()
    }
    run.handle(Ended.self) { _, _ in seen.append(3) }
    #expect(part.isHandled(Ended.self) && !part.isHandled(Began.self) && !part.isWatched(Ended.self))
    await #expect(throws: Refused.self) { try await part.deliver(Ended()) }
    #expect(seen == [1, 2])
  }

  @Test("the scope of requests holds for a task and what it calls") func scope() async {
    let inner = await RequestScope.asBrowser {
      await RequestScope.retrying(after: 2) { RequestScope.current }
    }
    #expect(inner.isBrowser && inner.retries == 2)
    #expect(!RequestScope.current.isBrowser && RequestScope.current.retries == 0)
  }
}
