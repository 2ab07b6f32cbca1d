import Glibc
import HostLoop
import Simulation

/// Lives through one seed after the other, for some seconds: `simulate [--seconds N] [--seed N] [--world NAME] [--loud]`. One
/// seed without `--seconds`. Exit status 1 if an invariant was broken.
@main
struct Simulate {
  static func main() async {
    var options: [String: String] = [:]
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
      guard ["--seconds", "--seed", "--world", "--loud"].contains(name), let value = arguments.popFirst() else {
        print("simulate: expected [--seconds N] [--seed N] [--world NAME] [--loud yes], got \(name)")
        exit(2)
      }
      options[name] = value
    }
    let chosen = options
    let isGood = await HostActor.task { try await run(chosen) }.result
    switch isGood {
    case .success(let isGood):
      // Without the handlers of `exit`: the thread of the loop continues, and would use what they free.
      fflush(nil)
      _exit(isGood ? 0 : 1)
    case .failure(let error):
      print("simulate: \(error)")
      exit(2)
    }
  }

  @HostActor
  private static func run(_ options: [String: String]) async throws -> Bool {
    HostLoop.simulateTime()
    Trace.isLoud = options["--loud"] != nil
    let first = options["--seed"].flatMap(UInt64.init) ?? 1
    let seconds = options["--seconds"].flatMap(Double.init)
    let worlds = simulatedWorlds.filter { options["--world"] == nil || $0.name == options["--world"] }
    let start = time(nil)
    var seed = first
    var (events, checks, simulated, runs) = (0, 0, 0.0, 0)
    repeat {
      for world in worlds {
        let script = world.events(of: seed)
        let result = try await world.run(seed, script)
        events += script.count
        checks += result.checks
        simulated += result.seconds
        runs += 1
        if seconds == nil {
          print("\(world.name) seed \(seed): \(script.count) events, \(result.checks) checks, digest \(result.digest)")
        }
        guard !result.violations.isEmpty else { continue }
        try await report(world, seed, script, result, after: time(nil) - start)
        return false
      }
      seed += 1
    } while seconds.map { Double(time(nil) - start) < $0 } ?? false
    print(
      "\(runs) runs of the seeds \(first) to \(seed - 1): \(events) events in \(Int(simulated)) simulated s, \(checks) checks of "
        + "invariants, 0 violations, \(time(nil) - start) s")
    return true
  }

  @HostActor
  private static func report(
    _ world: any SimulatedWorld.Type, _ seed: UInt64, _ events: [SimulatedEvent], _ result: SimulatedResult,
    after seconds: Int
  ) async throws {
    print("\(world.name) seed \(seed) breaks an invariant after \(seconds) s: \(result.violations[0])")
    fflush(nil)
    Trace.isLoud = false
    var shrinker = Shrinker(world, seed: seed)
    let (few, shrunk) = try await shrinker.shrink(events, result)
    print("with \(few.count) of its \(events.count) events:")
    for event in few { print("  \(event)") }
    for violation in shrunk.violations.prefix(5) { print("  => \(violation)") }
    print("the end of its log:")
    for line in shrunk.log.suffix(40) { print("  \(line)") }
  }
}
