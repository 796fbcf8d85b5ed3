/// The smallest number of devices that a published number may stand for: k.
package struct Threshold: Hashable, Sendable, Codable, Comparable {
    /// The number of devices, at least ``lowest``. Unit: devices.
    package let devices: Int64

    /// The lowest k; a plan with a lower one is refused. Unit: devices.
    package static let lowest: Int64 = 5
    /// The threshold of a plan that names none.
    package static let standard = Threshold(devices: 20)

    /// The lowest threshold of a plan that counts children; one with a lower threshold is refused.
    package static let forChildren = Threshold(devices: 50)

    package init(devices: Int64) { self.devices = devices }

    package static func < (left: Self, right: Self) -> Bool { left.devices < right.devices }
}

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
    package var kind: String { "largest_network_to_\(thousandths.upperBound / 10)" }

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
