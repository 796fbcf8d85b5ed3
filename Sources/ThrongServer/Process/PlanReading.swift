package import ThrongJournal

/// What a reload found.
package struct PlanReading: Sendable {
    /// The plans, as their files are now.
    package let sources: [PlanSource]
    /// The settings that are others than at the start, and that only a start reads; by their keys.
    package let changedSettings: [String]

    /// Puts together what was found.
    package init(sources: [PlanSource], changedSettings: [String] = []) {
        self.sources = sources
        self.changedSettings = changedSettings
    }
}
