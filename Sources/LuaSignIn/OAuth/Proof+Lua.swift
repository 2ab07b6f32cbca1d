import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import JOSE
import Lua
import LuaKit
import OAuth

extension LuaValue {
  /// The key that the option `dpop` asks for: in a flow without the option, that of the sign-in.
  @HostActor func proofKey(_ context: FlowContext, _ call: String) async throws -> ProofKey? {
    switch self {
    case .nil: return context.proofKey
    case .boolean(false): return nil
    default:
      do { return try await context.proofKey(for: object(LuaKey.self)?.key) } catch {
        throw LuaError(code: error.code, message: "\(call): \(error.message)", hint: error.hint)
      }
    }
  }
}

extension TokenSet {
  /// Checks that the tokens of a sign-in with the option `dpop` are bound to a key.
  func checkBinding() throws(LuaError) {
    guard accessToken != nil, binding.proofKey == nil else { return }
    throw LuaError(
      code: "unsupported_token_type",
      message: "accounts.sign_in: option 'dpop': the flow returned tokens that are not bound to a key",
      hint: "the flow must return the response of oauth.token, without dpop = false")
  }
}
