package import ThrongWire

extension BucketingRule {
    /// The buckets that the rule leads to, which need no user agent rules: plans can be read where these are missing.
    ///
    /// - Throws: ``BucketingProblem`` where the rule can't be compiled for a reason of its own.
    package func labels() throws(BucketingProblem) -> [BucketLabel] {
        try compiled { part, families throws(BucketingProblem) in
            try LabelBucketing(UserAgentBucketing.table(part, families).labels)
        }.labels
    }
}
