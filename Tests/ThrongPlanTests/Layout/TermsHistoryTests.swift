import Testing

@testable import ThrongPlan

@Suite("What metrics counted is told apart by when it was counted")
struct TermsHistoryTests {
    private static let (start, noon, end) = (UnixSeconds(0), UnixSeconds(43_200), UnixSeconds(86_400))

    private static func version(
        _ metric: MetricName, _ events: Set<EventName>, since: UnixSeconds? = nil, until: UnixSeconds? = nil,
        threshold: Int64 = 20
    ) -> TermsVersion {
        TermsVersion(
            metric: metric, layout: 1, since: since, until: until,
            terms: ReleaseTerms(
                threshold: Threshold(devices: threshold),
                counted: CountedEvents(names: events, audience: .terms(needsConsent: false, refusedBy: []))))
    }

    private static func history(_ versions: [TermsVersion]) -> TermsHistory {
        TermsHistory(versions, from: start, to: end)
    }

    @Test("a metric that ends at noon and one that begins then have nothing in common, and are all of one that goes on")
    func renamed() throws {
        let history = Self.history([
            Self.version("all", ["a"]), Self.version("old", ["a"], until: Self.noon),
            Self.version("new", ["a"], since: Self.noon),
        ])
        let all = try #require(history.counted(by: "all")?.happenings)
        let old = try #require(history.counted(by: "old")?.happenings)
        let new = try #require(history.counted(by: "new")?.happenings)
        #expect(old.isDisjoint(with: new) && old.union(new) == all)
    }

    @Test("an edit while a period waits leaves what was counted on time as it was")
    func late() throws {
        let history = Self.history([
            Self.version("all", ["a"]), Self.version("safe", ["a"], until: Self.end + 60),
            Self.version("safe", ["b"], since: Self.end + 60),
        ])
        let (all, safe) = (try #require(history.counted(by: "all")), try #require(history.counted(by: "safe")))
        #expect(safe.onTime == all.onTime && safe.happenings != all.happenings)
        #expect(safe.names == nil && all.names == ["a"])
        #expect(safe.isTied(to: all))
    }

    @Test("an edit at noon leaves two that overlap almost tied, and others untied")
    func edited() throws {
        let history = Self.history([
            Self.version("all", ["a"]), Self.version("safe", ["a"], until: Self.noon),
            Self.version("safe", ["b"], since: Self.noon), Self.version("else", ["c"]),
        ])
        let (all, safe) = (try #require(history.counted(by: "all")), try #require(history.counted(by: "safe")))
        #expect(safe.isAlmostTied(to: all) && safe.isTied(to: all))
        #expect(try !safe.isTied(to: #require(history.counted(by: "else"))))
    }

    @Test("of several versions the strictest k holds, for the metrics that are asked about")
    func strictest() {
        let history = Self.history([
            Self.version("all", ["a"], until: Self.noon, threshold: 35), Self.version("all", ["a"], since: Self.noon),
            Self.version("else", ["c"], threshold: 50),
        ])
        #expect(history.strictest(of: ["all"])?.threshold == Threshold(devices: 35))
        #expect(history.strictest(of: ["none"]) == nil)
    }
}
