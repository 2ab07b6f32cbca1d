import JobConditions
import Jobs
import Pages
import Schedule

extension DashboardPage {
  static func accounts(_ accounts: [KeptAccount], _ zone: Zone) -> DashboardPage {
    let now = MachineClock().now.wall
    let rows = accounts.map { account in
      let end = account.expires.map { $0 * 1000 }
      let ended = end.map { $0 <= now } ?? false
      let state =
        account.renews
        ? HTML(.span, class: "good", "renews itself")
        : HTML(.span, class: ended ? "bad" : "warn", ended ? "ended: sign in again" : "does not renew itself")
      return HTML(
        .tr, HTML(.td, account.name), HTML(.td, account.policy), HTML(.td, state),
        HTML(.td, end.map { moment($0, zone) } ?? HTML.list("not known")), HTML(.td, HTML(.code, account.command)))
    }
    let empty = quiet("Nobody has signed in. ", HTML(.code, "b2c-run sign-in"), " adds an account.")
    let table = wideTable(["Account", "Policy", "State", "Access token until", "To sign in again"], rows)
    return DashboardPage("Accounts", pause: 30, HTML(.h1, "Accounts"), card(nil, rows.isEmpty ? empty : table))
  }
}
