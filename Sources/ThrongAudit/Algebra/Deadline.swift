/// When the time box is over.
struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    /// - Parameter seconds: from now.
    init(seconds: Double) { end = .now + .seconds(seconds) }

    var isOver: Bool { ContinuousClock.now >= end }

    /// Unit: seconds; not under 0.
    var left: Double {
        let rest = (end - .now).components
        return max(0, Double(rest.seconds) + Double(rest.attoseconds) * 1e-18)
    }
}
