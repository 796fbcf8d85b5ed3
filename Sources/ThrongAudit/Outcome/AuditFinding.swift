/// A promise that was not kept.
package struct AuditFinding: Sendable, Codable, Hashable {
    package let check: Check
    /// The number or numbers concerned.
    package let about: String
    package let explanation: String

    /// A promise of releases.
    package enum Check: String, Sendable, Codable, CaseIterable {
        /// Equal questions have equal numbers.
        case equal
        /// Parts add up to their whole.
        case sums
        /// Repeated questions scatter as both layers say, or more.
        case scatter
        /// Stated margins are no narrower than the noise is.
        case margin
        /// No number of fewer than k devices, and none below its margin over k, is shown.
        case threshold
        /// No combination tells a number of devices, or what they sent, more closely than promised.
        case closeness
        /// A page has no other numbers than the files beside it.
        case page
    }
}

extension AuditFinding.Check {
    /// Its meaning, in the words of the European authorities (Opinion 05/2014 of the Article 29 Working Party).
    var meaning: String {
        switch self {
        case .equal, .sums:
            "inference: what two answers to one question differ by is the answer about those whom one of them lacks"
        case .scatter: "singling out: there is less noise than is promised, so that differences tell of few devices"
        case .margin: "inference: readers take numbers for closer than they are, or noise is missing"
        case .threshold: "singling out: a number stands for few devices"
        case .closeness: "singling out: numbers that are published together tell of few devices"
        case .page: "linkability: a reader who has both files compares two answers to one question"
        }
    }
}
