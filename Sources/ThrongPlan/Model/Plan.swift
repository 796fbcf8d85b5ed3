// Names, buckets and calendars are words of the wire, which devices speak too. Code that reads plans needs them: one
// import here replaces a second one in every file that looks at a plan.
@_exported public import ThrongWire

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
    /// The partners, and last everybody where a report is public.
    package internal(set) var partners: [Partner]
    package let version: PlanVersion
    /// The places at which the plan's parts are written, for advice that points at lines.
    package internal(set) var places: PlanPlaces = PlanPlaces(file: "the plan")
    package internal(set) var translations: PlanTranslations = PlanTranslations()
    package internal(set) var annotations: [Annotation] = []

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

/// Something that happened on a day, for readers of trends.
package struct Annotation: Sendable, Hashable {
    let name: String
    package let date: CalendarDate
    package internal(set) var text: String
}

/// The SHA-256 of a plan's text: two plans with one version are the same text.
package struct PlanVersion: Hashable, Sendable, Codable {
    package let hex: String
    package init(hex: String) { self.hex = hex }
}

extension Plan {
    /// Returns the same plan for a crowd that is made up: the titles of its app and reports say so, in each language, and
    /// reports go nowhere but to folders within the data directory.
    package func forMadeUpCrowd() -> Plan {
        func marked(_ text: String, _ tag: LanguageTag) -> String { Language(for: [tag]).say(.madeUp, ["title": text]) }
        func warned(_ text: String?, _ tag: LanguageTag) -> String {
            let language = Language(for: [tag])
            return language.joined([language.say(.madeUpWarning), text ?? ""])
        }
        var plan = self
        plan.app.title = marked(app.title, reports.first.map(language) ?? Language.english.tag)
        for (place, report) in reports.enumerated() {
            let tag = language(of: report)
            plan.reports[place].title = marked(report.title, tag)
            plan.reports[place].explanation = warned(report.explanation, tag)
            plan.reports[place].deliveries = [.folder("reports/\(report.partner)")]
        }
        for (place, words) in translations.words {
            let parts = place.split(separator: ".")
            let isTitle = place == "app.title" || parts.first == "reports" && parts.last == "title"
            let isExplanation = parts.first == "reports" && parts.last == "explanation"
            guard isTitle || isExplanation else { continue }
            let texts = words.texts.map { ($0, isTitle ? marked($1, $0) : warned($1, $0)) }
            plan.translations.words[place] = PlanTranslations.Words(
                texts: Dictionary(uniqueKeysWithValues: texts), fallback: words.fallback)
        }
        return plan
    }
}
