import Foundation
import Testing

@testable import ThrongPlan

@Suite("Children: what counts them is held to stricter terms, and says so")
struct PlanChildrenTests {
    static let base = """
        app: {name: play, title: Play, owner: Team, contact: a@example.com, audience: 9000, threshold: 50, directed_to: children}
        purposes:
          product: {explanation: To see., use: product, consent: parent, rotation: 1 hour, retention: 100 days}
        dimensions:
          level: {title: Level, field: level, bands: [5, 10]}
          word: {title: Word, field: word, revealed: {most: 10}}
        metrics:
          levels:
            title: Levels
            events: [level_done]
            question: Which?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: product
            dimensions: [level]
            period: day
            measures: {reach: true}
        """
    private static let toMixed: [(String, String)] = [("directed_to: children", "directed_to: mixed")]

    private static func plan(_ changes: [(String, String)] = []) throws -> Plan {
        var text = base
        for (old, new) in changes {
            try #require(text.contains(old), "the plan has no \(old)")
            text = text.replacing(old, with: new)
        }
        return try Plan(yaml: text, file: "play.yaml", today: SamplePlan.today)
    }

    private static func problems(_ changes: [(String, String)]) throws -> [String] {
        do {
            _ = try plan(changes)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { $0.description.replacing("play.yaml:", with: "") }
        }
    }

    @Test("a plan that keeps to the terms is valid, for children and for a mixed audience")
    func valid() throws {
        let plan = try Self.plan()
        #expect(plan.app.directedTo == .children && plan.countsChildren(plan.purposes[0]))
        #expect(plan.purposes[0].needsConsent && plan.purposes[0].needsParent)
        #expect(try Self.plan(Self.toMixed).app.directedTo == .mixed)
        #expect(try SamplePlan.shop().app.directedTo == .general)
    }

    static let slips: [Slip] = [
        Slip(
            "threshold: 50, ", "threshold: 49, ",
            "1:96: app: 'threshold' is 49 devices; at least 50 are needed in an app that is directed to children"
        ),
        Slip(
            "threshold: 50, ", "",
            "1:98: app: 'threshold' is 20 devices; at least 50 are needed in an app that is directed to children"
        ),
        Slip(
            "use: product, ", "",
            """
            3:3: purpose 'product': it counts children and does not say what for; add 'use', which may be product, \
            performance, security, research
            """
        ),
        Slip(
            "use: product", "use: marketing",
            "3:3: purpose 'product': 'use' is marketing, for which children are not counted"
        ),
        Slip(
            "consent: parent", "consent: required",
            """
            3:3: purpose 'product': 'consent' is required, but a child can't give it alone; write 'consent: parent', or \
            not_required where nobody has to be asked
            """
        ),
        Slip(
            "consent: parent", "consent: parent, refused_by: [age_signal]",
            """
            3:3: purpose 'product': 'refused_by' has age_signal, which would refuse everybody in an app that is directed to \
            children; leave it out, or write 'directed_to: mixed'
            """
        ),
        Slip(
            "rotation: 1 hour", "rotation: 2 hours",
            "3:3: purpose 'product': 'rotation' is 2 hours; at most 1 hour is allowed where children are counted"
        ),
        Slip(
            "dimensions: [level]", "dimensions: [level, word]",
            """
            8:3: metric 'levels': 'word' learns values that nobody has listed, which is not allowed where children are \
            counted; leave it out
            """
        ),
        Slip(
            "reach: true", "reach: client",
            """
            8:3: metric 'levels': with 'reach: client' a device is known again after a launch, which is not allowed where \
            children are counted; write 'reach: true'
            """
        ),
    ]

    @Test("each slip is one problem that says what is allowed", arguments: slips)
    func refused(slip: Slip) throws {
        #expect(try Self.problems([(slip.old, slip.new)]) == [slip.problem])
    }

    @Test(
        "for a mixed audience each slip has another way out: a purpose that age_signal refuses",
        arguments: slips)
    func otherWay(slip: Slip) throws {
        guard !slip.new.contains("age_signal") else { return }
        let found = try Self.problems(Self.toMixed + [(slip.old, slip.new)])
        #expect(found.count == 1 && found[0].hasSuffix(", or give the purpose 'refused_by: [age_signal]'"))
        let adults = [("rotation:", "refused_by: [age_signal], rotation:")]
        let isParent = slip.old != "consent: parent"
        let changed =
            Self.toMixed + [(slip.old, slip.new)] + adults
            + (isParent ? [("consent: parent", "consent: required")] : [])
        #expect(try Self.problems(changed).isEmpty)
    }

