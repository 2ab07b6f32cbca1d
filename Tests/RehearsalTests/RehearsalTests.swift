import Core
import HostLoop
import Rehearsal
import Testing

/// The move of users from a B2C tenant to an External ID tenant of this process.
@HostActor @Suite struct RehearsalTests {
  @Test func nobodyIsLockedOutAndNobodyIsLetInWrongly() async throws {
    let rehearsal = Rehearsal(signIns: 80)
    try await rehearsal.run { _ in }
    let result = rehearsal.result
    #expect(result.breaks.count >= 15)
    for entry in result.breaks { #expect(entry.isGood, "\(entry.fault.rawValue): \(entry.seen)") }
    #expect(result.moving.signIns == 80)
    #expect(result.moving.atOld > 10 && result.moving.atNew > 10)
    #expect(result.moving.migrated > 0)
    #expect(result.moving.lockedOut.isEmpty, "\(result.moving.lockedOut)")
    #expect(result.moving.wrongLetIn.isEmpty, "\(result.moving.wrongLetIn)")
    let rows = Dictionary(result.rows.map { ("\($0.area) \($0.name)", $0) }) { first, _ in first }
    #expect(rows["ID token emails"]?.old == "list of 1" && rows["ID token emails"]?.new == "–")
    #expect(rows["ID token tfp"]?.old == "b2c_1_susi")
    #expect(rows["error unknown code"]?.old.contains("AADB2C") == true)
    #expect(rows["error unknown code"]?.new.contains("AADSTS") == true)
    #expect(RehearsalText.text(result).contains("0 locked out"))
  }
}
