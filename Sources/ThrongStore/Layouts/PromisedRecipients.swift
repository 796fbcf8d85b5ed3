package import ThrongPlan
internal import ThrongPostgres

/// Whom plans named as those who receive numbers of a metric, when these were counted.
package struct PromisedRecipients: Sendable, Hashable {
    /// What one plan said of one layout.
    package struct Promise: Sendable, Hashable {
        /// Nil before anybody kept promises.
        package let since: UnixSeconds?
        /// Nil for the plan in force.
        package let until: UnixSeconds?
        /// Nil where nobody said so.
        package let partners: Set<PartnerName>?

        /// Puts a promise together.
        package init(since: UnixSeconds?, until: UnixSeconds?, partners: Set<PartnerName>?) {
            self.since = since
            self.until = until
            self.partners = partners
        }

        /// Whether it was in force in a part of a period. Daemons start with a plan one after the other: the one before it holds
        /// for so much longer.
        fileprivate func holds(in period: Period) -> Bool {
            (since ?? .min) < period.end && (until.map { $0 + LayoutPromise.handover } ?? .max) > period.start
        }
    }

    /// By time.
    private let promises: [Promise]

    /// - Parameter promises: by time.
    package init(_ promises: [Promise]) { self.promises = promises }

    /// Whether all that counted in a period was counted under plans that named a partner. Where nobody has written down who was
    /// named, it was.
    ///
    /// What is handed in for a time before the first plan is counted under it.
    package func name(_ partner: PartnerName, in period: Period) -> Bool {
        var held = promises.filter { $0.holds(in: period) }
        if held.isEmpty, let first = promises.first(where: { ($0.since ?? .min) >= period.end }) { held = [first] }
        return held.allSatisfy { $0.partners?.contains(partner) ?? true }
    }
}

/// Whom plans named, by time.
struct SelectRecipients: RowQuery {
    static let text = Query("layout_promise.recipients", PackageResources.layout_promise_recipients_sql)

    let app: AppName
    let metric: MetricName

    var parameters: [Parameter] { [.text(app.text), .text(metric.text)] }

    func row(_ columns: inout RowReader) throws -> PromisedRecipients.Promise {
        PromisedRecipients.Promise(
            since: try columns.optionalTime(), until: try columns.optionalTime(),
            partners: try columns.optionalText().map { Set($0.split(separator: ",").map { PartnerName(String($0)) }) })
    }
}
