internal import ThrongWire

/// The thing that numbers of a purpose stand for, in the public's words: a device is one for a day, a visit ends when its
/// code changes, and where nothing tells devices apart, only actions are counted.
package enum LabelUnit: String, Sendable, Hashable, CaseIterable {
    case device, visit, action

    init(_ hasIdentifiers: Bool, _ rotation: Rotation) {
        self = !hasIdentifiers ? .action : rotation == .longest ? .device : .visit
    }

    package var many: String { rawValue + "s" }

    /// Returns several units as words: "devices or visits".
    static func text(_ units: Set<LabelUnit>) -> String {
        allCases.filter(units.contains).map(\.many).joined(separator: " or ")
    }
}

extension Purpose {
    var unit: LabelUnit { LabelUnit(hasIdentifiers, rotation) }
}
