import Testing

@testable import ThrongPlan

@Suite("A public report is for everybody, and everything that is said of recipients says so")
struct PlanPublicReportTests {
    private static func yaml(_ terms: String) -> String {
        SamplePlan.small.replacing(
            "    partner: bank\n    insights: [by_system]\n    period: day\n    schedule: 0 6 * * *\n    deliver: [{folder: out}]",
            with: "    \(terms)\n    insights: [by_system]\n    period: day\n    schedule: 0 6 * * *")
    }

    private static func plan(_ terms: String = "public: true") throws -> Plan {
        try Plan(yaml: yaml(terms), file: "small.yaml", today: SamplePlan.today)
    }

    private static func problems(_ yaml: String) -> [String] {
        do {
            _ = try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
            return []
        } catch { return error.all.map(\.message) }
    }

    @Test("it has everybody for its partner, needs no delivery, and is drawn unless it names formats")
    func reading() throws {
        let plan = try Self.plan()
        let report = try #require(plan.reports.first)
        #expect(report.partner == Partner.everybody && report.publicity == .listed && report.deliveries.isEmpty)
        #expect(report.formats == [.html, .csv, .json, .svg])
        #expect(plan.partners.map(\.isEverybody) == [false, true])
        #expect(try Self.plan("public: unlisted").reports[0].publicity == .unlisted)
        #expect(try Self.plan("public: true\n    formats: [json]").reports[0].formats == [.json])
        let usual = try Plan(yaml: SamplePlan.small, file: "small.yaml", today: SamplePlan.today)
        #expect(usual.reports[0].publicity == nil && !usual.partners.contains(where: \.isEverybody))
    }

    @Test("it has no partner beside, a report without either is refused, and nobody else is called public")
    func refused() {
        func says(_ yaml: String, _ words: String) -> Bool { Self.problems(yaml).contains { $0.contains(words) } }
        #expect(says(Self.yaml("public: true\n    partner: bank"), "keep one of 'partner' and 'public'"))
        #expect(says(Self.yaml("language: de"), "'partner' is missing; add it, or 'public: true' for everybody"))
        #expect(says(Self.yaml("public: false"), "allowed: true, unlisted"))
        #expect(says(SamplePlan.small.replacing("bank:", with: "public:"), "partner 'public' is everybody"))
        #expect(says(Self.yaml("partner: bank"), "has a schedule and no 'deliver'"))
    }

    @Test("label, public plan, record and assessment say everybody, in the reader's language")
    func told() throws {
        let plan = try Self.plan()
        let label = plan.label(today: SamplePlan.today)
        #expect(label.recipients.map(\.title).contains("Everybody"))
        #expect(label.recipients.first { $0.title == "Everybody" }?.insights == ["By system"])
        let german = plan.translated(into: Language.german.tag)
        #expect(german.label(today: SamplePlan.today, in: .german).recipients.map(\.title).contains("Alle"))
        #expect(german.partner(Partner.everybody)?.title == "Alle")
        #expect(try plan.publicPlan().recipients.map(\.title) == ["Bank", "Everybody"])
        let record = ProcessingRecord(of: plan).markdown
        #expect(record.contains("### Everybody") && !record.contains("### Partner Everybody"))
        let risk = try #require(PrivacyRisk.all(of: plan).first { $0.kind == .partners })
        #expect(risk.reason.contains("Everybody may read 'Daily'"))
    }

    @Test("whoever edits the plan hears that everybody reads it, and terms of numbers name everybody")
    func edits() throws {
        let usual = try Plan(yaml: SamplePlan.small, file: "small.yaml", today: SamplePlan.today)
        let plan = try Self.plan()
        func changes(_ old: Plan, _ new: Plan) throws -> [PlanChange] {
            try PlanDiff(from: old, to: new, rules: .system).changes
        }
        #expect(try changes(usual, plan).contains { $0.kind == .widens && $0.subject == "everybody" })
        #expect(try changes(plan, usual).contains { $0.kind == .tightens && $0.subject == "everybody" })
        #expect(try changes(plan, Self.plan("public: unlisted")).map(\.kind) == [.runs])
        #expect(plan.recipients(of: "views") == [Partner.everybody])
        #expect(plan.firstLines(now: UnixSeconds(1_795_219_200)).contains { $0.contains("everybody reads it") })
    }
}
