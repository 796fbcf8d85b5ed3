import Foundation
import NIOCore
import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongIngest
import ThrongPlan
import ThrongStore
import ThrongWire

@testable import ThrongServer

@Suite("A first is proved by a credential in its cell and period, once, and by nothing else", .serialized)
struct ProvedFirstTests {
    private static let calendar = PeriodCalendar.utc

    private static func credential(
        _ house: IngestionHouse, app: AppName = "shop", epoch: Epoch? = nil
    ) throws -> Credential {
        let epoch = epoch ?? Epoch(containing: house.now)
        let issuer = try #require(house.epochs.issuer(of: epoch, app: app))
        let mine = Precredential(
            for: try IssuerKey(rawRepresentation: issuer.publicKey), requestContext: try epoch.requestContext(of: app))
        let request = try #require(try ProvedRequest(mine.request.rawRepresentation))
        return try mine.finalize(CredentialResponse(rawRepresentation: try issuer.issue(request)))
    }

    private static func published(_ house: IngestionHouse) throws -> PublicPlan.ProvedFirsts {
        let plan = try house.plan.publicPlan()
        return try #require(plan.metrics.first { $0.name == "finds" }?.provedFirsts)
    }

    private static func first(
        _ house: IngestionHouse, _ credential: Credential, kind: PeriodKind = .hour, at time: UnixSeconds? = nil,
        cell: [DimensionName: BucketLabel] = ["os": "ios", "kind": "cake"]
    ) throws -> ProvedFirst {
        try credential.first(
            in: cell, of: "finds", published(house), period: calendar.period(kind, containing: time ?? house.now),
            app: "shop")
    }

    /// The tag by which the daemon would know the device; nil where its proof does not hold.
    private static func tag(
        _ house: IngestionHouse, _ body: String, signals: Set<OptOutSignal> = [], isSealed: Bool = false
    ) throws -> FirstTag? {
        let body = try UnpackedBody(ByteBuffer(string: body), isGzip: false, limit: 1 << 20)
        let first = try body.read { bytes throws(IntakeError) in
            try house.ingestion.intake.readFirst(bytes, signals: signals, now: house.now, isSealed: isSealed)
        }
        return try #require(house.ingestion.proofs).tag(of: try #require(first))
    }

    private static func body(_ first: ProvedFirst, _ change: (inout [String: Any]) -> Void = { _ in }) throws -> String
    {
        var members: [String: Any] = [
            "app": first.app.text, "metric": first.metric.text, "period": first.period.rawValue,
            "start": first.start.value,
            "cell": Dictionary(uniqueKeysWithValues: first.cell.map { ($0.key.text, $0.value.text) }),
            "proof": first.proof,
        ]
        change(&members)
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    @Test("however often it is shown, also by a clone, it has one tag; and another one in each other cell and period")
    func once() throws {
        let house = try IngestionHouse()
        let credential = try Self.credential(house)
        let clone = try Credential(rawRepresentation: credential.rawRepresentation)
        let cake = try Self.tag(house, Self.body(Self.first(house, credential)))
        #expect(try cake != nil && Self.tag(house, Self.body(Self.first(house, clone))) == cake)
        // Of the dimensions that partition devices it has one bucket, whichever it says first.
        let android = try Self.first(house, credential, cell: ["os": "android", "kind": "cake"])
        #expect(try Self.tag(house, Self.body(android)) == cake)
        let others = [
            try Self.first(house, credential, cell: ["os": "ios", "kind": "bread"]),
            try Self.first(house, credential, cell: ["os": "ios", "kind": "other"]),
            try Self.first(house, credential, cell: ["os": "ios"]),
            try Self.first(house, credential, kind: .day),
            try Self.first(house, credential, at: house.now - 3600),
        ]
        var tags = Set([cake])
        for first in others { tags.insert(try Self.tag(house, Self.body(first))) }
        #expect(tags.count == 6 && !tags.contains(nil))
        // Nor is it the identifier of any window.
        let window = house.now.flooredQuotient(by: 60)
        let context = try PresentationContext.window(WindowNumber(window), of: "proved", app: "shop")
        let identifier = credential.present(for: context.bytes).tag.rawRepresentation
        #expect(!tags.contains(FirstTag(hashing: identifier)))
        let stranger = try Self.tag(house, Self.body(Self.first(house, Self.credential(house))))
        #expect(stranger != nil && stranger != cake)
        try house.end()
    }

    @Test(
        "a proof of another cell, period, metric, layout, app, month or house, and one that was changed, counts nobody")
    func foreign() throws {
        let house = try IngestionHouse()
        let elsewhere = try IngestionHouse()
        let credential = try Self.credential(house)
        let first = try Self.first(house, credential)
        let published = try Self.published(house)
        let period = Self.calendar.period(.hour, containing: house.now)
        let last = Self.calendar.period(.hour, containing: house.now - 3600)
        func presented(
            _ cell: [DimensionName: BucketLabel] = ["kind": "cake"], metric: MetricName = "finds",
            layout: String? = nil,
            period: Period = period, app: AppName = "shop"
        ) throws -> String {
            let context = try PresentationContext.first(
                in: cell, of: metric, layout: layout ?? published.layout, period: period, app: app)
            return Base64URL.text(of: credential.present(for: context.bytes).rawRepresentation)
        }
        // The control: what these are made by.
        #expect(try Self.tag(house, Self.body(first) { $0["proof"] = try? presented() }) != nil)
        let window = try PresentationContext.window(
            WindowNumber(house.now.flooredQuotient(by: 60)), of: "proved", app: "shop")
        let proofs = [
            "cell": try presented(["kind": "bread"]), "whole": try presented([:]),
            "metric": try presented(metric: "shows"),
            "layout": try presented(layout: String(repeating: "0", count: 32)), "period": try presented(period: last),
            "kind of period": try presented(period: Self.calendar.period(.day, containing: house.now)),
            "app": try presented(app: "other"),
            "window": Base64URL.text(of: credential.present(for: window.bytes).rawRepresentation),
            "issued for another app": try Self.first(house, Self.credential(house, app: "other")).proof,
            "house": try Self.first(house, Self.credential(elsewhere)).proof,
            "cut": String(first.proof.prefix(384)), "nothing": "AAAA",
        ]
        for (what, proof) in proofs {
            #expect(try Self.tag(house, Self.body(first) { $0["proof"] = proof }) == nil, "\(what)")
        }
        let bytes = try #require(Base64URL.bytes(of: first.proof.utf8))
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1 << UInt8(place % 8)
            let proof = Base64URL.text(of: changed)
            #expect(try Self.tag(house, Self.body(first) { $0["proof"] = proof }) == nil, "byte \(place)")
        }
        try house.end()
        try elsewhere.end()
    }

