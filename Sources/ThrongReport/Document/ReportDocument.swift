public import ThrongPlan
public import ThrongRelease

/// What one partner is told about one period: a pure value, the same for every format.
public struct ReportDocument: Sendable, Hashable {
    /// The report's name.
    public let name: ReportName
    /// Its heading.
    public let title: String
    /// A paragraph for the reader, if the plan has one.
    public let explanation: String?
    /// Who receives it.
    public let partner: Partner
    /// Whose crowd it is about.
    public let app: App
    /// What it covers.
    public let period: Period
    /// The period as file names and tables have it: `2026-11-21`, `2026-W47`.
    public let periodLabel: String
    /// The period in words: "Saturday, 21 November 2026".
    public let periodTitle: String
    /// The plan in force.
    public let plan: PlanVersion
    /// The releases that it was made from, by metric.
    public let sources: [Source]
    /// What it says, in reading order.
    public let answers: [InsightAnswer]

    /// A release that a report was made from.
    public struct Source: Sendable, Hashable {
        /// What was released.
        public let metric: MetricName
        /// What people call it.
        public let title: String
        /// The release's digest.
        public let digest: ReleaseDigest
        /// How many devices each of its numbers stands for.
        public let threshold: Threshold
    }

    /// Makes a report's document from the releases of its period; releases of other periods or apps are not read.
    ///
    /// Where a metric was laid out anew within the period, the release of the given plan is read.
    public init(plan: Plan, report: Report, period: Period, releases: [Release]) {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let ours = releases.filter { $0.header.layout.app == plan.app.name && $0.header.period == period }
        func release(_ metric: MetricName) -> Release? {
            let candidates = ours.filter { $0.header.layout.metric == metric }
            return candidates.first { $0.header.plan == plan.version } ?? candidates.first
        }
        let insights = report.insights.compactMap { plan.insight($0) }
        name = report.name
        title = report.title
        explanation = report.explanation
        partner = plan.partner(report.partner) ?? Partner(name: report.partner, title: report.partner.text, contact: "")
        app = plan.app
        self.period = period
        periodLabel = calendar.label(of: period)
        periodTitle = calendar.title(of: period)
        self.plan = plan.version
        sources = Set(insights.map(\.metric)).sorted().compactMap { metric in
            release(metric).map {
                Source(
                    metric: metric,
                    title: plan.metric(metric)?.title ?? metric.text,
                    digest: $0.digest,
                    threshold: $0.header.threshold)
            }
        }
        answers = insights.map { InsightAnswer(to: $0, plan: plan, release: release($0.metric)) }
    }
}
