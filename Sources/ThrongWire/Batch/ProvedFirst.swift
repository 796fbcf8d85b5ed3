/// A device's statement that it is in a cell of a metric in a period, made once: the body of `POST /v1/firsts`.
///
/// The daemon reads the bytes in place (`ThrongIngest`).
public struct ProvedFirst: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: AppName
    /// The metric's name in the plan.
    public let metric: MetricName
    /// The period's length.
    public let period: PeriodKind
    /// The period's first second.
    public let start: UnixSeconds
    /// A bucket for each dimension of a grouping of the public plan's `proved_firsts`, and for each of its `partition`.
    public let cell: [DimensionName: BucketLabel]
    /// The presentation of a credential in the context of the cell: 390 characters of base64url.
    public let proof: String

    package init(app: AppName, metric: MetricName, period: Period, cell: [DimensionName: BucketLabel], proof: String) {
        (self.app, self.metric, self.period) = (app, metric, period.kind)
        start = period.start
        self.cell = cell
        self.proof = proof
    }

    private enum CodingKeys: String, CodingKey { case app, metric, period, start, cell, proof }

    /// Writes names as the members of an object, not as a list.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(app, forKey: .app)
        try members.encode(metric, forKey: .metric)
        try members.encode(period, forKey: .period)
        try members.encode(start, forKey: .start)
        try members.encode(Dictionary(uniqueKeysWithValues: cell.map { ($0.text, $1.text) }), forKey: .cell)
        try members.encode(proof, forKey: .proof)
    }

    /// Reads what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        app = try members.decode(AppName.self, forKey: .app)
        metric = try members.decode(MetricName.self, forKey: .metric)
        period = try members.decode(PeriodKind.self, forKey: .period)
        start = try members.decode(UnixSeconds.self, forKey: .start)
        let cell = try members.decode([String: String].self, forKey: .cell)
        self.cell = Dictionary(uniqueKeysWithValues: cell.map { (DimensionName($0), BucketLabel($1)) })
        proof = try members.decode(String.self, forKey: .proof)
    }
}
