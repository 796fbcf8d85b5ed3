internal import ThrongPlan

extension NumberBasis {
    /// The basis line under an insight, in parts.
    var words: [String] {
        [
            devices == nil ? "Counts events" : "Counts \(statement)",
            noise.map { "Noise: \($0.terms)" }
                ?? "k = \(threshold.devices): every number stands for \(threshold.devices) devices or more",
            sampling == 1 ? "Every event counted" : "Sampling rate \(samplingText): numbers as counted, not scaled up",
            "Identifiers last \(Self.words(seconds: rotation.seconds))",
        ]
    }

    private static func words(seconds: Int64) -> String {
        let units: [(length: Int64, one: String, many: String)] = [
            (86_400, "one day", "days"), (3600, "one hour", "hours"), (60, "one minute", "minutes"),
        ]
        for unit in units where seconds.isMultiple(of: unit.length) && seconds > 0 {
            return seconds == unit.length ? unit.one : "\(seconds / unit.length) \(unit.many)"
        }
        return "\(seconds) seconds"
    }
}
