/// How much of a window's identifiers the network brought that brought most of them, as coarsely as it is ever told.
///
/// It is told of windows only in which a tenth of the identifiers are k or more, so that no edge of a band lies among fewer.
package enum NetworkShare: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    /// Less than a tenth.
    case underTenth
    /// Less than a half.
    case underHalf
    /// Less than nine tenths.
    case underNineTenths
    /// Nine tenths or more.
    case most

    /// Nil for a window with too few identifiers.
    ///
    /// - Parameter threshold: the largest k of the app.
    package init?(_ part: Int, of whole: Int, threshold: Threshold) {
        guard whole >= 10 * Int(threshold.devices) else { return nil }
        self = Self.allCases.last { Int($0.thousandths.lowerBound) * whole <= 1000 * part } ?? .underTenth
    }

    /// What the schema stores windows of this band under.
    package var kind: String { Self.kindStart + "\(thousandths.upperBound / 10)" }

    /// The band that the schema stores so; nil for anything else.
    package init?(kind: String) {
        guard let found = Self.allCases.first(where: { $0.kind == kind }) else { return nil }
        self = found
    }

    private static let kindStart = "largest_network_to_"

    /// From where to where. Unit: thousandths of the identifiers.
    package var thousandths: Range<Int64> {
        switch self {
        case .underTenth: 0..<100
        case .underHalf: 100..<500
        case .underNineTenths: 500..<900
        case .most: 900..<1000
        }
    }

    /// Orders by the share.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
