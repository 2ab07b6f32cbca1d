import CommandLineSupport
import Foundation
import Testing

@Suite("A private key, and a token that a script signs")
struct KeySecrecyTests {
  /// The private number of the key in RFC 7515, A.3.1.
  private static let secret = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"

  @Test("are in no log line, error or trace; the script can read the token")
  func isHidden() throws {
    let program = try Program()
    try program.write(
      "sign.lua",
      """
      local b2c = require "b2c"
      local key = b2c.jose.key.load {
        kty = "EC", crv = "P-256", x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", d = "\(Self.secret)",
      }
      local proof = b2c.jose.sign({ jti = "1", htm = "POST" }, key, { typ = "dpop+jwt", jwk = b2c.jose.key.public(key) })
      local assertion = b2c.jose.sign({ sub = "alice" }, key)
      pcall(b2c.http.post, b2c.tenant.url .. "/api/tasks",
        { headers = { DPoP = proof }, form = { client_assertion = assertion, other = assertion } })
      b2c.log.info("made " .. assertion:reveal(), { proof = proof:reveal() })
      print(proof, assertion, key)
      io.open("signatures.txt", "w"):write(proof:reveal():match "[^.]+$", " ", assertion:reveal():match "[^.]+$"):close()
      error("refused: " .. assertion:reveal())
      """)
    let result = try program.run(
      list: ["--local", "--allow-write=signatures.txt", "--trace", "trace.json", "sign.lua"], environment: [:])
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("[secret]\t[secret]\tprivate key (EC P-256, "), "\(result)")
    #expect(result.errors.contains("made [secret]"))
    #expect(result.errors.contains("refused: [secret]"))
    func text(_ name: String) throws -> String {
      try String(contentsOf: program.folder.appending(path: name), encoding: .utf8)
    }
    let trace = try text("trace.json")
    #expect(trace.contains("/api/tasks"))
    let signatures = try text("signatures.txt").split(separator: " ").map(String.init)
    #expect(signatures.count == 2)
    for secret in signatures + [Self.secret] {
      #expect(!(result.output + result.errors + trace).contains(secret))
    }
  }
}
