package import ThrongWire

extension BucketingRule {
    /// The bucketing that this rule declares, as tables, with user agents read by rules.
    ///
    /// - Parameter rules: read only by the kinds that look at user agents.
    /// - Throws: ``BucketingProblem``.
    package func compiled(rules: UserAgentRules) throws(BucketingProblem) -> any Bucketing {
        try compiled { part, families throws(BucketingProblem) in
            try UserAgentBucketing(part, families: families, rules: rules)
        }
    }
}
