import Conform
import ConformMatrix
import Core
import HostLoop
import Parties
import TestSupport
import Testing

/// Sign-ins of the clients of `scripts/profiles` at its providers.
@Suite struct MatrixTests {
  private static let folder = ProfileFolder(scripts: "scripts")

  @Test func eachHabitHasASourceAndADate() throws {
    for role in PartyProfile.Role.allCases {
      let profiles = try Self.folder.all(role)
      #expect(profiles.count >= (role == .provider ? 12 : 10))
      for profile in profiles {
        #expect(!profile.habits.isEmpty, "\(profile.name)")
        for habit in profile.habits { #expect(!habit.source.isEmpty && habit.date > "2020", "\(profile.name)") }
      }
    }
  }

  @Test func theMatrixNamesTheWrongParty() async throws {
    let providers = try ["external_id", "google", "github"].map { try Self.folder.profile(.provider, $0) }
    let clients = try ["msal-python", "authlib"].map { try Self.folder.profile(.client, $0) }
    let matrix = try await run(providers, clients)
    #expect(matrix.cells.count == 6)
    let cell = try #require(matrix.cells.first { $0.provider.name == "external_id" && $0.client.name == "authlib" })
    #expect(cell.obstacle == nil, "\(cell.obstacle.map { $0.text } ?? "")")
    let google = try #require(matrix.cells.first { $0.provider.name == "google" && $0.client.name == "msal-python" })
    #expect(google.obstacle?.text.contains("invalid_scope") == true, "\(google.obstacle.map { $0.text } ?? "")")
    #expect(google.obstacle?.culprit == .configuration)
    #expect(MatrixText.text(matrix).contains("google × msal-python"))
    #expect(MatrixPage.text(matrix).contains("Amazon") == false)
  }

  @HostActor private func run(_ providers: [PartyProfile], _ clients: [PartyProfile]) async throws -> Matrix {
    var matrix = Matrix(providers, clients)
    try await matrix.run { _, _ in }
    return matrix
  }

  @Test func aMistakeNamesTheFileAndTheHabit() throws {
    let folder = TemporaryFolder()
    folder.write(
      #"{"title": "Mine", "habits": [{"name": "a", "text": "t", "source": "s", "date": "2026", "effects": []}]}"#,
      to: "mine.json")
    do {
      _ = try Self.folder.profile(.provider, folder.path("mine.json"))
      Issue.record("the profile was read")
    } catch {
      #expect(
        error.message.hasSuffix("mine.json: habits[0] (a): date: expected a day such as 2026-11-28, not \"2026\""))
    }
  }
}
