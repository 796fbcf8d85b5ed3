internal import ThrongInsight
internal import ThrongPlan

extension NumberBasis {
    /// The basis line under an insight, in parts.
    var words: [String] {
        [
            counted,
            noise.map { "Noise: \($0.terms)" }
                ?? "k = \(threshold.devices): every published group has \(threshold.devices) devices or more",
            sampling == 1 ? "Every event counted" : "Sampling rate \(samplingText)\(sampledWords)",
            "Identifiers last \(Self.words(seconds: rotation.seconds))",
        ]
    }

    private var counted: String {
        switch (counts, devices) {
        case (.identifiers, _):
            "Counts identifiers, of which a device has one for \(Self.words(seconds: rotation.seconds)); a device that "
                + "comes back later counts again"
        case (_, nil): "Counts events"
        default: "Counts \(statement)"
        }
    }

    /// What the sample means for the numbers.
    private var sampledWords: String {
        switch devices {
        case .floor, .firsts: ": devices can\u{2019}t be scaled up; there are at least so many"
        case nil, .answers: ": scaled up, with 95% intervals"
        }
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
