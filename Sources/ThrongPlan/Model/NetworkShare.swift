/// The share of a window's identifiers that its largest network brought, in windows of which a tenth is k or more.
package enum NetworkShare: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    case underTenth
    case underHalf
    case underNineTenths
    case most

    /// Finds the band of a share; nil for a window with too few identifiers.
    ///
    /// - Parameter threshold: the largest k of the app.
    package init?(_ part: Int, of whole: Int, threshold: Threshold) {
        guard whole >= 10 * Int(threshold.devices) else { return nil }
        self = Self.allCases.last { Int($0.thousandths.lowerBound) * whole <= 1000 * part } ?? .underTenth
    }

    /// The kind under which the schema stores windows of this band.
    package var kind: String { Self.kindStart + "\(thousandths.upperBound / 10)" }

    /// Finds the band that the schema stores under a kind; nil for anything else.
    package init?(kind: String) {
        guard let found = Self.allCases.first(where: { $0.kind == kind }) else { return nil }
        self = found
    }

    private static let kindStart = "largest_network_to_"

    /// The bounds of the band. Unit: thousandths of the identifiers.
    package var thousandths: Range<Int64> {
        switch self {
        case .underTenth: 0..<100
        case .underHalf: 100..<500
        case .underNineTenths: 500..<900
        case .most: 900..<1000
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
