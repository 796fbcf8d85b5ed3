package import Foundation

extension MetricLayout {
    /// The layout as JSON with sorted keys: the same bytes for the same layout, on every machine.
    package var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            // A layout holds strings, whole numbers and finite numbers that the plan's reader checked.
            preconditionFailure("a layout could not be written as JSON: \(error)")
        }
    }

    /// Reads what ``json`` wrote.
    package init(json: Data) throws { self = try JSONDecoder().decode(MetricLayout.self, from: json) }
}
