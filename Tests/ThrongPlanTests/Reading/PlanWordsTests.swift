import Testing

@testable import ThrongPlan

@Suite("A plan's words")
struct PlanWordsTests {
    @Test(
        "a duration is a whole number, a space and a unit",
        arguments: [
            ("15 minutes", 900), ("1 day", 86_400), ("24 hours", 86_400), ("400 days", 34_560_000), ("1 second", 1),
            ("2 weeks", 1_209_600), ("0 hours", 0),
        ])
    func durations(text: String, seconds: Int64) {
        #expect(Duration(planText: text) == .seconds(seconds))
    }

    @Test(
        "anything else is no duration",
        arguments: [
            "", "15", "15min", "15  minutes", "-1 day", "1.5 hours", "1 month", "day", "P1D", " 1 day", "1 day ",
            "99999999999999999999 days", "9999999999 weeks", "٣ days",
        ])
    func notDurations(text: String) {
        #expect(Duration(planText: text) == nil)
    }

    @Test(
        "a duration's text reads back as the duration",
        arguments: [0, 1, 59, 60, 3600, 86_400, 90_000, 604_800, 34_560_000])
    func roundTrip(seconds: Int64) {
        #expect(Duration(planText: Duration.seconds(seconds).planText) == .seconds(seconds))
    }

    @Test("the nearest name is a slip away, and no name is nearer than none")
    func nearest() {
        #expect(NearestName.nearest(to: "treshold", among: ["title", "threshold"]) == "threshold")
        #expect(NearestName.nearest(to: "Partner", among: ["partner", "period"]) == "partner")
        #expect(NearestName.nearest(to: "paretner", among: ["partner"]) == "partner")
        #expect(NearestName.nearest(to: "reports", among: ["metrics", "insights"]) == nil)
        #expect(NearestName.nearest(to: "z", among: ["i"]) == nil)
        #expect(NearestName.distance("ca", "ac") == 1)
        #expect(NearestName.distance("", "abc") == 3)
    }
}
