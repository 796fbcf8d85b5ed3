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

    /// The buckets that the rule leads to, which need no user agent rules: plans can be read where these are missing.
    ///
    /// - Throws: ``BucketingProblem`` where the rule can't be compiled for a reason of its own.
    package func labels() throws(BucketingProblem) -> [BucketLabel] {
        try compiled { part, families throws(BucketingProblem) in
            try LabelBucketing(UserAgentBucketing.table(part, families).labels)
        }.labels
    }
}
