internal import ThrongPlan

extension MetricLayout {
    /// The window that holds all of a period; nil where several have a share in it.
    func window(of period: Period) -> WindowNumber? {
        let first = rotation.window(at: period.start)
        return first == rotation.window(at: UnixSeconds(period.end.value - 1)) ? first : nil
    }
}

/// When devices were counted: numbers with the same scope may be taken from one another.
enum DeviceScope: Hashable {
    case window(WindowNumber)
    /// Of devices that proved themselves once in it.
    case period(PeriodKind, start: UnixSeconds)
}

extension MetricLayout {
    /// When the devices of a period's release were counted; nil where its numbers are the largest of several windows.
    func deviceScope(of period: Period) -> DeviceScope? {
        if let provedFirsts, provedFirsts.periods.contains(period.kind) {
            return .period(period.kind, start: period.start)
        }
        return window(of: period).map { .window($0) }
    }
}
