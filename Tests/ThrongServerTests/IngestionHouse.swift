import Foundation
import Logging
import NIOCore
import Synchronization
import Testing
import ThrongCredentials
import ThrongIngest
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongWire

@testable import ThrongServer

/// A daemon's first half, without sockets and without PostgreSQL, by a clock that a test sets.
final class IngestionHouse: Sendable {
    let path: String
    let data: DataDirectory
    let ingestion: Ingestion
    let trustedClock: MachineClock
    let epochs: EpochKeys
    let time = Mutex(UnixSeconds(1_794_830_400))
    let plan: Plan
    let telemetry = Telemetry()
    let saidFull = Mutex<[Bool]>([])

    init(
        windowBytes: Int = 1 << 30, quotas: NetworkTallies.Limits = .init(), keys appKeys: AppKeyRing? = nil,
        floorPerNetwork: Int? = nil, evaluator: EvaluatorKey? = nil, readsAgents: Bool = false
    ) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "ti-\(UUID())").path
        let plan = try CountedShop.plan(
            """
            app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100\(evaluator.map {
                ", evaluator: {url: 'https://eval.example.net', key: \($0)}" } ?? "")}
            purposes:
              product: {explanation: To see., consent: not_required, refused_by: [global_privacy_control],
                rotation: 1 minute, retention: 30 days\(floorPerNetwork.map { ", floor_per_network: \($0)" } ?? "")}
              proved: {explanation: To know., consent: not_required, floor: attested, rotation: 1 minute,
                retention: 30 days}
              agreed: {explanation: To sell., consent: required, consent_version: 2, rotation: 1 minute,
                retention: 30 days}
            dimensions:
              os: {title: System, field: os, list: [ios, android], partitions: devices}
              kind: {title: Kind, field: kind, list: [cake, bread]}
              query: {title: Search term, field: query, revealed: {most: 4}}\(readsAgents
                ? "\n  device: {title: Device, field: user_agent, device_class: standard}" : "")
            metrics:\(readsAgents ? """

                  visits: {title: Visits, events: [visit], question: What?, decision: That., owner: Team,
                    expires: 2027-02-01, purpose: product, dimensions: [device], period: hour}
                """ : "")
              views: {title: Views, events: [view], question: What?, decision: That., owner: Team,
                expires: 2027-02-01, purpose: product, dimensions: [os], period: hour}
              orders: {title: Orders, events: [order], question: What?, decision: That., owner: Team,
                expires: 2027-02-01, purpose: agreed, dimensions: [os], period: hour}
              shows: {title: Shows, events: [show], question: What?, decision: That., owner: Team,
                expires: 2027-02-01, purpose: proved, dimensions: [os], period: hour}
              finds: {title: Finds, events: [find], question: What?, decision: That., owner: Team,
                expires: 2027-02-01, purpose: proved, dimensions: [os, kind], period: hour, rollups: [day],
                measures: {reach: attested}}
              searches: {title: Searches, events: [search], question: What?, decision: That., owner: Team,
                expires: 2027-02-01, purpose: product, dimensions: [query], period: hour}
              seeks: {title: Seeks, events: [seek], question: What?, decision: That., owner: Team,
                expires: 2027-02-01, purpose: proved, dimensions: [query], period: hour}
              often: {title: Often, events: [view], question: What?, decision: That., owner: Team,
                expires: 2027-02-01, purpose: product, dimensions: [os], period: hour,
                measures: {frequency: {bands: [1, 2, 4]}}}
            """)
        self.plan = plan
        let space = CellSpace(layouts: try plan.metrics.map { try plan.layout(of: $0, rules: .system) })
        data = try DataDirectory(path: path)
        let keys = try KeyRing(data)
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let journal = try Journal(data, space: space, after: replayed, position: .start) { _ in }
        let intake = try Intake(plans: [plan], space: space, rules: .system, keys: appKeys)
        let box = Box()
        let clock = UnixClock { box.house?.time.withLock { $0 } ?? .epoch }
        trustedClock = MachineClock(clock, machine: "here") { box.house?.time.withLock { $0.value } ?? 0 }
        epochs = try EpochKeys(data, apps: ["shop", "other"], clock: clock, logger: Logger(label: "test"))
        ingestion = Ingestion(
            intake: intake,
            counting: Counting(
                space: space, position: .start, watermark: .start, bounds: .init(windowBytes: windowBytes)),
            keys: keys, journal: journal, believed: try BelievedTime(data),
            reveals: VocabularyLearner(
                plans: [plan], vocabulary: intake.vocabulary, keys: keys,
                store: LabelStore(ConnectionSettings(connectionString: "")), telemetry: telemetry, logger: .silent),
            proofs: ProofCheck(keys: epochs), telemetry: telemetry, bodies: BodyBudget(limit: 1 << 20), quotas: quotas,
            neighbours: try Neighbours(data, isShared: false, isReachable: false, authorities: nil, logger: .silent),
            clock: clock,
            trustedClock: trustedClock,
            onFullWindows: { areFull in box.house?.saidFull.withLock { $0.append(areFull) } },
            onFailure: { Issue.record($0) })
        box.hold(self)
        epochs.turn(mayDestroy: false)
    }

    /// What closures that a house gets at its start know of it.
    private final class Box: Sendable {
        private let held = Mutex<Weak>(Weak(house: nil))
        private struct Weak { weak var house: IngestionHouse? }
        var house: IngestionHouse? { held.withLock { $0.house } }
        func hold(_ house: IngestionHouse) { held.withLock { $0.house = house } }
    }

    var now: UnixSeconds { time.withLock { $0 } }

    func send(
        _ id: String, optingOut: Bool = false, key: String? = nil, bearer: String? = nil, from address: String? = nil,
        fromNetwork network: ClientNetwork? = nil,
        batch: String = UUID().uuidString.replacing("-", with: "").lowercased(), event: String = "view",
        context: String = #""os":"ios""#
    ) throws -> BatchOutcome {
        let at = Date(timeIntervalSince1970: Double(now.value)).formatted(.iso8601)
        let body = """
            {"app":"shop",\(key.map { "\"key\":\"\($0)\"," } ?? "")"purpose":"product","window":\(now.flooredQuotient(by: 60)),"id":"\(id)","context":{\(context)},\
            "batch":"\(batch)","events":[{"event":"\(event)","at":"\(at)"}]}
            """
        return try ingestion.accept(
            UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20),
            signals: optingOut ? [.globalPrivacyControl] : [], bearer: bearer,
            from: network ?? ClientNetwork(internet: address.flatMap { ClientAddress($0) }))
    }

    /// The same for the purpose that people have to agree to, in its second version.
    func order(version: Int?, isTest: Bool = false) throws -> BatchOutcome {
        let at = Date(timeIntervalSince1970: Double(now.value)).formatted(.iso8601)
        let body = """
            {"app":"shop","purpose":"agreed","window":\(now.flooredQuotient(by: 60)),"id":"a","context":{"os":"ios"},\
            "batch":"\(UUID().uuidString.replacing("-", with: "").lowercased())",\
            \(version.map { "\"consent_version\":\($0)," } ?? "")\(isTest ? "\"test\":true," : "")"events":[{"event":"order","at":"\(at)"}]}
            """
        return try ingestion.accept(
            UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20), signals: [])
    }

    /// A batch of the purpose whose floors ask for proof.
    ///
    /// - Parameters:
    ///   - id: as it travels.
    ///   - proof: the same; nil leaves it out.
    func show(_ id: String, proof: String?, window: Int64? = nil) throws -> BatchOutcome {
        let at = Date(timeIntervalSince1970: Double(now.value)).formatted(.iso8601)
        let body = """
            {"app":"shop","purpose":"proved","window":\(window ?? now.flooredQuotient(by: 60)),"id":"\(id)",\
            \(proof.map { "\"proof\":\"\($0)\"," } ?? "")"context":{"os":"ios"},\
            "batch":"\(UUID().uuidString.replacing("-", with: "").lowercased())","events":[{"event":"show","at":"\(at)"}]}
            """
        return try ingestion.accept(
            UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20), signals: [])
    }

    /// A batch with the hash of a value; returns whether the value is asked for.
    ///
    /// - Parameters:
    ///   - purpose: `product` or `proved`.
    ///   - hash: as it travels.
    ///   - proof: what proves the identifier.
    func search(
        _ hash: String, by id: String, of purpose: PurposeName = "product", proof: String? = nil,
        from address: String? = nil
    ) throws -> Bool {
        let at = Date(timeIntervalSince1970: Double(now.value)).formatted(.iso8601)
        let body = """
            {"app":"shop","purpose":"\(purpose)","window":\(window.value),"id":"\(id)",\
            \(proof.map { "\"proof\":\"\($0)\"," } ?? "")\
            "batch":"\(UUID().uuidString.replacing("-", with: "").lowercased())",\
            "events":[{"event":"\(purpose == "proved" ? "seek" : "search")","at":"\(at)","fields":{"query":"\(hash)"}}]}
            """
        let verdict = try ingestion.accept(
            UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20), signals: [],
            from: ClientNetwork(internet: address.flatMap { ClientAddress($0) }))
        guard case .counted(let answer, _, _) = verdict, answer.accepted == 1 else { throw NotCounted() }
        return answer.reveal?.isEmpty == false
    }

    struct NotCounted: Error {}

    /// The window that is open.
    var window: WindowNumber { WindowNumber(now.flooredQuotient(by: 60)) }

    /// That window of a purpose.
    func window(of purpose: PurposeName) -> WindowID {
        WindowID(app: "shop", purpose: purpose, rotation: Rotation(seconds: 60), number: window)
    }

    func end() throws {
        ingestion.journal.stop()
        data.unlock()
        try FileManager.default.removeItem(atPath: path)
    }
}
