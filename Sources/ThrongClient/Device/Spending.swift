/// What a device has added to metrics in one window, so that it stays within their contribution bounds.
struct Spending: Codable, Sendable {
    private(set) var window: Int64 = 0
    private var spent: [String: Int] = [:]

    /// Begins anew where another window is open.
    mutating func open(_ window: Int64) {
        guard window != self.window else { return }
        self.window = window
        spent = [:]
    }

    /// What may still be added.
    func room(for metric: DevicePlan.Metric) -> Int { max(0, metric.bound - (spent[metric.name] ?? 0)) }

    /// Adds so many events, as far as there is room.
    mutating func add(_ count: Int, to metric: DevicePlan.Metric) {
        spent[metric.name, default: 0] += min(count, room(for: metric))
    }
}
