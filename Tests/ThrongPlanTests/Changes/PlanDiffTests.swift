import Testing

@testable import ThrongPlan

@Suite("Promise 6: every change of a plan says what it does to counters, to promises, to consent and to partners")
struct PlanDiffTests {
    private static let base = """
        app: {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, threshold: 20, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 300 days}
          agreed: {explanation: To sell., consent: required, refused_by: [do_not_track], rotation: 1 hour, retention: 60 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android, windows], partitions: devices}
          platform: {title: Platform, of: os, groups: {mobile: [ios, android]}}
          age: {title: Age, field: age, bands: [10, 20, 30]}
        metrics:
          views:
            title: Views
            events: [view]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: product
            dimensions: [os, age]
            period: day
            measures: {reach: true, sums: {spent: {field: amount, from: 0, to: 100, decimals: 1}}}
            margins: [[os], [platform]]
            decay: [{after: 30 days, drop: age}]
          orders:
            title: Orders
            events: [order]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: agreed
            dimensions: [os]
            period: hour
            threshold: 30
            measures: {histogram: {name: value, field: amount, edges: [10, 20]}}
            sampling: 0.5
          drawn:
            title: Drawn
            events: [draw]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: product
            period: day
            answered: {frequency: {of: [view], per: week, bands: [2]}}
            dimensions: [often]
        insights:
          by_os: {title: By system, metric: views, kind: count, by: [os]}
        partners:
          bank: {title: Bank, contact: bank@example.com}
          paper: {title: Paper, contact: paper@example.com}
        reports:
          daily: {title: Daily, partner: bank, insights: [by_os], period: day, schedule: 0 6 * * *, deliver: [{folder: out}]}
        """
        .replacing(
            "  age: {title: Age, field: age, bands: [10, 20, 30]}",
            with:
                "  age: {title: Age, field: age, bands: [10, 20, 30]}\n  often: {title: Often, field: events, bands: [2]}"
        )

    private static func plan(_ changes: [(String, String)] = []) throws -> Plan {
        var text = base
        for (old, new) in changes {
            try #require(text.contains(old), "the plan has no \(old)")
            text = text.replacing(old, with: new)
        }
        return try Plan(yaml: text, file: "plan.yaml", today: SamplePlan.today)
    }

    /// An edit, and what it has to be called, written before it was tried.
    struct Edit: CustomTestStringConvertible {
        let old: String
        let new: String
        let kinds: Set<PlanChange.Kind>
        var testDescription: String { "\(old) → \(new)" }

        init(_ old: String, _ new: String, _ kinds: PlanChange.Kind...) {
            self.old = old
            self.new = new
            self.kinds = Set(kinds)
        }
    }

