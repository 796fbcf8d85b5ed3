internal import ThrongPlan

extension MetricLayout {
    /// Returns the window that holds all of a period; nil if several have a share in it.
    func window(of period: Period) -> WindowNumber? {
        let first = rotation.window(at: period.start)
        return first == rotation.window(at: UnixSeconds(period.end.value - 1)) ? first : nil
    }

    /// Returns the margin from which the devices of a margin's cells are known exactly; nil if it is not counted.
    func counting(_ margin: Margin) -> Margin? {
        let wanted = trackedMargin(for: margin)
        return trackedMargins.contains(wanted) ? wanted : nil
    }
}
