import Foundation
import Testing
import ThrongPlan
import ThrongSchedule
import ThrongWire

@Suite("a plan that counts nothing yet is tried on devices of a list")
struct ExpectedDayTests {
    private static func plan(_ systems: String, audience: Int = 1000, brief: String = "") throws -> Plan {
        try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: \(audience)}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                  brief: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days\(brief)}
                dimensions:
                  os: {title: System, field: os, list: \(systems), partitions: devices}
                  first: {title: First, of: os, groups: {desk: [windows]}}
                  channel: {title: Channel, field: channel, list: [search, mail]}
                metrics:
                  views: {title: Views, events: [view], dimensions: [channel, os], purpose: product,
                    margins: [[os], [first], [channel], [channel, os]], period: day, TERMS}
                  glances: {title: Glances, events: [glance], dimensions: [os], purpose: brief, period: day, TERMS\(brief.isEmpty ? "" : ", measures: {reach: attested}")}
                  plain: {title: Plain, events: [plain], dimensions: [channel], purpose: product, period: day, TERMS}
                  hourly: {title: Hourly, events: [hourly], dimensions: [os], purpose: product, period: hour, TERMS}
                """.replacing("TERMS", with: "question: What?, decision: That., owner: Team, expires: 2027-10-31"),
            file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    /// Of a hundred devices three of android, which 1,000 make thirty.
    private static func pasts(_ plan: Plan) throws -> [PlanPast] {
        try ExpectedDay(fields: ["os"], known: 100) { device, field, bucketing in
            #expect(field == "os")
            var text = device < 3 ? "android" : device < 30 ? "ios" : "windows"
            return text.withUTF8 { bucketing.bucket(.text(FieldText($0))) }
        }.pasts(of: plan)
    }

    @Test("what the list knows is split by, the rest is summed out; a metric of which it knows nothing is left out")
    func cut() throws {
        let pasts = try Self.pasts(Self.plan("[ios, android, windows]"))
        #expect(pasts.map(\.metric) == ["views", "glances"])
        #expect(pasts[0].groupings.map(\.dimensions) == [[], ["os"], ["first"]])
        #expect(pasts[0].groupings.allSatisfy { $0.shown == 1 } && pasts[0].cures.isEmpty)
        #expect(pasts[0].devices == 1000)
        #expect(
            pasts[0].lines[1]
                == "metric 'views' by day: os would show 100.0 % of its events, and 100.0 % of the publishable ones")
    }

    @Test("fewer devices make a bucket small, which costs another one; a floor sees one window's devices")
    func small() throws {
        let pasts = try Self.pasts(Self.plan("[ios, android, windows]", audience: 300))
        let systems = try #require(pasts[0].groupings.first { $0.dimensions == ["os"] })
        #expect(try #require(systems.shown) < 1)
        #expect(pasts[0].buckets.map(\.bucket) == ["android"])
        let sentence = try #require(pasts[0].cures.first?.sentence)
        #expect(
            sentence.hasPrefix("Put android") && sentence.contains("android would be small and cost "), "\(sentence)")
        // 300 devices in 96 windows are three at once.
        #expect(pasts[1].groupings.allSatisfy { $0.shown == 0 })
        #expect(pasts[1].cures.first?.kind == .longer)
        // Where they prove themselves they are as many as the day has.
        let proved = try Self.pasts(Self.plan("[ios, android, windows]", audience: 300, brief: ", floor: attested"))
        #expect(proved[1].metric == "glances" && proved[1].groupings.allSatisfy { ($0.shown ?? 0) > 0 })
        #expect(try Self.pasts(Self.plan("[windows]", audience: 300))[0].groupings.allSatisfy { $0.shown == 1 })
    }
}
