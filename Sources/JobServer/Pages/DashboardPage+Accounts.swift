import Core
import Jobs
import Schedule

extension DashboardPage {
  static func accounts(_ accounts: [KeptAccount], _ zone: Zone) -> DashboardPage {
    let now = MachineClock().now.wall
    let rows = accounts.map { account in
      let end = account.expires.map { $0 * 1000 }
      let ended = end.map { $0 <= now } ?? false
      let state =
        account.renews
        ? "<span class=\"good\">renews itself</span>"
        : "<span class=\"\(ended ? "bad" : "warn")\">\(ended ? "ended: sign in again" : "does not renew itself")</span>"
      return """
        <tr><td>\(escape(account.name))</td><td>\(escape(account.policy ?? ""))</td><td>\(state)</td>
        <td>\(end.map { moment($0, zone) } ?? "not known")</td><td><code>\(escape(account.command))</code></td></tr>
        """
    }
    let table = """
      <div class="wide"><table><tr><th>Account</th><th>Policy</th><th>State</th><th>Access token until</th>
      <th>To sign in again</th></tr>\(rows.joined(separator: "\n"))</table></div>
      """
    let empty = "<p class=\"quiet\">Nobody has signed in. <code>b2c-run sign-in</code> adds an account.</p>"
    return DashboardPage(
      "Accounts", pause: 30, "<h1>Accounts</h1><section class=\"card\">\(rows.isEmpty ? empty : table)</section>")
  }
}
