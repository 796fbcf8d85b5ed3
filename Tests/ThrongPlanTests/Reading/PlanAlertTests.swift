import Testing

@testable import ThrongPlan

@Suite("An alert is about one number of its report")
struct PlanAlertTests {
    private static let yaml = SamplePlan.small.replacing("    by: [os]\n", with: "")

    private static func plan(_ alert: String) throws -> Plan {
        let text = yaml.replacing(
            "    deliver: [{folder: out}]", with: "    deliver: [{folder: out}]\n    alert: \(alert)")
        return try Plan(yaml: text, file: "small.yaml", today: SamplePlan.today)
    }

    private static func problems(_ alert: String) throws -> [String] {
        do {
            _ = try plan(alert)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { $0.description.replacing("small.yaml:", with: "") }
        }
    }

    @Test("its bounds are read, and what is usual is that of the same weekday, or of the periods before")
    func read() throws {
        let alert = try #require(
            try Self.plan("{insight: by_system, below: 10, above: 20.5, unusual: true}").reports[0].alert)
        #expect(alert == Alert(insight: "by_system", below: 10, above: 20.5, isUnusual: true))
        let berlin = try #require(PeriodCalendar(timeZone: "Europe/Berlin"))
        func labels(_ kind: PeriodKind, _ instant: Int64) -> [String] {
            alert.periods(before: berlin.period(kind, containing: UnixSeconds(instant)), in: berlin).map {
                berlin.label(of: $0)
            }
        }
        // Saturday, 21 November 2026, noon.
        let days = labels(.day, 1_795_258_800)
        #expect(days.count == Alert.usual && days.first == "2026-11-14" && days.last == "2026-09-26")
        // The clock was set back on 25 October.
        #expect(labels(.hour, 1_795_258_800).last == "2026-09-26T12:00")
        #expect(labels(.week, 1_795_258_800).suffix(1) == ["2026-W39"])
        #expect(
            try #require(try Self.plan("{insight: by_system, below: 1}").reports[0].alert)
                .periods(before: berlin.period(.day, containing: UnixSeconds(0)), in: berlin).isEmpty)
    }

    @Test(
        "what can't be one is refused where it stands, with what would do",
        arguments: [
            (
                "{insight: by_system}",
                "55:12: report 'daily': 'alert': one of 'below: NUMBER', 'above: NUMBER' and 'unusual: true' is needed"
            ),
            (
                "{insight: by_system, unusual: false}",
                "55:12: report 'daily': 'alert': one of 'below: NUMBER', 'above: NUMBER' and 'unusual: true' is needed"
            ),
            (
                "{insight: by_system, below: 5, above: 5}",
                "55:50: report 'daily': 'alert': 'above': an alert 'below' 5 needs an 'above' that is larger"
            ),
        ])
    func refused(alert: String, problem: String) throws { #expect(try Self.problems(alert) == [problem]) }

    @Test("an insight of several numbers, and one that the report does not have, is refused")
    func insights() throws {
        #expect(
            try SamplePlan.problems(
                "    deliver: [{folder: out}]",
                "    deliver: [{folder: out}]\n    alert: {insight: by_system, below: 5}") == [
                    """
                    56:22: report 'daily': 'alert': 'insight': insight 'by_system' has no single number; use a count, reach, mean, or \
                    share with a 'part', without 'by'
                    """
                ])
        let other = Self.yaml.replacing(
            "partners:", with: "  other: {title: Other, metric: views, kind: count}\npartners:"
        )
        .replacing(
            "    deliver: [{folder: out}]", with: "    deliver: [{folder: out}]\n    alert: {insight: other, below: 5}")
        #expect(throws: PlanProblems.self) { try Plan(yaml: other, file: "small.yaml", today: SamplePlan.today) }
    }

    @Test("what happened on a day is read, and a day that there is none is refused")
    func annotations() throws {
        func plan(_ date: String) throws -> Plan {
            try Plan(
                yaml: Self.yaml + "\nannotations:\n  checkout: {date: \(date), text: New checkout}", file: "small.yaml",
                today: SamplePlan.today)
        }
        let date = try #require(CalendarDate("2026-11-20"))
        #expect(try plan("2026-11-20").annotations == [Annotation(name: "checkout", date: date, text: "New checkout")])
        #expect(throws: PlanProblems.self) { try plan("2026-11-31") }
    }
}
