internal import ThrongFaults
internal import ThrongInsight
package import ThrongPlan
internal import ThrongReport
internal import ThrongWire

/// How much of what an app's clients sent within a period was counted, as partners are told: in bands of shares.
///
/// Exact totals would be a further equation beside the released numbers: the accepted events less the published ones are
/// the withheld ones. A band of a share whose parts nobody publishes is none. What is there is the same for every app and
/// period, and no band but the lowest begins under ``smallest`` events: the first few tell nobody that they were.
package struct CoverageStatement: Sendable, Hashable {
    /// Fewer events than this, all together, are told nothing about.
    package static let fewest: Int64 = 1000

    /// Fewer events than this are in the lowest band, which is as wide as that takes.
    static let smallest: Int64 = 20

    /// What arrived, exactly: for operators.
    package let totals: CoverageTotals

    /// States what became of what arrived.
    package init(_ totals: CoverageTotals) { self.totals = totals }

    /// A band of shares. Unit: thousandths.
    private struct Band {
        let from: Int64
        let to: Int64

        /// Where bands end.
        private static let edges: [Int64] = [0, 1, 10, 50, 200, 500, 1000]

        private init(from: Int64, to: Int64) {
            self.from = from
            self.to = to
        }

        /// The band that holds a share.
        init(_ part: Int64, of whole: Int64) {
            let least = Int128(CoverageStatement.smallest) * 1000
            let edges = Self.edges.filter { $0 == 0 || Int128($0) * Int128(whole) >= least }
            let place =
                edges.dropLast().lastIndex { edge in
                    Int128(part) * 1000 >= Int128(edge) * Int128(whole)
                } ?? 0
            self.init(from: edges[place], to: edges[place + 1])
        }

        /// The band of a window's largest network.
        init(_ share: NetworkShare) {
            self.init(from: share.thousandths.lowerBound, to: share.thousandths.upperBound)
        }

        /// The band of what the share leaves.
        var rest: Band { Band(from: 1000 - to, to: 1000 - from) }

        var jsonText: JSONText {
            .object([("from", .number(Self.decimal(from))), ("to", .number(Self.decimal(to)))])
        }

        private static func decimal(_ thousandths: Int64) -> String {
            Decimals(thousandths, shiftedBy: 3, over: 1, places: 3).description
        }
    }

    /// Every reason that there is, whether or not it occurred: that one does would tell of a single event.
    private var reasons: [String] {
        if Fault.listReasonsThatOccurred.isOn { return totals.refusals.filter { $0.value > 0 }.keys.sorted() }
        let known = RefusalReason.allCases.filter { $0 != .optedOut }.map(\.rawValue)
        return Set(known).union(totals.refusals.keys).sorted()
    }

    /// As finely towards all as towards none.
    private var attested: Band {
        let rest = totals.arrived - totals.proved
        return rest < totals.proved ? Band(rest, of: totals.arrived).rest : Band(totals.proved, of: totals.arrived)
    }

    var jsonText: JSONText {
        let arrived = totals.arrived
        guard arrived >= Self.fewest else { return .object([("events", .string("fewer than \(Self.fewest)"))]) }
        return .object([
            ("events", .string("\(Self.fewest) or more")),
            ("accepted", Band(arrived - totals.accepted, of: arrived).rest.jsonText),
            ("refused", Band(totals.refused, of: arrived).jsonText),
            (
                "refused_because",
                .object(
                    reasons.map { ($0, Band(totals.refusals[$0] ?? 0, of: arrived).jsonText) })
            ),
            ("consent_refused", Band(totals.consentRefused, of: arrived).jsonText),
            ("late", Band(min(totals.late, arrived), of: arrived).jsonText),
            ("attested", attested.jsonText),
            ("largest_network", totals.largestNetwork.map { Band($0).jsonText } ?? .string("unknown")),
        ])
    }
}

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
    /// Of the accepted events, those of identifiers that were proved.
    package var proved: Int64
    /// Of the windows that are large enough to be looked at, the one of which one network brought most; nil where there is none.
    package var largestNetwork: NetworkShare?

    /// Puts totals together.
    package init(
        accepted: Int64 = 0, refusals: [String: Int64] = [:], consentRefused: Int64 = 0, late: Int64 = 0,
        proved: Int64 = 0, largestNetwork: NetworkShare? = nil
    ) {
        self.accepted = accepted
        self.refusals = refusals
        self.consentRefused = consentRefused
        self.late = late
        self.proved = proved
        self.largestNetwork = largestNetwork
    }

    /// Events refused for another reason than consent.
    package var refused: Int64 { refusals.values.reduce(0, +) }
    /// Everything that arrived.
    package var arrived: Int64 { accepted + refused + consentRefused }
}