    @Test("answers of devices, which need a memory beyond a launch, are refused")
    func answered() throws {
        let asking = [
            ("  word:", "  week: {title: Week, field: week, list: [0, 1]}\n  word:"),
            (
                "metrics:\n",
                """
                metrics:
                  back:
                    title: Back
                    events: [back]
                    question: Do they?
                    decision: That.
                    owner: Team
                    expires: 2027-06-30
                    purpose: product
                    dimensions: [week]
                    period: week
                    answered: {retention: {of: [level_done], weeks: 1}}

                """
            ),
        ]
        #expect(
            try Self.problems(asking) == [
                """
                9:3: metric 'back': with 'answered' a device is known again after a launch, which is not allowed where \
                children are counted; leave the metric out
                """
            ])
    }

    @Test("a parent is asked only where children may be counted")
    func parents() throws {
        #expect(
            try Self.problems([("directed_to: children", "directed_to: general")]) == [
                """
                3:3: purpose 'product': 'consent' is parent, but the app is not directed to children; write 'consent: \
                required', or give the app 'directed_to: children' or mixed
                """
            ])
        #expect(
            try Self.problems(Self.toMixed + [("rotation:", "refused_by: [age_signal], rotation:")]) == [
                """
                3:3: purpose 'product': 'consent' is parent, but children are not counted, as 'refused_by' has age_signal; \
                write 'consent: required'
                """
            ])
    }

    @Test("the label and the public document say so, and nothing of it where an app is for everybody")
    func published() throws {
        let label = try Self.plan().privacyLabel(today: SamplePlan.today).replacing(/\n */, with: " ")
        #expect(label.contains("Play is made for children: nothing is counted for marketing"))
        #expect(label.contains("A parent is asked first.") && label.contains("Used for: making the app better."))
        let mixed = try Self.plan(Self.toMixed).privacyLabel(today: SamplePlan.today).replacing(/\n */, with: " ")
        #expect(mixed.contains("Until it is known that you are grown up you are taken for a child"))
        #expect(
            mixed.contains("You are asked first; for a child, a parent is.")
                && mixed.contains("Children are counted, too."))
        let document = String(decoding: try Self.plan().publicDocument(), as: UTF8.self)
        #expect(document.contains("\"directed_to\":\"children\"") && document.contains("\"consent_of_parent\":true"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.decode(PublicPlan.self, from: Data(document.utf8)) == (try Self.plan().publicPlan()))
        let shop = String(decoding: try SamplePlan.shop().publicDocument(), as: UTF8.self)
        for word in ["directed_to", "consent_of_parent", "\"use\""] { #expect(!shop.contains(word)) }
    }

    @Test("nobody is advised to rotate more slowly than children allow")
    func advice() throws {
        let advice = try Self.plan().lint(today: SamplePlan.today).map(\.message)
        #expect(advice.contains { $0.hasPrefix("purpose 'product' rotates its identifiers every 1 hour") })
        #expect(!advice.contains { $0.contains("a rotation of 1 day shows more") })
    }

    private static func kinds(_ old: [(String, String)], _ new: [(String, String)]) throws -> Set<PlanChange.Kind> {
        try PlanDiff(from: plan(old), to: plan(new), rules: .system).kinds
    }

    @Test("fewer terms for children widen and ask again, more of them tighten")
    func changes() throws {
        let general = [("directed_to: children", "directed_to: general"), ("consent: parent", "consent: required")]
        let open = [("consent: parent", "consent: not_required")]
        #expect(try Self.kinds([], general) == [.widens, .unasked])
        #expect(try Self.kinds(general, []) == [.tightens, .asks], "no parent has been asked yet")
        #expect(try Self.kinds([], Self.toMixed) == [.widens])
        #expect(try Self.kinds(Self.toMixed, []) == [.tightens])
        #expect(try Self.kinds([], open) == [.widens])
        #expect(try Self.kinds(open, []) == [.tightens, .asks])
        let adults = Self.toMixed + [("consent: parent", "consent: required, refused_by: [age_signal]")]
        #expect(
            try Self.kinds(adults, Self.toMixed) == [.widens, .tightens, .unasked, .asks],
            "children come, and parents are asked")
        #expect(try Self.kinds([], [("use: product", "use: security")]) == [.widens, .unasked])
        let selling =
            Self.toMixed + [
                ("use: product, consent: parent", "use: marketing, consent: required, refused_by: [age_signal]")
            ]
        #expect(try Self.kinds(selling, adults) == [.tightens])
    }

    @Test(
        "who is not known to be grown up is not among a purpose's people")
    func people() throws {
        let adults = CountedEvents(
            names: ["a"], audience: .terms(needsConsent: false, refusedBy: [.ageSignal]))
        let all = CountedEvents(names: ["a"], audience: .terms(needsConsent: false, refusedBy: []))
        let agreeing = CountedEvents(names: ["a"], audience: .terms(needsConsent: true, refusedBy: []))
        func clients(_ counted: CountedEvents) throws -> Set<CountedEvents.Client> {
            Set(try #require(counted.kinds).map(\.client))
        }
        #expect(try clients(adults).isStrictSubset(of: clients(all)))
        #expect(try !clients(agreeing).isSubset(of: clients(adults)), "some agree and are children")
    }
}