    static let edits: [Edit] = [
        // The app.
        Edit("title: Shop", "title: The shop", .words),
        Edit("contact: a@example.com", "contact: b@example.com", .words),
        Edit("audience: 1000", "audience: 5000", .runs),
        Edit("grace: 3 hours", "grace: 6 hours", .runs),
        Edit("grace: 3 hours", "grace: 3 hours, keys: required", .runs),
        Edit("grace: 3 hours", "grace: 3 hours, keys: optional"),
        Edit("explanation: To sell.", "senders: backends, explanation: To sell.", .runs),
        Edit("explanation: To sell.", "senders: anybody, explanation: To sell."),
        Edit("explanation: To see.", "floor_per_network: 5, explanation: To see.", .tightens),
        Edit("threshold: 20,", "threshold: 25,", .tightens),
        Edit("threshold: 20,", "threshold: 10,", .widens),
        Edit("grace: 3 hours", "grace: 3 hours, time_zone: Europe/Vienna", .splits),
        // Purposes.
        Edit("explanation: To see.", "explanation: To see more.", .words),
        Edit("explanation: To sell.", "explanation: To sell more.", .words, .asks),
        Edit("consent: not_required", "consent: required", .tightens, .asks),
        Edit("consent: required", "consent: not_required", .widens),
        Edit("refused_by: [do_not_track], ", "", .widens, .unasked),
        Edit("[do_not_track]", "[do_not_track, global_privacy_control]", .tightens),
        Edit("rotation: 1 hour", "rotation: 1 day", .widens, .splits, .unasked),
        Edit("rotation: 1 hour", "rotation: 15 minutes", .tightens, .splits),
        Edit("retention: 300 days", "retention: 400 days", .widens),
        Edit("retention: 300 days", "retention: 200 days", .tightens),
        Edit("retention: 60 days", "retention: 90 days", .widens, .unasked),
        Edit("retention: 60 days", "retention: 30 days", .tightens),
        Edit(
            "  agreed:", "  other: {explanation: New., consent: not_required, retention: 30 days}\n  agreed:", .widens),
        Edit(
            "  agreed:", "  other: {explanation: New., consent: required, retention: 30 days}\n  agreed:", .widens,
            .asks),
        Edit("explanation: To see.", "use: product, explanation: To see.", .words),
        Edit("explanation: To see.", "use: marketing, explanation: To see.", .widens),
        Edit("consent: not_required", "consent: not_required, legal_basis: contract", .words),
        Edit("[do_not_track]", "[do_not_track, age_signal]", .tightens),
        Edit("consent: required", "consent: required, consent_version: 1"),
        Edit("consent: required", "consent: required, consent_version: 2", .asks),
        Edit("consent: required", "consent: required, consent_version: 3", .asks),
        // Dimensions.
        Edit("title: System", "title: OS", .words),
        Edit("title: Platform", "title: Kind", .words),
        Edit("list: [ios, android, windows]", "list: [ios, android, windows, linux]", .widens, .splits, .unasked),
        Edit(
            "list: [ios, android, windows]", "list: {ios: [ios], android: [android, windows]}", .tightens, .splits),
        Edit("field: os, list", "field: device, list", .widens, .unasked),
        Edit("windows], partitions: devices", "windows]", .runs, .splits),
        Edit("bands: [10, 20, 30]", "bands: [10, 30]", .tightens, .splits),
        Edit("bands: [10, 20, 30]", "bands: [10, 15, 20, 30]", .widens, .splits),
        Edit("bands: [10, 20, 30]", "bands: [12, 24]", .widens, .splits),
        Edit("groups: {mobile: [ios, android]}", "groups: {all: [ios, android, windows]}", .widens, .splits),
        Edit("groups: {mobile: [ios, android]}", "groups: {apple: [ios], google: [android]}", .widens, .splits),
        Edit("  age: {", "  unused: {title: Unused, field: unused, list: [a]}\n  age: {"),
        // Metrics.
        Edit("title: Views", "title: Visits", .words),
        Edit(
            "decision: That.\n    owner: Team\n    expires: 2027-06-30\n    purpose: agreed",
            "decision: This.\n    owner: Team\n    expires: 2027-06-30\n    purpose: agreed", .words),
        Edit(
            "expires: 2027-06-30\n    purpose: product\n    dimensions: [os, age]",
            "expires: 2027-08-30\n    purpose: product\n    dimensions: [os, age]", .widens),
        Edit("expires: 2027-06-30\n    purpose: agreed", "expires: 2027-03-30\n    purpose: agreed", .tightens),
        Edit("events: [view]", "events: [view, tap]", .widens),
        Edit("events: [order]", "events: [order, refund]", .widens, .unasked),
        Edit("events: [order]", "events: [view]", .widens, .tightens, .unasked),
        Edit(
            "dimensions: [os]\n    period: hour", "dimensions: [os, age]\n    period: hour", .widens, .splits, .unasked,
            .tightens),
        Edit("dimensions: [os]\n    period: hour", "period: hour", .tightens, .splits),
        Edit("period: hour", "period: day", .tightens, .splits),
        Edit("period: hour", "period: hour\n    rollups: [day]", .runs),
        Edit("threshold: 30", "threshold: 40", .tightens),
        Edit("threshold: 30", "threshold: 20", .widens, .unasked),
        Edit("threshold: 30", "threshold: 30\n    impossible: [{os: ios, value: <10}]", .runs, .splits),
        Edit("edges: [10, 20]", "edges: [10]", .tightens, .splits),
        Edit("edges: [10, 20]", "edges: [10, 15, 20]", .widens, .splits, .unasked),
        Edit("reach: true, ", "", .tightens),
        Edit("reach: true, ", "reach: client, ", .widens, .splits),
        Edit("to: 100, decimals: 1", "to: 200, decimals: 1", .widens, .splits),
        Edit("to: 100, decimals: 1", "to: 50, decimals: 0", .tightens, .splits),
        Edit(", sums: {spent: {field: amount, from: 0, to: 100, decimals: 1}}", "", .tightens, .splits),
        Edit("sampling: 0.5", "sampling: 1", .widens, .splits, .unasked),
        Edit("sampling: 0.5", "sampling: 0.1", .tightens, .splits),
        Edit("sampling: 0.5", "sampling: 0.5\n    contribution_bound: 5", .tightens, .splits),
        Edit("margins: [[os], [platform]]", "margins: [[os], [platform], [age]]", .widens),
        Edit("margins: [[os], [platform]]", "margins: [[os]]", .tightens, .splits),
        Edit("{after: 30 days, drop: age}", "{after: 60 days, drop: age}", .widens),
        Edit("{after: 30 days, drop: age}", "{after: 20 days, drop: age}", .tightens),
        Edit(
            "{after: 30 days, drop: age}", "{after: 30 days, drop: age}, {after: 40 days, keep: weeks}", .tightens,
            .runs),
        Edit("{after: 30 days, drop: age}", "{after: 30 days, drop: os}", .widens, .tightens),
        Edit("    decay: [{after: 30 days, drop: age}]\n", "", .widens),
        Edit("purpose: agreed\n    dimensions", "purpose: product\n    dimensions", .widens, .splits),
        Edit("  orders:", "  bought:", .splits),
        Edit("per: week, bands: [2]", "per: week, bands: [3]", .widens, .splits),
        // Who receives what.
        Edit("title: Bank", "title: The bank", .words),
        Edit("partner: bank", "partner: paper", .widens, .tightens, .runs),
        Edit("schedule: 0 6 * * *", "schedule: 0 7 * * *", .runs),
        Edit("deliver: [{folder: out}]", "deliver: [{folder: in}]", .runs),
        Edit("title: By system", "title: Per system", .words),
        Edit("kind: count, by: [os]", "kind: reach, by: [os]", .runs),
        Edit(
            "  daily: {", "  other: {title: Other, partner: paper, insights: [by_os], period: day}\n  daily: {",
            .widens,
            .runs),
    ]

