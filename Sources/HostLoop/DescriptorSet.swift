import CLinuxShims
import Glibc

/// The descriptors the loop waits for, and a bell by which other threads end the wait.
final class DescriptorSet: @unchecked Sendable {
  // Unchecked: `queue` and `bell` are set once, and the kernel allows their use from any thread; everything else is
  // touched on the loop's thread only.
  private struct Watch {
    let handler: any DescriptorHandler
    let readiness: Readiness
    /// Sets this use of the descriptor's number apart from earlier ones, of which events may still be at hand.
    let generation: UInt32
  }

  private static let bellNumber = UInt64.max
  private static let capacity = 64

  private let queue: Int32
  private let bell: Int32
  /// By descriptor.
  private var watches: [Watch?] = []
  private var lastGeneration: UInt32 = 0
  /// Beats whenever the loop begins something.
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

  /// Waits until a descriptor is ready, the bell rings or `milliseconds` have passed (nil: no limit), and tells the
  /// handlers.
  func wait(milliseconds: Int32?) {
    pulse.rest()
    let count = cevent_wait(queue, events, Int32(Self.capacity), milliseconds ?? -1)
    pulse.beat()
    guard count > 0 else { return }
    HostActor.assumeIsolated {
      for index in 0..<Int(count) {
        let event = events[index]
        guard event.number != Self.bellNumber else {
          var rings: UInt64 = 0
          _ = read(bell, &rings, 8)
          continue
        }
        let descriptor = Int(event.number & 0xffff_ffff)
        // The handler of an event before may have taken this one back.
        guard let watch = watches[descriptor], UInt64(watch.generation) == event.number >> 32 else { continue }
        pulse.beat()
        watch.handler.ready(Int32(descriptor), for: Readiness(rawValue: event.readiness))
      }
    }
  }

  // MARK: Any thread

  /// Ends a wait under way, or the next one, early.
  func ring() {
    var one: UInt64 = 1
    // A counter that is full refuses; the bell rings then anyway.
    _ = write(bell, &one, 8)
  }
}
