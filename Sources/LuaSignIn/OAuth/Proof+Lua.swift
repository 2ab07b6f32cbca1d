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
  @HostActor func proofKey(_ attempt: SignInAttempt, _ call: String) async throws -> ProofKey? {
    switch self {
    case .nil: return attempt.proofKey
    case .boolean(false): return nil
    default:
      do { return try await attempt.proofKey(for: object(LuaKey.self)?.key) } catch {
        throw LuaError(code: error.code, message: "\(call): \(error.message)", hint: error.hint)
      }
    }
  }
}
