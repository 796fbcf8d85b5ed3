import Testing

@testable import ThrongPlan

@Suite("What metrics counted is told apart by when it was counted")
struct TermsHistoryTests {
    private static let (start, noon) = (UnixSeconds(0), UnixSeconds(43_200))

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
        TermsHistory(versions, from: start)
    }

    @Test("a metric that ends at noon and one that begins then have nothing in common, and are all of one that goes on")
    func renamed() throws {
        let history = Self.history([
            Self.version("all", ["a"]), Self.version("old", ["a"], until: Self.noon),
            Self.version("new", ["a"], since: Self.noon),
        ])
        let all = try #require(history.counted(by: "all")?.kinds)
        let old = try #require(history.counted(by: "old")?.kinds)
        let new = try #require(history.counted(by: "new")?.kinds)
        #expect(old.isDisjoint(with: new) && old.union(new) == all)
    }

    @Test("a metric that was edited at noon has two stretches, and overlaps what counted the same in one")
    func edited() throws {
        let history = Self.history([
            Self.version("all", ["a"]), Self.version("safe", ["a"], until: Self.noon),
            Self.version("safe", ["b"], since: Self.noon), Self.version("else", ["c"]),
        ])
        let (all, safe) = (try #require(history.counted(by: "all")), try #require(history.counted(by: "safe")))
        #expect(safe.names == nil && all.names == ["a"])
        #expect(safe.starts == [Self.start, Self.noon])
        #expect(safe.overlaps(all))
        #expect(try !safe.overlaps(#require(history.counted(by: "else"))))
        #expect(Set(history.counted(in: 1)?.kinds?.map(\.event) ?? []) == ["a", "b", "c"])
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
