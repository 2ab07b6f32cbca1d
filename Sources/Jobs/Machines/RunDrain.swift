import HostLoop
import JobConditions

/// The runs that go on while their machine ends and another one plans already. What their processes say goes to that machine,
/// by the database; its answers, and its orders to end a process, come back.
@HostActor
final class RunDrain {
  /// Something that a process did before the other machine could plan.
  enum News {
    case said(Int64, RunMessage)
    case ended(Int64, ProcessEnd)
  }

  /// In seconds.
  private static let pause = 0.2
  private unowned let host: JobHost
  private let machine: JobMachine
  private var processes: [Int64: any RunProcess]
  private var news: [News] = []
  /// The messages that are not sent yet, in order.
  private var queue: [JobStore.Message] = []
  private var hasBegun = false
  private var isShutdown = false
  /// True if the end of this machine waits for nothing any more.
  private var isOver = false
  private var isCutOff = false
  private var sent: Int64 = 0
  /// The number of the last answered message of each run. A message whose commit got lost may be sent twice.
  private var answered: [Int64: Int64] = [:]
  private let end = CancellableWait<Void>()

  init(_ host: JobHost, _ machine: JobMachine, _ processes: [Int64: any RunProcess]) {
    self.host = host
    self.machine = machine
    self.processes = processes
  }

  /// The runs that have a process.
  var runs: [Int64] { processes.keys.sorted() }

  func message(_ run: Int64, _ owner: String, _ content: ProcessNews.Content) -> JobStore.Message {
    sent += 1
    return JobStore.Message(
      .process(ProcessNews(run: run, owner: owner, number: sent, content)), machine: machine.name,
      received: host.clock.now.wall)
  }

  // MARK: Processes

  func said(_ run: Int64, _ message: RunMessage) { take(.said(run, message)) }
  func ended(_ run: Int64, _ end: ProcessEnd) { take(.ended(run, end)) }

  private func take(_ news: News) {
    guard hasBegun else { return self.news.append(news) }
    switch news {
    case .said(let run, let message): queue.append(self.message(run, machine.owner, .said(message)))
    case .ended(let run, let end):
      processes[run] = nil
      queue.append(
        message(run, machine.owner, .ended(end, log: host.logTail(of: run), isShutdown: isShutdown)))
    }
  }

  /// Returns the news that came while another machine could not plan yet.
  func takeBack() -> [News] {
    defer { news = [] }
    return news
  }

  // MARK: The other machine

  /// Another machine may plan from now on.
  func begin() {
    hasBegun = true
    for news in takeBack() { take(news) }
    HostActor.task { await self.run() }
  }

  /// Waits until all processes have ended, and the database has all that they said.
  func finish() async { try? await end.value() }

  private func run() async {
    while !processes.isEmpty || !queue.isEmpty, !isCutOff {
      do {
        while let message = queue.first, !isCutOff {
          try await host.store.send(message)
          queue.removeFirst()
        }
        for order in try await host.store.takeOrders(for: machine.name) { carryOut(order) }
        host.noteBack()
      } catch {
        if !host.noteOutage(error) { host.log(.error, "\(error)") }
        // The end of a machine does not wait for a database that is away.
        if isOver, processes.isEmpty { break }
      }
      try? await HostLoop.shared.sleep(seconds: Self.pause)
    }
    end.finish(.success(()))
  }

  private func carryOut(_ order: ProcessOrder) {
    switch order {
    case .stop(let run, let kill): processes[run]?.stop(kill: kill)
    case .reply(let run, let number, let reply) where number > answered[run] ?? 0:
      answered[run] = number
      processes[run]?.reply(reply)
    case .reply: break
    }
  }

  // MARK: The end

  /// The time to drain is over: asks the processes to end, and kills them after `patience` milliseconds.
  func shutDown(patience: Int64) {
    (isShutdown, isOver) = (true, true)
    for process in processes.values { process.stop(kill: false) }
    _ = HostLoop.shared.schedule(after: Double(patience) / 1000) { [weak self] in self?.kill() }
  }

  private func kill() { for process in processes.values { process.stop(kill: true) } }

  /// Ends the processes at once. The machine that plans finds their runs interrupted.
  func stopNow() {
    cutOff()
    end.finish(.success(()))
  }

  /// The machine that plans has given these runs up, since this machine was away for too long.
  func cutOff() {
    isCutOff = true
    kill()
  }
}
