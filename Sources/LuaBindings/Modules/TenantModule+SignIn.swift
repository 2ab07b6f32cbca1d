import Automation
import Core
import HostLoop
import LocalTenant
import Lua

/// The tenant's own users, for scripts that are to run without one of somebody's.
extension ScriptHost {
  var tenantIsRunning: HostFunction {
    .question("tenant.is_running", "Whether there is a local tenant.") { [unowned self] in tenant != nil }
  }

  var tenantSignIn: HostFunction {
    .suspending(
      "tenant.sign_in",
      "Signs in one of the users that every new tenant has, without a page. Where somebody is signed in at this tenant, "
        + "or --account names somebody, that is who it stays.",
      [Parameter("username", .string, optional: true, "alice or bob; alice if not given, whoever is signed in else.")],
      returns: [.init(.object("account"), "The account.")]
    ) { [self] arguments in
      _ = try runningTenant("tenant.sign_in")
      let wanted = arguments[0].string
      if wanted == nil, configuration.accountName != nil || hasAccountHere, let account = try currentAccount() {
        return [.object(account)]
      }
      let users = LocalTenant.seededUsers
      guard let user = wanted == nil ? users.first : users.first(where: { $0.username == wanted }) else {
        let known = users.map(\.username)
        throw arguments.failure(
          "argument 1: expected one of \(known.joined(separator: ", ")), got \"\(wanted ?? "")\"",
          hint: nearestName(to: wanted ?? "", in: known).map { "did you mean '\($0)'?" })
      }
      let options = state.makeTable()
      options["agent"] = .string("headless")
      options["username"] = .string(user.username)
      options["password"] = .secret(Secret(given: user.password))
      let account = try await signIn(Arguments(options: options, of: signInFunction, state))
      console.log(.info, "signed in as \(user.username), a user of the local tenant")
      return [.object(account)]
    }
  }

  /// Whether the current account is one of this run's tenant, not of another that its store has served.
  private var hasAccountHere: Bool {
    guard let account = try? currentAccount()?.account else { return false }
    return obstacleToTokens(of: account) == nil
  }
}
