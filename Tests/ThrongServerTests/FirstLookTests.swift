import Foundation
import Logging
import Synchronization
import Testing
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore

@testable import ThrongServer

@Suite("A start asks who counts, and waits for the answer no longer than a while")
struct FirstLookTests {
    @Test(
        "a PostgreSQL that nobody reaches is asked again, and what was known last holds after that",
        .timeLimit(.minutes(5)))
    func asksAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = try DataDirectory(path: folder.path)
        let neighbours = try Neighbours(data, isShared: true, isReachable: true, authorities: nil, logger: .silent)
        // Nobody listens there any more.
        let server = try HostileServer { _, _ in false }
        server.stop()
        let store = MemberStore(
            ConnectionSettings(connectionString: "postgresql://127.0.0.1:\(server.port)/throng?sslmode=disable"))
        defer { store.close(within: .zero) }
        let lines = LateRetentionTests.Errors.Lines()
        var logger = Logger(label: "test") { _ in LateRetentionTests.Errors(lines: lines) }
        logger.logLevel = .warning
        let watch = MemberWatch(
            neighbours: neighbours, store: store, daemon: DaemonID(data.daemon), isAttached: { true }, windows: { [] },
            clock: .system, logger: logger)
        let began = ContinuousClock.now
        try await watch.lookFirst(patience: .milliseconds(500))
        #expect(ContinuousClock.now - began >= .milliseconds(500), "it did not wait")
        #expect(neighbours.membership == nil)
        #expect(lines.all.withLock { $0 }.filter { $0.contains("who counts") }.count == 1)
    }
}
