import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
  /// A test that kills processes or breaks calls again and again. It takes long, so only `DRILLS=1 make test` runs it.
  package static var drill: Self {
    .enabled(if: ProcessInfo.processInfo.environment["DRILLS"] == "1", "DRILLS=1 runs the drills")
  }
}
