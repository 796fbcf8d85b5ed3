import TestCluster
import Testing
import ThrongPlan

@testable import ThrongStore

@Suite("What a plan asks of a metric's releases is kept with its layout")
struct LayoutTermsTests {
    private static let terms = ReleaseTerms(
        threshold: Threshold(devices: 50), sensitive: ["step", "platform"], protection: Protection(percent: 25),
        expiry: [
            DecayStep(after: .seconds(30 * 86_400), action: .drop("step")),
            DecayStep(after: .seconds(90 * 86_400), action: .delete),
        ])

    @Test("the last plan's terms are kept, also once plans no longer have the layout")
    func kept() async throws {
        let settings = try await TestCluster.database()
        let (counters, releases) = (CounterStore(settings), ReleaseStore(settings))
        let (layout, other) = (MetricLayout.sample(), MetricLayout.sample(steps: ["other"]))
        #expect(try await releases.terms(of: layout) == nil)
        try await counters.registerLayouts([layout], terms: [layout: ReleaseTerms(threshold: .standard)])
        try await counters.registerLayouts([layout], terms: [layout: Self.terms])
        try await counters.registerLayouts([other])
        #expect(try await releases.terms(of: layout) == Self.terms)
        #expect(try await releases.terms(of: other) == nil, "no plan said so")
    }

    @Test("the stricter of two terms asks for what either asks for")
    func stricter() {
        let other = ReleaseTerms(
            threshold: Threshold(devices: 20), sensitive: ["category"], protection: Protection(percent: 40),
            expiry: [DecayStep(after: .seconds(60 * 86_400), action: .delete)])
        #expect(
            Self.terms.stricter(with: other)
                == ReleaseTerms(
                    threshold: Threshold(devices: 50), sensitive: ["category", "platform", "step"],
                    protection: Protection(percent: 40),
                    expiry: Self.terms.expiry + [DecayStep(after: .seconds(60 * 86_400), action: .delete)]))
    }
}
