extension PlanReader {
    /// `{most: 500}`.
    mutating func revealed(_ node: YAMLNode, _ subject: String) -> BucketingRule? {
        guard let body: PlanBody<PlanKeys.Revealed> = body(of: node, subject, at: node.place) else { return nil }
        return integer(.most, in: body, 1...4095).map { .revealed(most: $0) }
    }

    /// Whether a dimension's buckets are learned while counting goes on, so that a plan can't name them.
    func isRevealed(_ name: DimensionName) -> Bool { dimensions.contains { $0.name == name && $0.isRevealed } }

    /// What is said where a plan would have to name such a bucket.
    static func unknownBuckets(of name: DimensionName) -> String {
        "the buckets of '\(name)' are learned while counting goes on, and no plan can name them; leave it out"
    }
}
