/// The hosts of Microsoft's sign-in services, whose addresses and issuers have forms of their own.
package enum MicrosoftHost {
  /// Microsoft Entra ID, in each of its clouds; Azure AD B2C in its old form too.
  package static func isEntra(_ host: String) -> Bool {
    ["login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn"].contains(
      host.lowercased())
  }

  /// Microsoft Entra External ID: `NAME.ciamlogin.com`, or a tenant's GUID for the name.
  package static func isExternalID(_ host: String) -> Bool {
    let labels = host.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    return labels.count == 3 && labels[1] == "ciamlogin" && labels[2] == "com" && !labels[0].isEmpty
  }
}
