import CLinuxShims

/// The events of a descriptor: those that are waited for, or those that happened.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let read = Readiness(rawValue: UInt32(CEVENT_READ))
  package static let write = Readiness(rawValue: UInt32(CEVENT_WRITE))
  /// The other side hung up, or something broke. Always reported.
  package static let failure = Readiness(rawValue: UInt32(CEVENT_FAILURE))
}

/// The receiver of a descriptor's events.
@HostActor
package protocol DescriptorHandler: AnyObject {
  /// Called once a turn of the loop for as long as `descriptor` stays ready. It may watch and unwatch any descriptor.
  func ready(_ descriptor: Int32, for readiness: Readiness)
}

extension HostLoop {
  /// Calls `handler` at one of the events, in place of an earlier one. Call `unwatch` before the descriptor is closed.
  @HostActor package func watch(_ descriptor: Int32, for readiness: Readiness, by handler: any DescriptorHandler) {
    descriptors.watch(descriptor, for: readiness, by: handler)
  }

  @HostActor package func unwatch(_ descriptor: Int32) { descriptors.unwatch(descriptor) }
}