    @Test("the month is that of the period's last day: no device has two in a week of two months")
    func months() throws {
        let house = try IngestionHouse()
        let epoch = Epoch(containing: house.now)
        // The last hours of the month: credentials of the next one are there, and prove nothing of this day.
        house.time.withLock { $0 = epoch.end - 3600 }
        house.epochs.turn(mayDestroy: false)
        let (now, next) = (try Self.credential(house), try Self.credential(house, epoch: epoch.next))
        #expect(try Self.tag(house, Self.body(Self.first(house, now, kind: .day))) != nil)
        #expect(try Self.tag(house, Self.body(Self.first(house, next, kind: .day))) == nil)
        let week = Period(kind: .week, start: UnixSeconds(1_798_416_000), end: UnixSeconds(1_799_020_800))
        #expect(Self.calendar.period(.week, containing: week.start) == week)
        #expect(Epoch(of: week, in: Self.calendar).description == "2027-01")
        let berlin = try #require(PeriodCalendar(timeZone: "Europe/Berlin"))
        let month = berlin.period(.month, containing: UnixSeconds(1_795_000_000))
        #expect(Epoch(of: month, in: berlin).description == "2026-11")
        let west = try #require(PeriodCalendar(timeZone: "America/Los_Angeles"))
        #expect(
            Epoch(of: west.period(.month, containing: UnixSeconds(1_795_000_000)), in: west).description == "2026-11")
        try house.end()
    }

    @Test("what no plan asks for, and what comes too early or too late, is refused with a word")
    func refused() throws {
        let house = try IngestionHouse()
        let first = try Self.first(house, Self.credential(house))
        func expect(_ error: IntakeError, _ what: String, _ change: (inout [String: Any]) -> Void) throws {
            #expect(throws: error, "\(what)") { try Self.tag(house, Self.body(first, change)) }
        }
        try expect(.unknownApp, "an app") { $0["app"] = "nobody" }
        try expect(.noFirsts, "a metric of floors") { $0["metric"] = "shows" }
        try expect(.noFirsts, "no metric") { $0["metric"] = "nothing" }
        try expect(.noFirsts, "a length of time") { $0["period"] = "week" }
        try expect(.unknownCell, "a grouping that is not shown") { $0["cell"] = ["kind": "cake"] }
        try expect(.unknownCell, "no cell") { $0["cell"] = [String: String]() }
        try expect(.unknownCell, "a bucket") { $0["cell"] = ["os": "ios", "kind": "pie"] }
        try expect(.unknownCell, "a dimension") { $0["cell"] = ["os": "ios", "colour": "red"] }
        try expect(.unknownCell, "a number") { $0["cell"] = ["os": 7] }
        try expect(.periodNotOpen, "no start") { $0["start"] = first.start.value + 1 }
        try expect(.periodNotOpen, "not yet") { $0["start"] = first.start.value + 3600 }
        try expect(.periodNotOpen, "far away") { $0["start"] = Int64.max }
        try expect(.periodNotOpen, "further away than can be computed with") { $0["start"] = Int64.min }
        try expect(.wrongShape(pointer: "/start", expected: "a whole number of seconds"), "a text") {
            $0["start"] = "now"
        }
        let grace = house.plan.app.grace.components.seconds
        house.time.withLock { $0 = first.start + 3600 + grace - 1 }
        #expect(try Self.tag(house, Self.body(first)) != nil)
        house.time.withLock { $0 = first.start + 3600 + grace }
        try expect(.periodNotOpen, "due") { _ in }
        try house.end()
    }
}
