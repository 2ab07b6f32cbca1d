import Core
import HostLoop
import LocalTenant
import Lua

extension ScriptHost {
  var tenantUsers: HostModule {
    HostModule("tenant.users", "The tenant's users.", [tenantAddUser, tenantRemoveUser])
  }

  /// `tenant.applications`
  var tenantApplications: LuaValue {
    let applications = [("native", LocalTenant.nativeApplication), ("web", LocalTenant.webApplication)]
    return .record(
      applications.map { name, application in
        (
          name,
          .record([
            ("client_id", .string(application.id)), ("client_secret", .secret(application.secret.map { Secret($0) })),
            ("name", .string(application.name)),
          ])
        )
      })
  }

  private var tenantAddUser: HostFunction {
    HostFunction(
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
            Parameter("phone", .string, optional: true, "Where the codes of the policy mfa go: +15550100."),
          ], required: true)
      ]
    ) { [unowned self] arguments in
      try runningTenant("tenant.users.add").addUser(
        username: arguments["username"].string ?? "", password: arguments["password"].asSecret?.reveal() ?? "",
        displayName: arguments["display_name"].string, email: arguments["email"].string,
        otp: arguments["otp"].asSecret?.reveal(), phone: arguments["phone"].string)
      return []
    }
  }

  private var tenantRemoveUser: HostFunction {
    HostFunction(
      "tenant.users.remove", "Removes a user, and the user's tasks.", [Parameter("username", .string, "Who.")]
    ) { [unowned self] arguments in
      try runningTenant("tenant.users.remove").removeUser(arguments.string(0))
      return []
    }
  }

  var tenantOTP: HostFunction {
    HostFunction(
      "tenant.otp", "What the user's authenticator app shows now.", [Parameter("username", .string, "Whose.")],
      returns: [.init(.string, "Six digits, good for one sign-in.")]
    ) { [unowned self] arguments in
      [.string(try runningTenant("tenant.otp").otpCode(of: arguments.string(0)))]
    }
  }

  var tenantOutbox: HostFunction {
    HostFunction(
      "tenant.outbox", "The messages the tenant would have sent: codes by SMS and mail.",
      returns: [.init(.list(of: .record(.tenantMessage)), "The messages, newest last.")]
    ) { [unowned self] _ in
      [
        .list(
          try runningTenant("tenant.outbox").outbox().map { message in
            .record([
              ("to", .string(message.to)), ("username", .string(message.username)), ("code", .string(message.code)),
              ("text", .string(message.text)), ("time", .string(message.time)),
              ("kind", .string(message.kind.rawValue)),
            ])
          })
      ]
    }
  }
}
