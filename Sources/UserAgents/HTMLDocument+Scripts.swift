import Markup

extension HTMLDocument {
  /// Whether the page does nothing without scripts. Azure AD B2C's own pages are such: their forms lead nowhere, and a
  /// script sends what `SETTINGS` says (the transaction among it); others have no form, and say so in `noscript`.
  var needsScripts: Bool {
    if scripts.contains(where: { $0.contains("SETTINGS") && $0.contains("transId") }) { return true }
    if forms.contains(where: { $0.action?.lowercased().hasPrefix("javascript:") == true }) { return true }
    guard forms.isEmpty, refresh == nil else { return false }
    return !noScript.isEmpty || text.isEmpty && !scripts.isEmpty
  }
}
