import Dispatch
import Foundation
import Synchronization
import TestCluster
import Testing
import ThrongPlan
import ThrongReport
import ThrongStore

@testable import ThrongSchedule
@testable import ThrongServer

@Suite("A delivery that takes long harms nobody", .serialized)
struct DeliveryQueueTests {
    private static let now = UnixSeconds(1_795_046_400)
    private let store: DeliveryStore
    private let runs: RunStore
    private let plan: Plan

    init() async throws {
        plan = try PortalPlan.read()
        let settings = try await TestCluster.database()
        (store, runs) = (DeliveryStore(settings), RunStore(settings))
    }

    private func queue(_ folder: String = "/nowhere") -> DeliveryQueue {
        DeliveryQueue(store: store, folder: folder, options: DeliveryOptions(dataPath: folder))
    }

    private func make(_ report: ReportName = "daily") async throws {
        let claim = try #require(
            try await runs.claimRun(
                app: "shop", report: report, partner: "bank",
                period: Period(kind: .day, start: Self.now - 86_400, end: Self.now), now: Self.now))
        _ = try await runs.keep(
            [StoredReportFile(place: 0, name: "a.csv", contents: [1])], of: claim, label: "1",
            deliveries: [.folder("out")], now: Self.now)
    }

    /// Begins to send a day's pulse by mail.
    private func mail(for partner: PartnerName) async throws -> DeliveryClaim {
        let claim = try #require(
            try await runs.claimRun(
                app: "shop", report: "pulse", partner: partner,
                period: Period(kind: .day, start: Self.now - 86_400, end: Self.now), now: Self.now))
        let address = try #require(MailAddress("ms.miller@bank.example"))
        _ = try await runs.keep(
            [StoredReportFile(place: 0, name: "a.csv", contents: [1])], of: claim, label: "1",
            deliveries: [.mail(address, place: 1)], now: Self.now)
        return try await begin(Self.now, foldersOnly: false)
    }

    private func begin(_ now: UnixSeconds, foldersOnly: Bool = true) async throws -> DeliveryClaim {
        try #require(
            try await store.claimDelivery(app: "shop", foldersOnly: foldersOnly, lease: .seconds(60), now: now))
    }

    @Test("a try that was held up until another process took the delivery over sends nothing")
    func takenOver() async throws {
        try await make()
        let first = try await begin(Self.now)
        let second = try await begin(Self.now + 60)
        let written = Atomic(0)
        var queue = queue()
        queue.write = { _, _ in
            written.add(1, ordering: .relaxed)
            return []
        }
        #expect(try await queue.attempt(first, of: plan, now: { Self.now + 61 }) == nil)
        #expect(written.load(ordering: .relaxed) == 0)
        #expect(try await queue.attempt(second, of: plan, now: { Self.now + 61 })?.fault == nil)
        #expect(written.load(ordering: .relaxed) == 1)
    }

    @Test("folders that do not answer hold no thread on which clients are answered")
    func hanging() async throws {
        // More than the shared pool has threads: they would never all be under way on it.
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        var claims: [DeliveryClaim] = []
        for number in 0..<count {
            try await make(ReportName("daily\(number)"))
            claims.append(try await begin(Self.now))
        }
        let begun = Atomic(0)
        let together = Atomic(0)
        var queue = queue()
        queue.write = { _, _ in
            begun.add(1, ordering: .relaxed)
            let end = Date(timeIntervalSinceNow: 1200)
            while begun.load(ordering: .relaxed) < count, Date() < end { usleep(1000) }
            if begun.load(ordering: .relaxed) == count, Date() < end { together.add(1, ordering: .relaxed) }
            return []
        }
        try await withThrowingTaskGroup(of: Void.self) { [queue] group in
            for claim in claims { group.addTask { _ = try await queue.attempt(claim, of: plan, now: { Self.now }) } }
            try await group.waitForAll()
        }
        #expect(together.load(ordering: .relaxed) == count)
    }

    @Test("a name that nobody answers for is given up well within the lease")
    func lookup() async throws {
        let options = DeliveryOptions(dataPath: "/nowhere")
        #expect(FileSender(options: options).lookup.limit + .seconds(options.fileSeconds) < options.lease)
        let released = DispatchSemaphore(value: 0)
        var lookup = HostLookup(limit: .milliseconds(50))
        lookup.system = { _, _ in
            released.wait()
            return "192.0.2.1"
        }
        #expect(await lookup.address(of: "a.example", port: 443) == .late)
        released.signal()
        lookup = HostLookup(limit: .seconds(1200))
        lookup.system = { _, _ in nil }
        #expect(await lookup.address(of: "a.example", port: 443) == .unknown)
        lookup.system = { host, port in "\(host) \(port)" }
        #expect(await lookup.address(of: "a.example", port: 443) == .found("a.example 443"))
    }

    @Test("an address that the plan has no more gets nothing, and no other try")
    func addressGone() async throws {
        let begun = try await mail(for: "bank")
        #expect(begun.target == "mail address 1 at bank.example")
        let outcome = try #require(try await queue().attempt(begun, of: plan, now: { Self.now }))
        #expect(outcome.fault == DeliveryFault.addressGone.description && outcome.retryAt == nil)
        #expect(try await store.deliveries(of: begun.run).map(\.state) == [.failed])
    }

    @Test(
        "what was made for one partner goes to none of another's addresses, whom the plan names for the report now",
        arguments: [("bank", DeliveryFault.noFiles), ("former", .addressGone)] as [(PartnerName, DeliveryFault)])
    func otherPartner(partner: PartnerName, fault: DeliveryFault) async throws {
        // Of the own partner's the words are missing, so that nothing is sent here.
        let plan = try PortalPlan.read(pulse: ", deliver: [{mail: ms.smith@bank.example}]")
        let outcome = try #require(
            try await queue().attempt(try await mail(for: partner), of: plan, now: { Self.now }))
        #expect(outcome.fault == fault.description)
    }
}
