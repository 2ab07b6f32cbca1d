import CSecretShims
import Files
import Glibc
package import HostLoop
package import JOSE
import JSON
import Synchronization

/// Keys in the default collection of the desktop's Secret Service (the freedesktop.org specification of that name): GNOME
/// Keyring, KWallet, KeePassXC.
/// libsecret's calls block; each runs on a thread of its own and is given up after a time. If several processes found no
/// key, each would put its own there: the caller has to see to it that there is one at a time.
@HostActor
package final class SecretServiceVault: Vault {
  /// The parameter is C's call, and where to put what the service said.
  fileprivate typealias Call = @Sendable (OpaquePointer, inout UnsafeMutablePointer<CChar>?) -> csecret_result

  package nonisolated let kind = VaultKind.secretService
  /// Tells the keys of one store from those of others.
  private let store: String
  /// For people who look through their keyring.
  private let path: String
  /// Seconds that the service may take: to say if it can be used, for one secret, and while the user types a password.
  private let limits: (probe: Double, call: Double, unlocking: Double)

  /// `store` is the store's ID, and `path` its file, for people. `limit` is how long the service may take for anything,
  /// in seconds; nil for what suits each question.
  package init(store: String, path: String, limit: Double? = nil) {
    self.store = store
    self.path = path
    limits = (limit ?? 3, limit ?? 10, limit ?? 60)
  }

  /// True if the desktop's message bus is there, as far as the environment tells. libsecret would start one when it is
  /// not, which is of no use: a new bus has no service.
  nonisolated static func hasBus(_ variable: (String) -> String?) -> Bool {
    if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return !address.isEmpty }
    guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return false }
    return FileSystem.access("\(folder)/bus", F_OK) == 0
  }

  package nonisolated func place(of group: String) -> String { "the Secret Service (\"\(label(group))\")" }

  /// True if a key can be put there now, without asking the user anything.
  func isReady() async -> Bool { (try? await probe())?.result == .done }

  package func storedKey(for group: String) async throws(AccountError) -> JWK? {
    let text = try await run { [store] call, text in
      var secret: UnsafeMutablePointer<CChar>?
      let result = csecret_lookup(call, store, group, &secret, &text)
      // One place for what a call brought.
      if result == .done, let secret { text = secret }
      return result
    }
    guard let text else { return nil }
    guard let json = try? JSON(parsing: text), let key = sealingKey(json) else {
      throw AccountError(
        .keyUnusable, "\(place(of: group)) does not hold a symmetric key of 256 bits as JSON (RFC 7517)",
        hint: "remove it there and sign in again")
    }
    return key
  }

  package func put(_ key: JWK, for group: String) async throws(AccountError) -> JWK {
    _ = try await run { [store, label = label(group), secret = key.json.encoded()] call, text in
      csecret_store(call, store, group, label, secret, &text)
    }
    return key
  }

  package func removeKey(for group: String) async throws(AccountError) {
    _ = try await run { [store] call, text in csecret_clear(call, store, group, &text) }
  }

  private nonisolated func label(_ group: String) -> String { "b2c-run: key of the accounts \(group) in \(path)" }

  private func probe() async throws(AccountError) -> SecretServiceRequest.Answer {
    try await answer(limits.probe) { call, text in csecret_probe(call, &text) }
  }

  /// Makes a call, with more time if the user has to type a password. Returns its text; nil for `csecret_none`.
  private func run(_ body: @escaping Call) async throws(AccountError) -> String? {
    let probe = try await probe()
    guard probe.result == .done || probe.result == .locked else { throw unusable(probe) }
    let answer = try await answer(probe.result == .locked ? limits.unlocking : limits.call, body)
    guard answer.result == .done || answer.result == .none else { throw unusable(answer) }
    return answer.result == .done ? answer.text : nil
  }

  private func answer(_ seconds: Double, _ body: @escaping Call) async throws(AccountError)
    -> SecretServiceRequest.Answer
  {
    let wait = CancellableWait<SecretServiceRequest.Answer?>()
    let request = SecretServiceRequest()
    let thread = SystemThread.start {
      let answer = request.answer(body)
      HostActor.task { wait.finish(.success(answer)) }
    }
    guard thread != nil else { throw unusable((.failed, "the system has no thread left to ask it on")) }
    let timer = HostLoop.shared.schedule(after: seconds) { wait.finish(.success(nil)) }
    defer {
      HostLoop.shared.cancel(timer)
      request.cancel()
    }
    let answer: SecretServiceRequest.Answer?
    do { answer = try await wait.value() } catch { throw unusable((.failed, "the request was canceled")) }
    guard let answer else {
      throw unusable(
        "did not answer within \(Int(seconds.rounded(.up))) s", hint: "unlock or restart the desktop's keyring")
    }
    return answer
  }

  private func unusable(_ answer: SecretServiceRequest.Answer) -> AccountError {
    switch answer.result {
    case .locked: unusable("is locked", hint: "unlock the desktop's keyring, or set vault to key_file")
    case .no_collection:
      unusable(
        "has no default collection", hint: "make one with the desktop's keyring program, or set vault to key_file")
    default:
      unusable(
        "cannot be used: \(answer.text ?? "it gave no reason")",
        hint: "start the desktop's keyring, or set vault to key_file")
    }
  }

  private func unusable(_ what: String, hint: String) -> AccountError {
    AccountError(.vaultUnusable, "the Secret Service, where the key of the accounts belongs, \(what)", hint: hint)
  }
}

/// One call of libsecret, which any thread may stop.
private final class SecretServiceRequest: Sendable {
  /// A secret, or the reason why there is none.
  typealias Answer = (result: csecret_result, text: String?)

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

  func answer(_ body: SecretServiceVault.Call) -> Answer {
    if let reason = csecret_load() { return (.failed, String(cString: reason)) }
    let handle = Handle()
    let isCanceled = state.withLock { state in
      state.handle = handle
      return state.isCanceled
    }
    if isCanceled { csecret_call_cancel(handle.pointer) }
    var text: UnsafeMutablePointer<CChar>?
    let result = body(handle.pointer, &text)
    defer { csecret_free(text) }
    return (result, text.map { String(cString: $0) })
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
