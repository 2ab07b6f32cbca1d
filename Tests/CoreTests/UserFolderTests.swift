import Core
import Testing

@Suite("The folders of a person's files") struct UserFolderTests {
  @Test(
    "an absolute path in the variable, else below the home",
    arguments: [
      (UserFolder.config, ["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/c/b2c-run"),
      (.config, ["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/b2c-run"),
      (.config, ["XDG_CONFIG_HOME": "c", "HOME": "/h"], "/h/.config/b2c-run"),
      (.state, ["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/h/.local/state/b2c-run"),
      (.state, ["XDG_STATE_HOME": "/s"], "/s/b2c-run"), (.data, ["HOME": "/h"], "/h/.local/share/b2c-run"),
      (.data, ["HOME": "h"], nil), (.data, ["XDG_DATA_HOME": "d"], nil), (.data, [:], nil),
    ] as [(UserFolder, [String: String], String?)])
  func place(folder: UserFolder, variables: [String: String], path: String?) {
    #expect(folder.path { variables[$0] } == path)
  }
}
