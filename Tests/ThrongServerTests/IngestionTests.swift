import Foundation
import Logging
import NIOCore
import Synchronization
import Testing
import ThrongCounting
import ThrongIntake
import ThrongJournal
import ThrongPlan
import ThrongPostgres
import ThrongSchedule
import ThrongStore
import ThrongWire

@testable import ThrongServer

@Suite("Whatever keeps a daemon from taking a batch, nothing is acknowledged that is lost")
struct IngestionTests {
    /// A daemon's first half, without sockets and without PostgreSQL, by a clock that a test sets.
    private final class House: Sendable {
        let path: String
        let data: DataDirectory
        let ingestion: Ingestion
        let houseClock: MachineClock
        let time = Mutex(UnixSeconds(1_794_830_400))
        let saidFull = Mutex<[Bool]>([])

        init(windowBytes: Int = 1 << 30) throws {
            path = FileManager.default.temporaryDirectory.appending(path: "ti-\(UUID())").path
            let plan = try CountedShop.plan(
                """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
                purposes:
                  product: {explanation: To see., consent: not_required, refused_by: [global_privacy_control],
                    rotation: 1 minute, retention: 30 days}
                  agreed: {explanation: To sell., consent: required, consent_version: 2, rotation: 1 minute,
                    retention: 30 days}
                dimensions:
                  os: {title: System, field: os, list: [ios, android], partitions: devices}
                metrics:
                  views: {title: Views, events: [view], question: What?, decision: That., owner: Team,
                    expires: 2027-02-01, purpose: product, dimensions: [os], period: hour}
                  orders: {title: Orders, events: [order], question: What?, decision: That., owner: Team,
                    expires: 2027-02-01, purpose: agreed, dimensions: [os], period: hour}
                  often: {title: Often, events: [view], question: What?, decision: That., owner: Team,
                    expires: 2027-02-01, purpose: product, dimensions: [os], period: hour,
                    measures: {frequency: {bands: [1, 2, 4]}}}
                """)
            let space = CellSpace(layouts: try plan.metrics.map { try plan.layout(of: $0, rules: .system) })
            data = try DataDirectory(path: path)
            let keys = try KeyRing(data)
            let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
            let journal = try Journal(data, space: space, after: replayed, position: .start) { _ in }
            let intake = try Intake(plans: [plan], space: space, rules: .system)
            let telemetry = Telemetry()
            let box = Box()
            let clock = UnixClock { box.house?.time.withLock { $0 } ?? .epoch }
            houseClock = MachineClock(clock, machine: "here") { box.house?.time.withLock { $0.value } ?? 0 }
            ingestion = Ingestion(
                intake: intake,
                counting: Counting(
                    space: space, position: .start, watermark: .start, bounds: .init(windowBytes: windowBytes)),
                keys: keys, journal: journal, believed: try BelievedTime(data),
                reveals: VocabularyLearner(
                    plans: [plan], vocabulary: intake.vocabulary, keys: keys,
                    store: LabelStore(ConnectionSettings(connectionString: "")), telemetry: telemetry, logger: .silent),
                telemetry: telemetry, bodies: BodyBudget(limit: 1 << 20), clock: clock, houseClock: houseClock,
                onFullWindows: { areFull in box.house?.saidFull.withLock { $0.append(areFull) } },
                onFailure: { Issue.record($0) })
            box.hold(self)
        }

        /// What closures that a house gets at its start know of it.
        private final class Box: Sendable {
            private let held = Mutex<Weak>(Weak(house: nil))
            private struct Weak { weak var house: House? }
            var house: House? { held.withLock { $0.house } }
            func hold(_ house: House) { held.withLock { $0.house = house } }
        }

        var now: UnixSeconds { time.withLock { $0 } }

        func send(_ id: String, optingOut: Bool = false) throws -> Ingestion.Verdict {
            let at = Date(timeIntervalSince1970: Double(now.value)).formatted(.iso8601)
            let body = """
                {"app":"shop","purpose":"product","window":\(now.flooredQuotient(by: 60)),"id":"\(id)","context":{"os":"ios"},\
                "batch":"\(UUID().uuidString.replacing("-", with: "").lowercased())","events":[{"event":"view","at":"\(at)"}]}
                """
            return try ingestion.accept(
                UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20),
                signals: optingOut ? [.globalPrivacyControl] : [])
        }

        /// The same for the purpose that people have to agree to, in its second version.
        func order(version: Int?) throws -> Ingestion.Verdict {
            let at = Date(timeIntervalSince1970: Double(now.value)).formatted(.iso8601)
            let body = """
                {"app":"shop","purpose":"agreed","window":\(now.flooredQuotient(by: 60)),"id":"a","context":{"os":"ios"},\
                "batch":"\(UUID().uuidString.replacing("-", with: "").lowercased())",\
                \(version.map { "\"consent_version\":\($0)," } ?? "")"events":[{"event":"order","at":"\(at)"}]}
                """
            return try ingestion.accept(
                UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20), signals: [])
        }

        func end() throws {
            ingestion.journal.stop()
            data.unlock()
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("an opt-out that takes something back is turned away once another process takes this one's place")
    func optOutAtTakeover() throws {
        let house = try House()
        for id in ["a", "b"] {
            guard case .counted = try house.send(id) else { throw Unexpected() }
        }
        guard case .counted(_, .optedOut, let position) = try house.send("a", optingOut: true) else {
            throw Unexpected()
        }
        house.ingestion.journal.close()
        guard case .overloaded = try house.send("b", optingOut: true) else { throw Unexpected() }
        #expect(house.ingestion.position == position, "nothing is written behind what the other one reads")
        try house.end()
    }

    @Test("what nobody agreed to is refused, is no identifier's in the journal, and is in the coverage")
    func outdated() throws {
        let house = try House()
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

    @Test(
        "full windows turn away who is new and not who is known, are not ready, and say so twice: then, and once over")
    func fullWindows() throws {
        let house = try House(windowBytes: 1 << 20)
        guard case .counted = try house.send("known") else { throw Unexpected() }
        #expect(!house.ingestion.areWindowsFull)
        var wait: Int?
        for number in 0..<50_000 where wait == nil {
            if case .full(let retrySeconds) = try house.send("device \(number)") { wait = retrySeconds }
        }
        // The window is the current minute's: it is over once the second one after it begins.
        #expect((5...180).contains(try #require(wait)))
        #expect(house.ingestion.areWindowsFull)
        for _ in 0..<10 {
            guard case .full = try house.send("somebody") else { throw Unexpected() }
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
        let house = try House()
        try house.ingestion.tidy()
        #expect(try BelievedTime(house.data).latest == nil)
        #expect(try await house.houseClock.look(Database(now: house.now - 730 * 86_400)) != nil)
        try house.ingestion.tidy()
        #expect(try BelievedTime(house.data).latest == nil)
        #expect(try await house.houseClock.look(Database(now: house.now)) == nil)
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
