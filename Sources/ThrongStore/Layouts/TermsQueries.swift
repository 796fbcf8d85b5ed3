internal import Foundation
internal import ThrongPlan
internal import ThrongWire

extension Query {
    /// Keeps a plan's terms of a layout's releases; returns when they began, and whether they differ from those before.
    static func holdTerms(
        metric: Int32, since: UnixSeconds?, terms: ReleaseTerms, isEverywhere: Bool
    ) -> RowQuery<(since: UnixSeconds, isEdited: Bool)> {
        var needsConsent: Bool?
        var refusedBy: [String] = []
        if case .terms(let isNeeded, let signals) = terms.counted?.audience {
            needsConsent = isNeeded
            refusedBy = signals.map(\.rawValue).sorted()
        }
        return RowQuery(
            "layout_terms.hold", PackageResources.layout_terms_hold_sql, metric, since, terms.threshold.devices,
            (terms.counted?.names ?? []).map(\.text).sorted().joined(separator: ","), needsConsent,
            refusedBy.joined(separator: ","), terms.origins.json, isEverywhere ? 1 : 0
        ) { ($0, $1) }
    }

    static func retireTerms(kept: [Int32], ended: UnixSeconds) -> Statement {
        Statement("layout_terms.retire", PackageResources.layout_terms_retire_sql, kept, ended)
    }

    static func selectTermsVersions(app: AppName, from: UnixSeconds, to: UnixSeconds) -> RowQuery<TermsVersion> {
        RowQuery("layout_terms.select", PackageResources.layout_terms_select_sql, app, from, to) {
            (
                layout, metric, since, until, devices, events: Set<EventName>, needsConsent: String?,
                signals: [String], purpose: PurposeName, origins: String?
            ) in
            let refusedBy = Set(signals.compactMap { OptOutSignal(rawValue: $0) })
            let audience: CountedEvents.Audience =
                needsConsent.map { .terms(needsConsent: $0 == "true", refusedBy: refusedBy) } ?? .former(purpose)
            return TermsVersion(
                metric: metric, layout: layout, since: since, until: until,
                terms: ReleaseTerms(
                    threshold: Threshold(devices: devices),
                    counted: events.isEmpty ? nil : CountedEvents(names: events, audience: audience),
                    origins: try [DimensionName: DimensionOrigin](json: origins)))
        }
    }

    /// The times between which layouts of a metric were counted.
    static func selectCounted(
        app: AppName, metric: MetricName
    ) -> RowQuery<(layout: LayoutID, from: UnixSeconds?, until: UnixSeconds?)> {
        RowQuery("layout_terms.counted", PackageResources.layout_terms_counted_sql, app, metric) { ($0, $1, $2) }
    }
}

extension [DimensionName: DimensionOrigin] {
    /// The origins as a JSON object with sorted keys: the same text for the same origins.
    fileprivate var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let named = Dictionary<String, DimensionOrigin>(uniqueKeysWithValues: map { ($0.text, $1) })
            return String(decoding: try encoder.encode(named), as: UTF8.self)
        } catch {
            // Rules hold strings and finite numbers that the plan's reader checked.
            preconditionFailure("what dimensions are made from could not be written as JSON: \(error)")
        }
    }

    fileprivate init(json: String?) throws {
        let named = try json.map {
            try JSONDecoder().decode([String: DimensionOrigin].self, from: Data($0.utf8))
        }
        self.init(uniqueKeysWithValues: (named ?? [:]).map { (DimensionName($0), $1) })
    }
}
