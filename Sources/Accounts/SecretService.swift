import CSecretShims
import Glibc
import HostLoop
import Synchronization

/// The desktop's Secret Service (the freedesktop.org specification of that name): GNOME Keyring, KWallet, KeePassXC.
///
/// libsecret's calls block; each runs on a thread of its own and is given up after a time.
struct SecretService: Sendable {
  /// How long a service may take, in seconds.
  struct Limits: Sendable {
    /// To say whether it can be used.
    var probe = 3.0
    /// For one secret.
    var call = 10.0
    /// While the user is asked for the collection's password.
    var unlocking = 60.0
  }

  /// The parameter is C's call, and where to put what the service said.
  typealias Call = @Sendable (OpaquePointer, inout UnsafeMutablePointer<CChar>?) -> csecret_result

  /// The state of a service that is there.
  enum State: Sendable { case ready, locked, withoutCollection }

  /// Why a call ended without what it was for.
  enum Problem: Error {
    /// With the reason.
    case unavailable(String)
    case locked
    case withoutCollection
    /// After so many seconds.
    case silent(Double)
  }

  /// True if the desktop's message bus is there, as far as the environment tells. libsecret would start one when it is
  /// not, which is of no use: a new bus has no service.
  static func hasBus(_ variable: (String) -> String?) -> Bool {
    if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return !address.isEmpty }
    guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return false }
    return access("\(folder)/bus", F_OK) == 0
  }

  var limits = Limits()

  /// The state now; asks the user nothing.
  @HostActor func state() async throws(Problem) -> State {
    do {
      _ = try await run(limits.probe) { call, text in csecret_probe(call, &text) }
      return .ready
    } catch .locked { return .locked } catch .withoutCollection { return .withoutCollection }
  }

  /// Nil when there is no such secret.
  @HostActor func secret(store: String, group: String) async throws(Problem) -> String? {
    try await run(try await limit()) { call, text in
      var secret: UnsafeMutablePointer<CChar>?
      let result = csecret_lookup(call, store, group, &secret, &text)
      guard result == .done, let secret else { return result }
      // One place for what a call brought.
      text = secret
      return result
    }
  }

  /// Puts the secret there, in place of the one of the same store and group.
  @HostActor func put(_ secret: String, store: String, group: String, label: String) async throws(Problem) {
    _ = try await run(try await limit()) { call, text in csecret_store(call, store, group, label, secret, &text) }
  }

  @HostActor func remove(store: String, group: String) async throws(Problem) {
    _ = try await run(try await limit()) { call, text in csecret_clear(call, store, group, &text) }
  }

  /// The time limit of a call: longer when the user has to type a password first.
  @HostActor private func limit() async throws(Problem) -> Double {
    switch try await state() {
    case .ready: limits.call
    case .locked: limits.unlocking
    case .withoutCollection: throw .withoutCollection
    }
  }

  /// - Returns: the text the call brought; nil for `csecret_none`.
  @HostActor private func run(_ seconds: Double, _ body: @escaping Call) async throws(Problem) -> String? {
    let answer = try await answer(seconds, body)
    switch answer.result {
    case .done: return answer.text
    case .none: return nil
    case .locked: throw .locked
    case .no_collection: throw .withoutCollection
    case .failed: throw .unavailable(answer.text ?? "it gave no reason")
    }
  }

  @HostActor private func answer(
    _ seconds: Double, _ body: @escaping Call
  ) async throws(Problem) -> SecretServiceAnswer {
    let wait = CancellableWait<SecretServiceAnswer?>()
    let request = SecretServiceRequest()
    let thread = SystemThread.start {
      let answer = request.answer(body)
      HostActor.task { wait.finish(.success(answer)) }
    }
    guard thread != nil else { throw .unavailable("the system has no thread left to ask it on") }
    let timer = HostLoop.shared.schedule(after: seconds) { wait.finish(.success(nil)) }
    defer {
      HostLoop.shared.cancel(timer)
      request.cancel()
    }
    do {
      guard let answer = try await wait.value() else { throw Problem.silent(seconds) }
      return answer
    } catch let problem as Problem { throw problem } catch { throw .unavailable("the request was canceled") }
  }
}

/// The answer of the Secret Service: a secret, or the reason why there is none.
struct SecretServiceAnswer: Sendable {
  var result: csecret_result
  var text: String?
}

/// One call of libsecret, which any thread may stop.
final class SecretServiceRequest: Sendable {
  /// libsecret's handle for stopping a call.
  private final class Handle: @unchecked Sendable {
    // Unchecked: GIO's cancellable may be used by any thread, and lives as long as somebody holds it.
    let pointer = csecret_call_new()

    deinit { csecret_call_free(pointer) }
  }

  private struct State {
    var handle: Handle?
    var isCanceled = false
  }

  private let state = Mutex(State())

  /// Makes the call and waits for its end.
  func answer(_ body: SecretService.Call) -> SecretServiceAnswer {
    if let reason = csecret_load() { return SecretServiceAnswer(result: .failed, text: String(cString: reason)) }
    let handle = Handle()
    let isCanceled = state.withLock { state in
      state.handle = handle
      return state.isCanceled
    }
    if isCanceled { csecret_call_cancel(handle.pointer) }
    var text: UnsafeMutablePointer<CChar>?
    let result = body(handle.pointer, &text)
    defer { csecret_free(text) }
    return SecretServiceAnswer(result: result, text: text.map { String(cString: $0) })
  }

  /// Makes the call end soon. After its end nothing happens.
  func cancel() {
    let handle = state.withLock { state in
      state.isCanceled = true
      return state.handle
    }
    if let handle { csecret_call_cancel(handle.pointer) }
  }
}
