/// A user of the directory.
struct User {
  /// `oid` and `sub` of the tokens.
  let id: String
  let username: String
  let email: String
  let displayName: String
}

/// A user to be added.
struct NewUser {
  var username: String
  var email: String?
  var password: String
  var displayName: String?
}
