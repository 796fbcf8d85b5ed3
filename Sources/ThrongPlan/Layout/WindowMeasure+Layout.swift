extension WindowMeasure {
    /// The measure as counters know it.
    package var layout: WindowLayout {
        switch kind {
        case .frequency(let bands): .frequency(bands: bands)
        case .funnel(let steps): .funnel(steps: steps.count)
        }
    }
}
