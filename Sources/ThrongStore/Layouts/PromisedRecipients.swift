package import ThrongPlan

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

extension Query {
    static func selectRecipients(app: AppName, metric: MetricName) -> RowQuery<PromisedRecipients.Promise> {
        RowQuery(
            "layout_promise.recipients", PackageResources.layout_promise_recipients_sql, app, metric,
            row: PromisedRecipients.Promise.init)
    }
}
