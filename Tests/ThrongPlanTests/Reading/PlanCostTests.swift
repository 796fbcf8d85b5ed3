import Foundation
import Testing

@testable import ThrongPlan

@Suite("The cost of a device's day: what it bounds, what a budget makes of it, and in how many periods it is paid")
struct PlanCostTests {
    private func plan(_ old: String = "An App", _ new: String = "An App") throws -> Plan {
        try Plan(
            yaml: PlanMarginTests.margined.replacing(old, with: new), file: "p", today: SamplePlan.today)
    }

    @Test(
        "a cost bounds a guess: as a coin of nothing, and no better than the total variation of two normal laws has it",
        arguments: [0, 0.05, 0.15, 0.58, 0.98, 2, 4.1, 50])
    func guess(rho: Double) {
        let found = MarginCost.bestGuess(rho)
        // Normal noise of this cost: means √(2ρ) standard deviations apart, told apart at the middle.
        let normal = 50 * (1 + erf((rho / 2).squareRoot() / 2.0.squareRoot()))
        #expect(found >= normal.rounded(.down) && found <= 100 && (rho == 0) == (found == 50))
        #expect(found <= normal + 13 && (rho > 7) == (found == 100), "and is not far above it")
    }

    @Test(
        "a budget makes all margins wider until what is drawn of a device costs that at most",
        arguments: ["0.05", "0.1", "100"])
    func budget(rho: String) throws {
        let (free, bound) = (try plan(), try plan("audience: 20000", "audience: 20000, budget: \(rho)"))
        let (before, after) = (free.marginFactors(of: free.metrics[0]), bound.marginFactors(of: bound.metrics[0]))
        let cost = try #require(bound.marginCost(of: bound.metrics[0]).flatMap(Double.init))
        #expect(try cost <= #require(Double(rho)))
        #expect((after == before) == (rho == "100") && after.events / before.events == after.devices / before.devices)
        #expect(bound.dailyRho == nil, "one metric's cost is told with it")
    }

    @Test(
        "a budget holds for a device's day over all purposes of a day, and for each purpose of shorter windows by itself"
    )
    func shared() throws {
        let metrics = """
              looks:
                {title: L, events: [look], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: support, period: day}
              taps:
                {title: T, events: [tap], question: Q, decision: D, owner: O, expires: 2027-06-30, purpose: short, period: day}
            insights:
            """
        let purposes = """
            purposes:
              support: {explanation: To help., consent: not_required, rotation: 1 day, retention: 400 days}
              short: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 400 days}
            """
        let yaml = PlanMarginTests.margined.replacing("insights:", with: metrics).replacing("purposes:", with: purposes)
            .replacing("audience: 20000", with: "audience: 20000, budget: 0.1")
        let plan = try Plan(yaml: yaml, file: "p", today: SamplePlan.today)
        let names = plan.metrics.map { metric in plan.metrics(ofOneWith: metric).map(\.name.text) }
        #expect(names == [["orders", "looks"], ["orders", "looks"], ["taps"]])
        let cost = try #require(plan.dailyRho)
        #expect(cost <= 0.1 && cost > 0.05)
        #expect(plan.marginFactors(of: plan.metrics[0]).events > plan.marginFactors(of: plan.metrics[2]).events)
    }

    @Test("an identifier that several periods meet costs more: hours of a day, days for which events waited")
    func periods() throws {
        func cost(_ old: String, _ new: String) throws -> Double {
            let plan = try plan(old, new)
            return try #require(plan.marginCost(of: plan.metrics[0]).flatMap(Double.init))
        }
        let day = try cost("An App", "An App")
        #expect(try cost("period: day", "period: hour") > 2 * day)
        #expect(try cost("audience: 20000", "audience: 20000, time_zone: Europe/Vienna") >= day)
        #expect(try cost("rotation: 1 day", "rotation: 15 minutes") < day, "whose events lie in fewer days")
        #expect(try cost("period: day", "period: month") < day)
    }

    @Test(
        "events of an identifier lie in no more periods than its cost counts, and in as many where no clock changes",
        arguments: ["UTC", "Europe/Vienna", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York"],
        PeriodKind.allCases)
    func reach(zone: String, period: PeriodKind) throws {
        for rotation in ["15 minutes", "45 minutes", "1 hour", "6 hours", "1 day"] {
            let yaml = PlanMarginTests.margined.replacing("20000}", with: "20000, time_zone: \(zone)}")
                .replacing("period: day", with: "period: \(period)")
                .replacing("rotation: 1 day", with: "rotation: \(rotation)")
            let plan = try Plan(yaml: yaml, file: "p", today: SamplePlan.today)
            let layout = try plan.layout(of: plan.metrics[0], rules: .system)
            let window = layout.rotation.seconds
            var most = 0
            // Windows all over a day and a year: both changes of the clock are among them.
            for day in stride(from: Int64(0), to: 400, by: 5) {
                let begin = (1_767_225_600 + day * (86_400 + window)) / window * window
                var (at, found) = (UnixSeconds(begin - window - 48 * 3600), 0)
                while at.value < begin + 2 * window + 300 {
                    at = plan.calendar.period(period, containing: at).end
                    found += 1
                }
                most = max(most, found)
            }
            let told = layout.periodsOfIdentifier
            #expect(most <= told && told <= most + 1, "\(rotation): \(most) of \(told)")
            if zone == "UTC", period <= .day { #expect(most == told, "\(rotation): \(most) of \(told)") }
        }
    }
}
