package import ThrongJournal

/// The result of a reload.
package struct PlanReading: Sendable {
    /// The plans, as their files are now.
    package let sources: [RunningPlan]
    /// The keys of settings that have changed since the start, and that only a start reads.
    package let changedSettings: [String]

    package init(sources: [RunningPlan], changedSettings: [String] = []) {
        self.sources = sources
        self.changedSettings = changedSettings
    }
}
