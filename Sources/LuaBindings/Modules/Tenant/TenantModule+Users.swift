import Automation
import Core
import HostLoop
import LocalTenant
import Lua

/// The tenant's users, and their sign-in.
extension TenantModule {
  var users: HostModule {
    HostModule(
      "tenant.users", "The tenant's users.",
      [
        action(
          "tenant.users.add", "Adds a user.",
          [
            .options(
              [
                Parameter("username", .string, "An address, or a name."),
                Parameter("password", .secret, "At least eight characters."),
                Parameter("display_name", .string, optional: true, "The user name if not given."),
                Parameter("email", .string, optional: true, "One at contoso.example if not given."),
                Parameter(
                  "otp", .secret, optional: true,
                  "The secret of an authenticator app, in Base32: every page asks this user for its code."),
                Parameter(
                  "phone", .string, optional: true, "The number that gets the codes of the policy mfa: +15550100."),
              ], required: true)
          ]
        ) { tenant, arguments in
          try tenant.addUser(
            username: arguments["username"].string ?? "", password: arguments["password"].asSecret?.reveal() ?? "",
            displayName: arguments["display_name"].string, email: arguments["email"].string,
            otp: arguments["otp"].asSecret?.reveal(), phone: arguments["phone"].string)
        },
        action(
          "tenant.users.remove", "Removes a user, and the user's tasks.", [Parameter("username", .string, "The user.")]
        ) { try $0.removeUser($1.string(0)) },
      ])
  }

  var signIn: HostFunction {
    .suspending(
      "tenant.sign_in",
      "Signs in one of the users that every new tenant has, without a page. If an account of this tenant is signed in, or "
        + "--account names one, that account stays.",
      [
        Parameter(
          "username", .string, optional: true,
          "alice or bob. If not given: the account that is signed in, or else alice.")
      ],
      returns: [.init(.object("account"), "The account.")]
    ) { [host] arguments in
      _ = try running("tenant.sign_in")
      let wanted = arguments[0].string
      if wanted == nil, host.configuration.accountName != nil || hasAccountHere, let account = try host.currentAccount()
      {
        return [.object(account)]
      }
      let users = LocalTenant.seededUsers
      guard let user = wanted == nil ? users.first : users.first(where: { $0.username == wanted }) else {
        let known = users.map(\.username)
        throw arguments.failure(
          "argument 1: expected one of \(known.joined(separator: ", ")), got \"\(wanted ?? "")\"",
          hint: nearestName(to: wanted ?? "", in: known).map { "did you mean '\($0)'?" })
      }
      let options = arguments.state.makeTable()
      options["agent"] = .string("headless")
      options["username"] = .string(user.username)
      options["password"] = .secret(Secret(given: user.password))
      let accounts = AccountsModule(host: host)
      let account = try await accounts.signIn(
        Arguments(options: options, of: accounts.signInFunction, arguments.state))
      host.console.log(.info, "signed in as \(user.username), a user of the local tenant")
      return [.object(account)]
    }
  }

  /// True if the current account belongs to this run's tenant, not to another tenant that used the same store.
  private var hasAccountHere: Bool {
    guard let account = try? host.currentAccount()?.account else { return false }
    return host.obstacleToTokens(of: account) == nil
  }
}
