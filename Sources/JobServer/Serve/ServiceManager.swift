import Core
import Glibc
import HostLoop

/// systemd, if it has started this process (sd_notify(3), sd_listen_fds(3)). Other managers use the same protocol.
@HostActor
final class ServiceManager {
  private nonisolated static let firstDescriptor: Int32 = 3
  private let socket: String?
  private let watchdogPause: Double?
  private var timer: TimerQueue.ID?

  init() {
    socket = Self.variable("NOTIFY_SOCKET")
    let isOurs = Self.variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    watchdogPause = isOurs ? Self.variable("WATCHDOG_USEC").flatMap { Double($0) }.map { $0 / 2e6 } : nil
  }

  /// The sockets that listen already, by their names; `hooks` for a socket without a name.
  func takeSockets() -> [String: Int32] {
    defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
    guard Self.variable("LISTEN_PID") == "\(getpid())", let count = Self.variable("LISTEN_FDS").flatMap({ Int32($0) }),
      (1...100).contains(count)
    else { return [:] }
    let names = (Self.variable("LISTEN_FDNAMES") ?? "").split(separator: ":").map(String.init)
    var sockets: [String: Int32] = [:]
    for index in 0..<count {
      let descriptor = Self.firstDescriptor + index
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let name = names.count > Int(index) ? names[Int(index)] : "hooks"
      sockets[name == "dashboard" ? name : "hooks"] = descriptor
    }
    return sockets
  }

  /// The service has started. From now on the manager hears that the loop turns.
  func ready() {
    tell("READY=1")
    feed()
  }

  /// Tells the manager what the service does, in a line.
  func status(_ text: String) { tell("STATUS=\(text.replacing("\n", with: " "))") }

  /// The service needs more time to start; called again and again.
  func starting() { tell("EXTEND_TIMEOUT_USEC=\(Self.patience)") }
  private static let patience = 60_000_000

  func reloading() { tell("RELOADING=1\nMONOTONIC_USEC=\(Int64(HostLoop.uptime * 1e6))") }

  func stopping() {
    if let timer { HostLoop.shared.cancel(timer) }
    tell("STOPPING=1")
  }

  private func feed() {
    guard let watchdogPause else { return }
    if let timer { HostLoop.shared.cancel(timer) }
    tell("WATCHDOG=1")
    timer = HostLoop.shared.schedule(after: watchdogPause) { [weak self] in self?.feed() }
  }

  private func tell(_ text: String) {
    guard let path = socket?.pathBytes, path.count < 108 else { return }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = path
    // An abstract name.
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let bytes = Array(text.utf8)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, bytes, bytes.count, 0, $0, size) }
    }
  }

  private nonisolated static func variable(_ name: String) -> String? { getenv(name).map { String(path: $0) } }
}
