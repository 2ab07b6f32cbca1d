import CommandLineSupport
import Testing

@Suite("Transcripts")
struct TranscriptTests {
  @Test("commands print what the files in Transcripts say", arguments: Transcript.all(of: "AgentCommandTests"))
  func transcript(_ transcript: Transcript) throws { try transcript.check() }
}
