internal import Foundation
internal import ThrongPlan
internal import ThrongWire

extension Query {
    static func findLayout(layout: LayoutID) -> RowQuery<Int64> { RowQuery(metric_layout_select_sql, layout) }

    static func selectTerms(layout: LayoutID) -> RowQuery<ReleaseTerms> {
        RowQuery(metric_layout_terms_sql, layout) { ReleaseTerms(threshold: Threshold(devices: $0)) }
    }

    static func registerLayout(layout: MetricLayout, makeCurrent: Bool) -> RowQuery<Int32> {
        RowQuery(metric_layout_register_sql, String(decoding: layout.json, as: UTF8.self), makeCurrent ? 1 : 0)
    }

    static func keepTerms(metric: Int32, threshold: Threshold) -> Statement {
        Statement(metric_layout_keep_terms_sql, metric, threshold.devices)
    }

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
            layout_terms_hold_sql, metric, since, terms.threshold.devices,
            (terms.counted?.names ?? []).map(\.text).sorted().joined(separator: ","), needsConsent,
            refusedBy.joined(separator: ","), terms.origins.json, isEverywhere ? 1 : 0
        ) { ($0, $1) }
    }

    static func retireTerms(kept: [Int32], ended: UnixSeconds) -> Statement {
        Statement(layout_terms_retire_sql, kept, ended)
    }

    static func selectTermsVersions(app: AppName, from: UnixSeconds, to: UnixSeconds) -> RowQuery<TermsVersion> {
        RowQuery(layout_terms_select_sql, app, from, to) {
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
        RowQuery(layout_terms_counted_sql, app, metric) { ($0, $1, $2) }
    }
}

extension [DimensionName: DimensionOrigin] {
    /// The origins as a JSON object with sorted keys: the same text for the same origins.
    fileprivate var json: String {
        do {
            let named = Dictionary<String, DimensionOrigin>(uniqueKeysWithValues: map { ($0.text, $1) })
            return try named.stableJSON
        } catch {
            // Rules hold strings and finite numbers that the plan's reader checked.
            preconditionFailure("what dimensions are made from could not be written as JSON: \(error)")
        }
    }

    fileprivate init(json: String?) throws {
        let named = try json.map { try JSONDecoder().decode([String: DimensionOrigin].self, from: Data($0.utf8)) }
        self.init(uniqueKeysWithValues: (named ?? [:]).map { (DimensionName($0), $1) })
    }
}

struct StoredLayout: Sendable {
    let id: LayoutID
    private let json: [UInt8]

    /// Reads the layout; throws ``StoreError/layoutAltered(_:)`` if it no longer matches its identity.
    func layout() throws -> MetricLayout {
        let layout = try MetricLayout(json: Data(json))
        guard layout.id == id else { throw StoreError.layoutAltered(id) }
        return layout
    }
}

/// An identity and JSON.
extension StoredLayout: ColumnValue {
    static var columns: Int { 2 }
    init(reading row: inout RowReader) throws { (id, json) = (try row.next(), try row.bytes()) }
}

extension Session {
    /// Returns the schema's number of a layout; throws ``StoreError/layoutUnknown(_:)`` where it was never registered.
    func metricID(of layout: MetricLayout) throws -> Int64 {
        let id = layout.id
        guard let metric = try first(Query.findLayout(layout: id)) else { throw StoreError.layoutUnknown(id) }
        return metric
    }
}
