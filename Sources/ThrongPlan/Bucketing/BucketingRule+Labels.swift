extension BucketingRule {
    /// The buckets that the rule leads to, which need no user agent rules: plans can be read where these are missing.
    ///
    /// - Throws: ``BucketingProblem`` where the rule can't be compiled for a reason of its own.
    public func labels() throws(BucketingProblem) -> [BucketLabel] {
        switch self {
        case .browser(let families): try UserAgentBucketing.table(.browser, families).labels
        case .operatingSystem(let families): try UserAgentBucketing.table(.operatingSystem, families).labels
        case .deviceClass: try UserAgentBucketing.table(.deviceClass, []).labels
        case .list, .bands, .significantFigures, .powers, .version, .screen, .language, .utcOffset, .region, .time,
            .host, .route, .fileType:
            try compiled(rules: .system).labels
        }
    }
}
