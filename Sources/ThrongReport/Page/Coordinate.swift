internal import Foundation
internal import ThrongInsight

/// Writes lengths of a drawing.
enum Coordinate {
    /// A fraction of 1, kept within 0 to 1, as "42.13%".
    static func percent(_ fraction: Double) -> String { number(Swift.min(Swift.max(fraction, 0), 1) * 100) + "%" }

    /// At most two decimals, without trailing zeros: the same text on every machine.
    static func number(_ value: Double) -> String {
        let hundredths = Int64((value * 100).rounded(.toNearestOrEven))
        let text = Decimals(hundredths, shiftedBy: 2, over: 1, places: 2).description
        if text.hasSuffix(".00") { return String(text.dropLast(3)) }
        return text.hasSuffix("0") ? String(text.dropLast()) : text
    }
}
