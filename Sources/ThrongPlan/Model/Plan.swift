/// A plan of what one app may count: the only way that anything comes to be counted.
///
/// A plan is read from YAML by ``Plan/init(yaml:file:today:)`` and is valid by construction: every name that it uses
/// exists, every metric has an owner and an expiry date, every cube fits its limit.
package struct Plan: Sendable, Hashable {
    /// The version of the format of plans, as in the `$id` of `Schema/plan.schema.json`. A valid plan stays valid
    /// within one version, and means the same.
    package static let format = 1

    /// The app that counts, and the size of its audience.
    package internal(set) var app: App
    /// The purposes that things are counted for, in the plan's order.
    package internal(set) var purposes: [Purpose]
    /// The dimensions that fields are coarsened to, in the plan's order.
    package internal(set) var dimensions: [Dimension]
    /// Coarser dimensions that are made of the buckets of others, in the plan's order.
    package internal(set) var derivedDimensions: [DerivedDimension]
    /// The metrics that are counted, in the plan's order.
    package internal(set) var metrics: [Metric]
    /// The insights that may be asked of released numbers, in the plan's order.
    package internal(set) var insights: [Insight]
    /// The reports that are sent, to whom and when, in the plan's order.
    package internal(set) var reports: [Report]
    /// The partners who receive reports, in the plan's order.
    package let partners: [Partner]
    /// The version of the text that this plan was read from.
    package let version: PlanVersion
    /// The places at which the plan's parts are written, for advice that points at lines.
    package let places: PlanPlaces
    /// The texts for people that are there in several languages.
    package internal(set) var translations: PlanTranslations

    package init(
        app: App,
        purposes: [Purpose],
        dimensions: [Dimension],
        derivedDimensions: [DerivedDimension] = [],
        metrics: [Metric],
        insights: [Insight],
        reports: [Report],
        partners: [Partner],
        version: PlanVersion,
        places: PlanPlaces = PlanPlaces(file: "the plan"),
        translations: PlanTranslations = PlanTranslations()
    ) {
        self.app = app
        self.purposes = purposes
        self.dimensions = dimensions
        self.derivedDimensions = derivedDimensions
        self.metrics = metrics
        self.insights = insights
        self.reports = reports
        self.partners = partners
        self.version = version
        self.places = places
        self.translations = translations
    }

    /// The purpose of that name, if the plan has one.
    package func purpose(_ name: PurposeName) -> Purpose? { purposes.first { $0.name == name } }
    /// The dimension of that name that is made from a field, if the plan has one.
    package func dimension(_ name: DimensionName) -> Dimension? { dimensions.first { $0.name == name } }
    /// The dimension of that name that is made of another's buckets, if the plan has one.
    package func derivedDimension(_ name: DimensionName) -> DerivedDimension? {
        derivedDimensions.first { $0.name == name }
    }
    /// The metric of that name, if the plan has one.
    package func metric(_ name: MetricName) -> Metric? { metrics.first { $0.name == name } }
    /// The insight of that name, if the plan has one.
    package func insight(_ name: InsightName) -> Insight? { insights.first { $0.name == name } }
    /// The report of that name, if the plan has one.
    package func report(_ name: ReportName) -> Report? { reports.first { $0.name == name } }
    /// The partner of that name, if the plan has one.
    package func partner(_ name: PartnerName) -> Partner? { partners.first { $0.name == name } }
}

/// The SHA-256 of a plan's text: two plans with one version are the same text.
package struct PlanVersion: Hashable, Sendable, Codable {
    /// 64 lower-case hexadecimal digits.
    package let hex: String
    /// Wraps a digest already in hexadecimal.
    package init(hex: String) { self.hex = hex }
}
