/// A plan of what one app may count: the only way that anything comes to be counted.
///
/// A plan is read from YAML by ``Plan/init(yaml:file:today:)`` and is valid by construction: every name that it uses
/// exists, every metric has an owner and an expiry date, every cube fits its limit.
package struct Plan: Sendable, Hashable {
    /// The version of the format, as in the `$id` of `Schema/plan.schema.json`, within which a plan stays valid.
    package static let format = 1

    package var app: App
    package internal(set) var purposes: [Purpose]
    package internal(set) var dimensions: [Dimension]
    /// Coarser dimensions that are made of the buckets of others, in the plan's order.
    package internal(set) var derivedDimensions: [DerivedDimension] = []
    /// The metrics that are counted, in the plan's order.
    package var metrics: [Metric]
    package internal(set) var insights: [Insight]
    package internal(set) var reports: [Report]
    package let partners: [Partner]
    package let version: PlanVersion
    /// The places at which the plan's parts are written, for advice that points at lines.
    package internal(set) var places: PlanPlaces = PlanPlaces(file: "the plan")
    package internal(set) var translations: PlanTranslations = PlanTranslations()

    package func purpose(_ name: PurposeName) -> Purpose? { purposes.first { $0.name == name } }
    /// The dimension of that name that is made from a field, if the plan has one.
    package func dimension(_ name: DimensionName) -> Dimension? { dimensions.first { $0.name == name } }
    /// The dimension of that name that is made of another's buckets, if the plan has one.
    package func derivedDimension(_ name: DimensionName) -> DerivedDimension? {
        derivedDimensions.first { $0.name == name }
    }
    package func metric(_ name: MetricName) -> Metric? { metrics.first { $0.name == name } }
    package func insight(_ name: InsightName) -> Insight? { insights.first { $0.name == name } }
    package func report(_ name: ReportName) -> Report? { reports.first { $0.name == name } }
    package func partner(_ name: PartnerName) -> Partner? { partners.first { $0.name == name } }
}

/// The SHA-256 of a plan's text: two plans with one version are the same text.
package struct PlanVersion: Hashable, Sendable, Codable {
    package let hex: String
    package init(hex: String) { self.hex = hex }
}
