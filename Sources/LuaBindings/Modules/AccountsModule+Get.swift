import HostLoop
import Lua

extension ScriptHost {
  var accountsGet: HostFunction {
    HostFunction(
      "accounts.get",
      "The account of that name, user name or ID; where there is none, an error that names those there are.",
      [
        Parameter(
          "name", .string, optional: true,
          "Its name, the user's name or address at the provider, its ID or the beginning of that; the current account's if "
            + "not given.")
      ],
      returns: [.init(.object("account"), "The account.")]
    ) { [self] arguments in
      if let name = arguments[0].string { return [.object(try account(named: name))] }
      guard let account = try currentAccount() else {
        throw try noCurrentAccount()
      }
      return [.object(account)]
    }
  }
}
