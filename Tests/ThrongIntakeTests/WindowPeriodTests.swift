import Testing
import ThrongCounting
import ThrongIntake
import ThrongPlan
import ThrongWire

@Suite("Where noise hides devices, all of a window counts in the period in which it begins")
struct WindowPeriodTests {
    /// 2026-11-20 12:00 UTC.
    private static let now = UnixSeconds(1_795_176_000)

    private static func plan(_ noise: String) -> String {
        """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, time_zone: Europe/Berlin}
        purposes:
          product:
            {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days,
            budget: {epsilon: 40, per: month}}
        metrics:
          views:
            {title: Views, events: [view], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, noise: {mechanism: laplace, epsilon: 1\(noise)}}
        """
    }

    private static func periods(_ noise: String, window: Int64) throws -> [Int64] {
        let plan = try Plan(yaml: plan(noise), file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        let intake = try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
        let times = ["2026-11-18T22:30:00Z", "2026-11-19T22:30:00Z", "2026-11-19T23:30:00Z", "2026-11-20T11:59:00Z"]
        let list = times.map { #"{"event":"view","at":"\#($0)"}"# }.joined(separator: ",")
        var body = #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":\#(window),"#
        body += #""id":"a","context":{},"events":[\#(list)]}"#
        guard case .batch(let batch) = try body.withUTF8({ try intake.read($0, signals: [], now: now) }) else {
            return []
        }
        return batch.bucketed.events.flatMap { event in
            event.contributions.map {
                (batch.bucketed.contributions[Int($0)].periodStart - UnixSeconds(1_795_132_800)) / 3600
            }
        }
    }

    @Test("offline events of two days before count today, with the identifier under which they came")
    func withTheWindow() throws {
        let window = Self.now.flooredQuotient(by: 86_400)
        // Berlin's day begins an hour before that of UTC. Unit: hours from midnight UTC.
        #expect(try Self.periods(", unit: device", window: window) == [-1, -1, -1, -1])
        #expect(try Self.periods(", unit: device", window: window - 1) == [-25, -25, -25, -25])
        #expect(try Self.periods("", window: window) == [-49, -25, -1, -1])
    }
}
