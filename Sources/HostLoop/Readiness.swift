import CLinuxShims

/// What a descriptor is ready for, or waited for.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let read = Readiness(rawValue: UInt32(CEVENT_READ))
  package static let write = Readiness(rawValue: UInt32(CEVENT_WRITE))
  /// The other side hung up, or something broke. Told without being waited for.
  package static let failure = Readiness(rawValue: UInt32(CEVENT_FAILURE))
}

/// Who is told that a descriptor is ready.
@HostActor
package protocol DescriptorHandler: AnyObject {
  /// Called once a turn of the loop for as long as `descriptor` stays ready. It may watch and unwatch any descriptor.
  func ready(_ descriptor: Int32, for readiness: Readiness)
}

extension HostLoop {
  /// Tells `handler` when `descriptor` is ready for what `readiness` names, instead of what was said before. To be taken
  /// back by `unwatch` before the descriptor is closed.
  @HostActor package func watch(_ descriptor: Int32, for readiness: Readiness, by handler: any DescriptorHandler) {
    descriptors.watch(descriptor, for: readiness, by: handler)
  }

  @HostActor package func unwatch(_ descriptor: Int32) { descriptors.unwatch(descriptor) }
}
