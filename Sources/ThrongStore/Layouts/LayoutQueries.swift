internal import Foundation
package import ThrongPlan

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

    /// Keeps a plan's promises about a layout's numbers: retention, purpose and recipients.
    static func holdPromise(metric: Int32, since: UnixSeconds, terms: ReleaseTerms, isEverywhere: Bool) -> Statement {
        Statement(
            layout_promise_hold_sql, metric, since, terms.expiry.map(\.after.components.seconds),
            terms.expiry.map(\.action.code).joined(separator: ","), terms.explanation,
            terms.recipients?.map(\.text).joined(separator: ","), isEverywhere ? 1 : 0)
    }

    /// The promises of all plans about the retention of every layout's numbers; oldest first.
    static func selectPromises(app: AppName?) -> RowQuery<LayoutPromise> {
        RowQuery(layout_promise_select_sql, app) {
            LayoutPromise(
                layout: $0, app: $1, metric: $2, dimensions: $3, until: $4,
                steps: try DecayStep.steps(ages: $5 ?? [], actions: $6 ?? []))
        }
    }

    /// The explanations given to people and the recipients of numbers, by each promise of every layout.
    static func selectTold() -> RowQuery<(promise: ToldPromise, explanation: String?, recipients: [PartnerName]?)> {
        RowQuery(layout_promise_told_sql) { (ToldPromise(layout: $0, until: $1), $2, $3) }
    }

    static func selectRecipients(app: AppName, metric: MetricName) -> RowQuery<PromisedRecipients.Promise> {
        RowQuery(layout_promise_recipients_sql, app, metric, row: PromisedRecipients.Promise.init)
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

struct StoredLayout: Sendable, ColumnValue {
    let id: LayoutID
    private let json: [UInt8]

    /// Reads the layout; throws ``StoreError/layoutAltered(_:)`` if it no longer matches its identity.
    func layout() throws -> MetricLayout {
        let layout = try MetricLayout(json: Data(json))
        guard layout.id == id else { throw StoreError.layoutAltered(id) }
        return layout
    }

    // An identity and JSON.

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

struct ToldPromise: Hashable {
    /// The schema's number of the layout.
    let layout: Int64
    /// The end of the promise; nil for the one in force.
    let until: UnixSeconds?
}

/// The retention of a layout's numbers as one plan promised it.
struct LayoutPromise {
    /// The schema's number of the layout.
    let layout: Int64
    let app: AppName
    let metric: MetricName
    let dimensions: [DimensionName]
    /// The time at which another plan came into force; nil for the one in force.
    let until: UnixSeconds?
    /// The steps, ascending by age; none where nothing was promised.
    let steps: [DecayStep]

    /// The time that a promise holds beyond its plan: daemons start with a new plan one after the other. Unit: seconds.
    static let handover: Int64 = 3600
    /// The retention of numbers that no known plan sets one for. Unit: seconds.
    static let unsaid: Int64 = 400 * 86_400

    /// The first instant whose numbers the promise no longer holds for; nil for the promise in force.
    var began: UnixSeconds? { until.map { $0 + Self.handover } }

    /// The age at which all numbers are deleted. Unit: seconds.
    var retention: Int64 { steps.filter { $0.action == .delete }.map(\.after.components.seconds).min() ?? Self.unsaid }
    /// The age at which the first numbers are deleted. Unit: seconds.
    var shortest: Int64 { steps.map(\.after.components.seconds).min() ?? Self.unsaid }
}

extension DecayStep.Action {
    var code: String {
        switch self {
        case .drop(let name): "drop \(name)"
        case .coarsen(let name, to: let coarse): "coarsen \(name) \(coarse)"
        case .keep(let kind): "keep \(kind.rawValue)"
        case .keepTotals: "keep totals"
        case .delete: "delete"
        }
    }

    /// Reads ``code``; nil if no version up to this one wrote it.
    init?(code: String) {
        let words = code.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("drop", 2): self = .drop(DimensionName(words[1]))
        case ("coarsen", 3): self = .coarsen(DimensionName(words[1]), to: DimensionName(words[2]))
        case ("keep", 2) where words[1] == "totals": self = .keepTotals
        case ("keep", 2):
            guard let kind = PeriodKind(rawValue: words[1]) else { return nil }
            self = .keep(kind)
        case ("delete", 1): self = .delete
        default: return nil
        }
    }

    /// Returns the numbers of a layout with these dimensions that it deletes: those split by one dimension, or all;
    /// those of shorter periods, or all.
    func parts(of dimensions: [DimensionName]) -> [(dimension: DimensionName?, shorter: PeriodKind?)] {
        switch self {
        case .drop(let dimension), .coarsen(let dimension, to: _): [(dimension, nil)]
        case .keep(let kind): [(nil, kind)]
        case .keepTotals: dimensions.map { ($0, nil) }
        case .delete: [(nil, nil)]
        }
    }
}

extension DecayStep {
    /// The step in words: "after 30 days: coarsen os platform".
    var term: String { "after \(after.planText): \(action.code)" }

    /// Reads the steps of a promise's row.
    ///
    /// - Throws: ``PostgresError`` where they can't be read: retention must not be guessed.
    fileprivate static func steps(ages: [String], actions: [String]) throws -> [DecayStep] {
        let seconds = ages.compactMap { Int64($0) }
        let found = actions.compactMap { DecayStep.Action(code: $0) }
        guard seconds.count == found.count, seconds.count == actions.count else {
            throw PostgresError.unexpectedAnswer(query: "layout_promise.select")
        }
        return zip(seconds, found).map { DecayStep(after: .seconds($0), action: $1) }
    }
}

/// The recipients of a metric's numbers that plans named, by the time the numbers were counted.
package struct PromisedRecipients: Sendable, Hashable {
    /// The recipients that one plan named for one layout.
    package struct Promise: Sendable, Hashable {
        /// The start; nil before promises were kept.
        package let since: UnixSeconds?
        /// The end; nil for the plan in force.
        package let until: UnixSeconds?
        /// The recipients; nil where they were not noted.
        package let partners: Set<PartnerName>?

        /// True if it was in force in a part of a period. A promise holds for ``LayoutPromise/handover`` beyond its
        /// plan.
        fileprivate func holds(in period: Period) -> Bool {
            (since ?? .min) < period.end && (until.map { $0 + LayoutPromise.handover } ?? .max) > period.start
        }
    }

    private let promises: [Promise]

    /// - Parameter promises: in the order of time.
    package init(_ promises: [Promise]) { self.promises = promises }

    /// True if all numbers of a period were counted under plans that named a partner; also if recipients were not
    /// noted.
    ///
    /// Numbers of a time before the first plan count as counted under that plan.
    package func name(_ partner: PartnerName, in period: Period) -> Bool {
        var held = promises.filter { $0.holds(in: period) }
        if held.isEmpty, let first = promises.first(where: { ($0.since ?? .min) >= period.end }) { held = [first] }
        return held.allSatisfy { $0.partners?.contains(partner) ?? true }
    }
}
