internal import ThrongDelivery
internal import ThrongPlan
internal import ThrongWire

extension CoverageTotals {
    /// What the store counted, by kind; nil where it counted nothing.
    init?(kinds: [String: Int64]) {
        guard !kinds.isEmpty else { return nil }
        let others =
            ["accepted", "proved", "late", RefusalReason.optedOut.rawValue] + NetworkShare.allCases.map(\.kind)
        self.init(
            accepted: kinds["accepted"] ?? 0, refusals: kinds.filter { !others.contains($0.key) },
            consentRefused: kinds[RefusalReason.optedOut.rawValue] ?? 0, late: kinds["late"] ?? 0,
            proved: kinds["proved"] ?? 0, largestNetwork: NetworkShare.allCases.last { kinds[$0.kind] ?? 0 > 0 })
    }
}
