import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("Nothing is counted under a version of a purpose that nobody agreed to")
struct ConsentVersionTests {
    private static let now = UnixSeconds(1_795_176_000)

    private static func intake(_ consent: String) throws -> Intake {
        let plan = try Plan(
            yaml: """
                app:
                  {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, threshold: 50,
                  directed_to: mixed}
                purposes:
                  product:
                    {explanation: To see., use: product, \(consent), rotation: 15 minutes, retention: 30 days}
                metrics:
                  views: {title: Views, events: [view], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, period: day}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        return try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
    }

    private static func read(
        _ version: Int?, under consent: String, use: IntakeUse = .counting, signals: Set<OptOutSignal> = []
    ) throws -> IntakeOutcome {
        var body =
            #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"id":"a","#
            + (version.map { #""consent_version":\#($0),"# } ?? "")
            + #""events":[{"event":"view","at":"2026-11-20T11:59:00Z"},{"event":"buy","at":"2026-11-20T11:59:00Z"}]}"#
        let intake = try intake(consent)
        return try body.withUTF8 { try intake.read($0, signals: signals, now: now, use: use) }
    }

    @Test(
        "a batch counts under the plan's version and later ones; without one it is of the first",
        arguments: [
            ("consent: parent", 1), ("consent: parent, consent_version: 1", 1),
            ("consent: parent, consent_version: 2", 2), ("consent: parent, consent_version: 7", 7),
            ("refused_by: [age_signal], consent: required, consent_version: 2", 2), ("consent: not_required", 1),
        ])
    func versions(consent: String, least: Int) throws {
        for version in [nil, 1, 2, 3, 6, 7, 8] as [Int?] {
            let isCounted = (version ?? 1) >= least
            switch try Self.read(version, under: consent) {
            case .batch: #expect(isCounted, "\(version ?? 0) under \(consent)")
            case .consentOutdated(let answer, let app):
                #expect(!isCounted, "\(version ?? 0) under \(consent)")
                #expect(app == "shop" && answer.accepted == 0 && answer.refused.map(\.index) == [0, 1])
                #expect(answer.refused.allSatisfy { $0.reason == .consentOutdated })
            case .optedOut, .keptApart: Issue.record("nobody opts out here, and nothing is a test")
            }
        }
    }

    @Test("who only asks what would be counted has to agree to nothing, unless they say what they agreed to")
    func preview() throws {
        let consent = "consent: parent, consent_version: 2"
        guard case .batch = try Self.read(nil, under: consent, use: .preview) else { throw Unexpected() }
        guard case .consentOutdated = try Self.read(1, under: consent, use: .preview) else { throw Unexpected() }
    }

    @Test("an opt-out signal comes first: it takes back, and an old agreement does not")
    func optOut() throws {
        let consent = "consent: required, consent_version: 2, refused_by: [global_privacy_control, age_signal]"
        guard case .optedOut = try Self.read(1, under: consent, signals: [.globalPrivacyControl]) else {
            throw Unexpected()
        }
    }

    private struct Unexpected: Error {}
}
