/// What became of the events that an app's clients sent: totals of a whole app and period, about nobody.
package struct CoverageTotals: Sendable, Hashable {
    /// Events that changed a counter.
    package var accepted: Int64
    /// Events that changed none, by the refusal's name; without those that consent refused.
    package var refusals: [String: Int64]
    /// Events of requests with an opt-out signal that the purpose honours.
    package var consentRefused: Int64
    /// Events that counted into a later period because their own was released, once a metric.
    package var late: Int64

    /// Puts totals together.
    package init(accepted: Int64 = 0, refusals: [String: Int64] = [:], consentRefused: Int64 = 0, late: Int64 = 0) {
        self.accepted = accepted
        self.refusals = refusals
        self.consentRefused = consentRefused
        self.late = late
    }

    /// Events refused for another reason than consent.
    package var refused: Int64 { refusals.values.reduce(0, +) }
    /// Everything that arrived.
    package var arrived: Int64 { accepted + refused + consentRefused }
}
