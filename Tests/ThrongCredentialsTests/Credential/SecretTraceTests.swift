import Foundation
import Testing

/// Traced by valgrind, as Adam Langley's ctgrind does (2010).
@Suite(
    "No branch and no address depends on a secret", .serialized,
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/valgrind"), "Deploy/test installs valgrind"))
struct SecretTraceTests {
    /// Where something is found good or bad, which whoever brought it may know; parts of symbols' names.
    private static let verdicts = [
        "11StoredBytesO4open",  // the digest
        "6ScalarV9canonical", "10ByteReaderV6scalar", "10ByteReaderV6secret",  // from 1 to n − 1
        "13PrecredentialV17rawRepresentation",  // the request is that of the secrets
        "13PrecredentialV8finalize",  // the credential is not the identity
        "14ProofStatementV8isProved",  // the presentation is taken
        "15EvaluationSuiteO6secret",  // the key is not 0
    ]

    @Test("of a device's half and of a daemon's check, but for the verdicts on what was stored and what was shown")
    func traced() throws {
        let complaints = try Self.complaints()
        // Nobody wrote the secrets: their digest at least has to be told.
        #expect(complaints.contains { $0.contains("11StoredBytesO4open") || $0.contains("PrecredentialV17raw") })
        for complaint in complaints where !Self.isVerdict(complaint) { Issue.record("\(complaint)") }
    }

    @Test("and one that does is told")
    func control() throws {
        #expect(try Self.complaints("leak").contains { !Self.isVerdict($0) })
    }

    /// The innermost call that is ours decides.
    private static func isVerdict(_ complaint: String) -> Bool {
        let ours = complaint.split(separator: "\n").first { $0.contains("17ThrongAttestation") }
        return ours.map { call in verdicts.contains { call.contains($0) } } ?? false
    }

    /// What valgrind says, a paragraph each.
    private static func complaints(_ arguments: String...) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("throng-trace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Debian's valgrind can't read what a recent compiler writes for debuggers.
        let bare = folder.appendingPathComponent("SecretTrace").path
        let built = Bundle.main.bundleURL.appendingPathComponent("SecretTrace").path
        #expect(try run(["objcopy", "--strip-debug", built, bare]).isEmpty)
        let log = folder.appendingPathComponent("log").path
        let said = try run(
            ["valgrind", "-q", "--malloc-fill=0x00", "--error-limit=no", "--log-file=\(log)", bare] + arguments)
        #expect(said.contains("292 bytes, taken"))
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            .map { $0.drop { $0 != " " }.dropFirst() }
            .split { $0.allSatisfy { $0 == " " } }
            .map { $0.joined(separator: "\n") }
    }

    private static func run(_ command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text
    }
}
