import Foundation
import Logging
import NIOCore
import Synchronization
import Testing
import ThrongIngest
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongWire

@testable import ThrongServer
@testable import ThrongStore

@Suite("Whatever keeps a daemon from taking a batch, nothing is acknowledged that is lost")
struct IngestionTests {
    @Test("an opt-out that takes something back is turned away once another process takes this one's place")
    func optOutAtTakeover() throws {
        let house = try IngestionHouse()
        for id in ["a", "b"] {
            guard case .counted = try house.send(id) else { throw Unexpected() }
        }
        guard case .counted(_, .optedOut, let position) = try house.send("a", optingOut: true) else {
            throw Unexpected()
        }
        house.ingestion.journal.close()
        guard case .unavailable(.overloaded) = try house.send("b", optingOut: true) else { throw Unexpected() }
        #expect(house.ingestion.position == position, "nothing is written behind what the other one reads")
        try house.end()
    }

    @Test("what nobody agreed to is refused, is no identifier's in the journal, and is in the coverage")
    func outdated() throws {
        let house = try IngestionHouse()
        for version in [nil, 1] {
            guard case .unwanted(let answer) = try house.order(version: version) else { throw Unexpected() }
            #expect(answer == BatchAnswer(accepted: 0, refused: [.init(index: 0, reason: .consentOutdated)]))
        }
        #expect(house.ingestion.position == .start, "nothing of it is written")
        for version in [2, 3] {
            guard case .counted(let answer, .accepted, _) = try house.order(version: version) else {
                throw Unexpected()
            }
            #expect(answer.accepted == 1)
        }
        let flush = try #require(house.ingestion.state.withLock { $0.freeze() })
        let coverage = Dictionary(uniqueKeysWithValues: flush.coverage.map { ($0.kind.name, $0.events) })
        #expect(coverage == ["accepted": 2, "consent_outdated": 2])
        try house.end()
    }

    @Test("a test's batch is in no counter, no journal and no coverage, and is one of its outcome")
    func tests() throws {
        let house = try IngestionHouse()
        for (version, taken) in [(1, 0), (2, 1)] {
            guard case .unwanted(let answer) = try house.order(version: version, isTest: true) else {
                throw Unexpected()
            }
            #expect(answer.accepted == 0 && answer.test == taken)
        }
        #expect(house.ingestion.position == .start, "nothing of it is written")
        #expect(house.ingestion.state.withLock { $0.freeze() } == nil, "nothing of it is flushed")
        let counts = house.ingestion.telemetry.snapshot
        #expect(counts.batches[Telemetry.BatchKind.test.rawValue] == 2 && counts.batches.reduce(0, +) == 2)
        #expect(counts.acceptedEvents == 0 && counts.refusedEvents.isEmpty)
        try house.end()
    }

    @Test(
        "full windows turn away who is new and not who is known, are not ready, and say so twice: then, and once over")
    func fullWindows() throws {
        let house = try IngestionHouse(windowBytes: 1 << 20)
        guard case .counted = try house.send("known") else { throw Unexpected() }
        #expect(!house.ingestion.areWindowsFull)
        var wait: Int?
        for number in 0..<50_000 where wait == nil {
            if case .unavailable(.full(let retrySeconds)) = try house.send("device \(number)") { wait = retrySeconds }
        }
        // The window is the current minute's: it is over once the second one after it begins.
        #expect((5...180).contains(try #require(wait)))
        #expect(house.ingestion.areWindowsFull)
        for _ in 0..<10 {
            guard case .unavailable(.full) = try house.send("somebody") else { throw Unexpected() }
            guard case .counted = try house.send("known") else { throw Unexpected() }
        }
        #expect(house.saidFull.withLock { $0 } == [true])
        house.time.withLock { $0 += 600 }
        try house.ingestion.tidy()
        _ = house.ingestion.freeze().map { house.ingestion.applied($0, closed: []) }
        try house.ingestion.tidy()
        #expect(house.saidFull.withLock { $0 } == [true, false])
        guard case .counted = try house.send("somebody") else { throw Unexpected() }
        try house.end()
    }

    /// PostgreSQL's clock, without PostgreSQL.
    private struct Database: ClockStore {
        let now: UnixSeconds
        func clock() async throws -> StoredClock { StoredClock(database: now, believed: nil) }
        func believe(_ time: StoredClock.Believed) async throws {}
        func confirm(_ time: StoredClock.Believed) async throws {}
    }

    @Test("a time is written down as believed only once PostgreSQL's clock has confirmed it")
    func believedTime() async throws {
        let house = try IngestionHouse()
        try house.ingestion.tidy()
        #expect(try BelievedTime(house.data).latest == nil)
        #expect(try await house.trustedClock.look(Database(now: house.now - 730 * 86_400)) != nil)
        try house.ingestion.tidy()
        #expect(try BelievedTime(house.data).latest == nil)
        #expect(try await house.trustedClock.look(Database(now: house.now)) == nil)
        try house.ingestion.tidy()
        #expect(try BelievedTime(house.data).latest == house.now)
        try house.end()
    }

    @Test("what unpacks to much is not unpacked while others wait")
    func largeBodies() throws {
        let blanks = try #require(Gzip.packed([UInt8](repeating: 32, count: 1 << 20)))
        #expect(blanks.count < 2048)
        #expect(try UnpackedBody.small(ByteBuffer(bytes: blanks), isGzip: true) == nil)
        #expect(try UnpackedBody.small(ByteBuffer(repeating: 32, count: 70_000), isGzip: false) == nil)
        for size in [0, 1000, 64 << 10] {
            let packed = try #require(Gzip.packed([UInt8](repeating: 32, count: size)))
            #expect(try UnpackedBody.small(ByteBuffer(bytes: packed), isGzip: true) != nil)
            #expect(try UnpackedBody.small(ByteBuffer(repeating: 32, count: size), isGzip: false) != nil)
        }
        #expect(throws: IntakeError.notGzip) { try UnpackedBody.small(ByteBuffer(string: "x"), isGzip: true) }
    }

    private struct Unexpected: Error {}
}
