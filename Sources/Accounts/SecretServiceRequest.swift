import CSecretShims
import Glibc
import Synchronization

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
    if let reason = csecret_load() {
      return SecretServiceAnswer(result: .failed, text: String(cString: reason))
    }
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
