internal import ThrongPlan

extension MetricLayout {
    /// The tracked margin from which the devices of a margin's cells are known exactly, if it is counted.
    func counting(_ margin: Margin) -> Margin? {
        let wanted = trackedMargin(for: margin)
        return trackedMargins.contains(wanted) ? wanted : nil
    }
}
