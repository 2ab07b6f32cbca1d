/// Keeps and reports the messages that a real tenant would send. It sends nothing.
final class PostOffice {
  private(set) var outbox = Outbox()
  private let clock: TenantClock
  private let report: (@Sendable (TenantMessage) -> Void)?

  init(_ clock: TenantClock, report: (@Sendable (TenantMessage) -> Void)?) {
    self.clock = clock
    self.report = report
  }

  func send(_ kind: TenantMessage.Kind, to: String, _ user: User, code: String) {
    let message = TenantMessage(
      kind: kind, to: to, username: user.username, code: code, time: TenantClock.date(clock.now))
    outbox.add(message)
    report?(message)
  }
}
