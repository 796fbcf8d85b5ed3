import Testing
import ThrongPlan

@Suite("A fingerprint tells bucketings apart")
struct FingerprintTests {
    @Test("no two rules have one fingerprint")
    func distinct() {
        let rules = Set(SampleRules.all)
        #expect(Set(rules.map { $0.fingerprint(rules: .system) }).count == rules.count)
    }

    @Test("rules with the same labels and other values differ")
    func sameLabels() {
        func print(_ groups: BucketGroup...) -> String { BucketingRule.list(groups).fingerprint(rules: .system) }
        let first = print(BucketGroup(label: "a", values: ["x", "y"]))
        #expect(first != print(BucketGroup(label: "a", values: ["xy"])))
        #expect(first != print(BucketGroup(label: "a", values: ["y", "x"])))
        #expect(first != print(BucketGroup(label: "a", values: ["x"]), BucketGroup(label: "y", values: [])))
    }

    @Test("a fingerprint stays the same from run to run")
    func stable() {
        #expect(BucketingRule.memoryBands.fingerprint(rules: .system) == "bands 2 be59aa91d31adb3b")
        #expect(
            BucketingRule.bands(edges: [0, 1]).fingerprint(rules: .system)
                == BucketingRule.bands(edges: [-0.0, 1]).fingerprint(rules: .system))
    }

    @Test("only the kinds that look at user agents depend on the user agent rules")
    func rulesVersion() {
        let none = UserAgentRules(path: "/nonexistent/regexes.yaml")
        #expect(
            BucketingRule.deviceClass.fingerprint(rules: none) != BucketingRule.deviceClass.fingerprint(rules: .system))
        #expect(BucketingRule.fileType.fingerprint(rules: none) == BucketingRule.fileType.fingerprint(rules: .system))
    }
}
