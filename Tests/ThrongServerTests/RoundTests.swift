import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing
import ThrongJournal
import ThrongPlan
import ThrongSchedule

@testable import ThrongServer
@testable import ThrongStore

@Suite("a round of the daemon that does not come to its end is never silent")
struct RoundTests {
    private static let start = UnixSeconds(1_795_500_000)

    private struct Stuck: Error, CustomStringConvertible {
        var description = "stuck"
    }

    private final class House: Sendable {
        let lines = LateRetentionTests.Errors.Lines()
        let rounds: RoundHealth
        let telemetry: Telemetry

        init() {
            let (clock, lines) = (Clock(), lines)
            self.clock = clock
            rounds = RoundHealth(
                clock: UnixClock { clock.time.withLock { $0 } },
                logger: Logger(label: "test") { _ in LateRetentionTests.Errors(lines: lines) })
            telemetry = Telemetry(rounds: rounds)
        }

        final class Clock: Sendable {
            let time = Mutex(RoundTests.start)
        }
        private let clock: Clock

        func move(_ seconds: Int64) { clock.time.withLock { $0 = $0 + seconds } }
        var said: [String] { lines.all.withLock { $0 } }

        /// Whether the operator's page can say that all is well.
        var isGreen: Bool {
            let time = clock.time.withLock { $0 }
            return telemetry.health(.init(), journalCap: 1, now: time).panels.filter { $0.title == "Rounds" }
                .flatMap(\.facts).allSatisfy { !$0.isAlarm }
        }

        func metric(_ name: String, _ round: Round) -> String? {
            telemetry.text(.init(), disk: nil).split(separator: "\n").first {
                $0.hasPrefix("\(name){round=\"\(round.rawValue)\"} ")
            }.map { String($0.split(separator: " ")[1]) }
        }
    }

    @Test(
        "each that fails is an error in the log, a count, a gauge, and a line that is not green",
        arguments: Round.allCases)
    func fails(round: Round) {
        let house = House()
        house.rounds.expect(round)
        #expect(house.isGreen && house.metric("throng_round_failing", round) == "0")
        house.rounds.failed(round, Stuck())
        #expect(house.said.count == 1 && house.said[0].contains("\"round\": \(round.rawValue)"))
        #expect(!house.isGreen)
        #expect(house.metric("throng_rounds_failed_total", round) == "1")
        #expect(house.metric("throng_round_failing", round) == "1")
        #expect(house.metric("throng_round_last_timestamp_seconds", round) == "\(Self.start.value)")
        // Nothing to try is no second failure, and mends nothing.
        house.rounds.failed(round, RoundHealth.Skipped.nothingToTry)
        #expect(house.said.count == 1 && house.metric("throng_rounds_failed_total", round) == "1" && !house.isGreen)
        house.rounds.ended(round)
        #expect(house.isGreen && house.metric("throng_round_failing", round) == "0")
    }

    @Test(
        "each that does not come at all is late by itself, by a clock that was set back, too", arguments: Round.allCases
    )
    func hangs(round: Round) {
        let house = House()
        house.rounds.expect(round)
        house.move(round.promise)
        #expect(house.isGreen)
        house.move(1)
        #expect(!house.isGreen)
        #expect(house.metric("throng_round_due_timestamp_seconds", round) == "\(Self.start.value + round.promise)")
        house.rounds.ended(round)
        #expect(house.isGreen)
        house.move(-2 * round.promise)
        #expect(!house.isGreen)
    }

    @Test(
        "it is said once an hour, for another reason at once, and trouble with one app is not mended by another's round"
    )
    func said() {
        let house = House()
        for _ in 0..<5 { house.rounds.failed(.retention, app: "shop", Stuck()) }
        #expect(house.said.count == 1 && house.said[0].contains("\"app\": shop"))
        house.rounds.failed(.retention, app: "shop", Stuck(description: "otherwise"))
        house.rounds.failed(.retention, app: "kiosk", Stuck())
        #expect(house.said.count == 3)
        house.move(3600)
        house.rounds.failed(.retention, app: "kiosk", Stuck())
        #expect(house.said.count == 4)
        house.rounds.ended(.retention, app: "kiosk")
        #expect(!house.isGreen)
        house.rounds.ended(.retention, app: "shop")
        #expect(house.isGreen)
        #expect(house.metric("throng_round_last_timestamp_seconds", .retention) == "\(Self.start.value + 3600)")
    }

    @Test("a stop is no failure, and what a round of all apps left undone is")
    func made() async {
        let house = House()
        let stopped: Void? = await house.rounds.make(.pages) { throw CancellationError() }
        #expect(stopped == nil && house.said.isEmpty)
        let left = await house.rounds.make(.retention, leaving: { $0 }) { [AppTrouble(app: "shop", reason: "why")] }
        #expect(left?.count == 1 && !house.isGreen && house.said.count == 1)
        _ = await house.rounds.make(.retention, leaving: { $0 }) { [AppTrouble]() }
        #expect(house.isGreen)
    }

    @Test("one that failed is made again after a pause of its own", .timeLimit(.minutes(40)))
    func retried() async throws {
        let tries = Atomic<Int>(0)
        let (succeeded, success) = AsyncStream<Void>.makeStream()
        let task = PeriodicTask(.labels, every: .seconds(86_400), retry: .milliseconds(1), on: House().rounds) {
            guard tries.add(1, ordering: .relaxed).newValue > 2 else { throw Stuck() }
            success.yield()
        }
        let group = ServiceGroup(services: [task], logger: .silent)
        async let running: Void = group.run()
        for await _ in succeeded { break }
        #expect(tries.load(ordering: .relaxed) == 3)
        await group.triggerGracefulShutdown()
        try await running
    }

    @Test("backups that were never made are nobody's worry; one that failed is, and one of last week")
    func backups() throws {
        let folder = "/tmp/throng-marks-\(UInt64.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let marks = BackupMarks(dataPath: folder)
        try marks.check(at: Self.start)
        try marks.note(.failed, at: Self.start)
        #expect(throws: BackupFault.failed) { try marks.check(at: Self.start) }
        try marks.note(.made, at: Self.start + 1)
        try marks.check(at: Self.start + 7 * 86_400)
        // Nor by a clock that was a week ahead.
        for days: Int64 in [8, -8] {
            #expect(throws: BackupFault.stale(made: Self.start + 1)) { try marks.check(at: Self.start + days * 86_400) }
        }
        // A mark that can't be read hides none.
        try Data().write(to: URL(filePath: folder + "/backup.made"))
        #expect(throws: JournalError.self) { try marks.check(at: Self.start) }
        let facts = Telemetry().health(.init(), journalCap: 1, backups: marks, now: Self.start).panels.flatMap(\.facts)
        #expect(facts.contains { $0.label == "Last made" && $0.isAlarm })
    }
}
