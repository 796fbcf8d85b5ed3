internal import ThrongPlan

extension MetricLayout {
    /// The window that holds all of a period; nil where several have a share in it.
    func window(of period: Period) -> WindowNumber? {
        let first = rotation.window(at: period.start)
        return first == rotation.window(at: UnixSeconds(period.end.value - 1)) ? first : nil
    }
}
