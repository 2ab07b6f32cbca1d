import CLinuxShims
import Glibc

/// The descriptors that the loop waits for, and a bell by which other threads end the wait.
final class DescriptorSet: @unchecked Sendable {
  // Unchecked: `queue` and `bell` are set once and may be used from any thread; only the loop's thread uses all other members.
  private struct Watch {
    let handler: any DescriptorHandler
    let readiness: Readiness
    /// Distinguishes this use of the descriptor's number from earlier ones, whose events may still come.
    let generation: UInt32
  }

  private static let bellNumber = UInt64.max
  private static let capacity = 64

  private let queue: Int32
  private let bell: Int32
  /// By descriptor.
  private var watches: [Watch?] = []
  private var lastGeneration: UInt32 = 0
  /// Beats each time the loop begins something.
  let pulse = Pulse()
  private let events = UnsafeMutablePointer<cevent>.allocate(capacity: capacity)

  init() {
    queue = cevent_queue()
    bell = cevent_bell()
    guard queue >= 0, bell >= 0, cevent_watch(queue, bell, Readiness.read.rawValue, Self.bellNumber) == 0 else {
      fatalError("cannot wait for events: errno \(errno)")
    }
    events.initialize(repeating: cevent(), count: Self.capacity)
  }

  deinit {
    close(queue)
    close(bell)
    events.deallocate()
  }

  // MARK: The loop's thread

  func watch(_ descriptor: Int32, for readiness: Readiness, by handler: any DescriptorHandler) {
    let index = Int(descriptor)
    while watches.count <= index { watches.append(nil) }
    if let watch = watches[index], watch.handler === handler, watch.readiness == readiness { return }
    lastGeneration &+= 1
    watches[index] = Watch(handler: handler, readiness: readiness, generation: lastGeneration)
    let number = UInt64(lastGeneration) << 32 | UInt64(UInt32(bitPattern: descriptor))
    guard cevent_watch(queue, descriptor, readiness.rawValue, number) == 0 else {
      fatalError("cannot wait for descriptor \(descriptor): errno \(errno)")
    }
  }

  func unwatch(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard index < watches.count, watches[index] != nil else { return }
    watches[index] = nil
    cevent_unwatch(queue, descriptor)
  }

  /// Waits until a descriptor is ready, the bell rings or `milliseconds` have passed (nil: no limit), and calls the handlers.
  /// - Returns: the number of events.
  @discardableResult
  func wait(milliseconds: Int32?) -> Int {
    pulse.rest()
    let count = cevent_wait(queue, events, Int32(Self.capacity), milliseconds ?? -1)
    pulse.beat()
    guard count > 0 else { return 0 }
    HostActor.assumeIsolated { [self] in
      for index in 0..<Int(count) {
        let event = events[index]
        guard event.number != Self.bellNumber else {
          var rings: UInt64 = 0
          _ = read(bell, &rings, 8)
          continue
        }
        let descriptor = Int(event.number & 0xffff_ffff)
        // The handler of an earlier event may have removed this one.
        guard let watch = watches[descriptor], UInt64(watch.generation) == event.number >> 32 else { continue }
        pulse.beat()
        watch.handler.ready(Int32(descriptor), for: Readiness(rawValue: event.readiness))
      }
    }
    return Int(count)
  }

  // MARK: Any thread

  /// Ends the current wait, or the next one.
  func ring() {
    var one: UInt64 = 1
    // A full counter refuses the write; the bell rings anyway.
    _ = write(bell, &one, 8)
  }
}
