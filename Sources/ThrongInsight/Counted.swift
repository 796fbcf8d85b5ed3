package import ThrongPlan

/// What a number of a report is a number of.
package enum Counted: String, Sendable, Hashable, Codable {
    /// Events, or answers of devices.
    case events
    /// Devices, each once in the period or at least so many.
    case devices
    /// Identifiers, each once when its window was over: a device counts again in a later window.
    case identifiers

    /// What numbers of a kind count, of a metric that counts events or looks at windows.
    package init(by kind: Insight.Kind, isWithin: Bool) {
        self =
            if isWithin {
                .identifiers
            } else {
                switch kind.counts {
                case .events: .events
                case .devices: .devices
                }
            }
    }
}
