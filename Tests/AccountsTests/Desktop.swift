import Glibc
import TestSupport
import Testing

/// A desktop session of the tests' own: a message bus and, when asked for, GNOME Keyring with an unlocked collection.
///
/// The bus has one address for the whole process, for libsecret takes it from the environment, which is not to be changed
/// while other threads read it.
final class Desktop: Sendable {
  private static let socket = "/tmp/accounts-tests-\(getpid())"
  static let address: String = {
    let address = "unix:path=\(socket)"
    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
    return address
  }()

  let home = TemporaryFolder()
  private let bus: pid_t

  init() throws {
    home.write(
      """
      <busconfig><type>session</type><listen>\(Self.address)</listen><policy context="default">
      <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
      """.utf8, to: "bus.conf")
    home.write("the password".utf8, to: "password")
    bus = try Self.start("exec timeout 120 dbus-daemon --config-file='\(home.path)/bus.conf' --nofork")
    try Self.wait { access(Self.socket, F_OK) == 0 }
  }

  /// Starts the keyring.
  func startKeyring() throws -> pid_t {
    let keyring = try Self.start(
      """
      export HOME='\(home.path)' XDG_RUNTIME_DIR='\(home.path)' XDG_DATA_HOME='\(home.path)'
      exec timeout 120 gnome-keyring-daemon --unlock --components=secrets --foreground <'\(home.path)/password'
      """)
    // It owns its name once the collection is there.
    try Self.wait {
      Self.succeeds("\(Self.call) org.freedesktop.Secret.Service.ReadAlias string:default | grep -q collection/login")
    }
    return keyring
  }

  /// Locks the keyring's collection.
  static func lock() -> Bool {
    succeeds("\(call) org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login")
  }

  private static let call =
    "dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets"

  static func stop(_ child: pid_t) {
    kill(child, SIGTERM)
    var status: Int32 = 0
    waitpid(child, &status, 0)
  }

  /// Runs a command, at most 10 s.
  static func succeeds(_ command: String) -> Bool {
    guard let child = try? start("timeout 10 \(command)") else { return false }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return status == 0
  }

  private static func start(_ command: String) throws -> pid_t {
    var child = pid_t()
    let words = ["/bin/sh", "-c", "exec >/dev/null 2>&1; \(command)"]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // The host's thread has signals blocked, which a child would inherit: nothing could end it.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    try #require(posix_spawn(&child, words[0], nil, &attributes, &arguments, environ) == 0)
    return child
  }

  private static func wait(until isReady: () -> Bool) throws {
    for _ in 0..<500 {
      if isReady() { return }
      usleep(20_000)
    }
    Issue.record("the desktop of the tests did not start within 10 s")
  }

  deinit {
    Self.stop(bus)
    unlink(Self.socket)
    for name in ["control"] { unlink("\(home.path)/keyring/\(name)") }
    for name in ["login.keyring", "user.keystore", "default"] { unlink("\(home.path)/keyrings/\(name)") }
    for name in ["keyring", "keyrings"] { rmdir("\(home.path)/\(name)") }
  }
}