    @Test("each of these edits is called what it has to be, and nothing else", arguments: edits)
    func classified(edit: Edit) throws {
        var changes = [(edit.old, edit.new)]
        // The answer's bands are those of its dimension.
        if edit.new.contains("bands: [3]") {
            changes.append(("field: events, bands: [2]", "field: events, bands: [3]"))
        }
        let diff = try PlanDiff(from: Self.plan(), to: Self.plan(changes), rules: .system)
        #expect(diff.kinds == edit.kinds, "\(diff.changes.map { "\($0.kind.rawValue) \($0.subject): \($0.meaning)" })")
        #expect(diff.changes.map(\.kind) == diff.changes.map(\.kind).sorted(), "what asks for most comes first")
        for change in diff.changes { #expect(!change.meaning.isEmpty && !change.subject.isEmpty) }
    }

    @Test("there are sixty edits and more, of every sort")
    func completeness() {
        #expect(Self.edits.count >= 60)
        #expect(Set(Self.edits.flatMap(\.kinds)) == Set(PlanChange.Kind.allCases))
    }

    @Test("of the same plan, and of one whose comments are others, nothing")
    func same() throws {
        #expect(try PlanDiff(from: Self.plan(), to: Self.plan(), rules: .system).changes.isEmpty)
        let commented = try Self.plan([("purposes:", "# Why.\npurposes:")])
        #expect(try PlanDiff(from: Self.plan(), to: commented, rules: .system).changes.isEmpty)
    }

    @Test(
        "a wider purpose says why people are to be asked again, a demand from when on it holds, a new name whose it was"
    )
    func sentences() throws {
        func meanings(_ old: String, _ new: String) throws -> [String] {
            try PlanDiff(from: Self.plan(), to: Self.plan([(old, new)]), rules: .system).changes.map(\.meaning)
        }
        #expect(
            try meanings("retention: 60 days", "retention: 90 days").first
                == """
                people agreed to another one, and clients go on counting them: raise consent_version to 2, so that they are \
                asked again: purpose 'agreed' numbers are kept 90 days instead of 60 days: of what is counted from now on
                """)
        #expect(
            try meanings("threshold: 30", "threshold: 40")
                == [
                    """
                    a number stands for 40 devices instead of 30, at once, also for periods that wait for their release
                    """
                ])
        #expect(
            try meanings("threshold: 20,", "threshold: 10,")
                == [
                    """
                    a number stands for 10 devices instead of 20, from the first period that begins an hour or more after the \
                    daemon starts with this plan
                    """
                ])
        #expect(try meanings("  orders:", "  bought:").contains { $0.hasPrefix("counts what 'orders' counted") })
    }

    private static let second = ("consent: required", "consent: required, consent_version: 2")

    @Test(
        "whatever makes a purpose wider is of the worst class, until consent_version is raised", arguments: edits)
    func raised(edit: Edit) throws {
        guard edit.kinds.contains(.unasked) else { return }
        // The word that an edit of the consent itself looks for is gone.
        let diff = try PlanDiff(
            from: Self.plan(), to: Self.plan([(edit.old, edit.new), Self.second]), rules: .system)
        #expect(diff.kinds == edit.kinds.subtracting([.unasked]).union([.asks]))
        let asks = try #require(diff.changes.first)
        #expect(
            asks.meaning.hasPrefix(
                """
                consent_version is 2 instead of 1: clients ask again, and count nothing of anybody who agreed to an earlier one \
                until they agree: 
                """))
        let once = try PlanDiff(
            from: Self.plan([Self.second]), to: Self.plan([(edit.old, edit.new), Self.second]), rules: .system)
        #expect(once.kinds == edit.kinds, "it was raised for something else")
    }

    @Test("a version only grows")
    func lowered() throws {
        let diff = try PlanDiff(from: Self.plan([Self.second]), to: Self.plan(), rules: .system)
        #expect(diff.changes.map(\.kind) == [.unasked])
        #expect(
            diff.changes.map(\.meaning) == [
                "consent_version is 1 instead of 2, and only grows: write 2, or 3 where people have to be asked again"
            ])
    }
}
