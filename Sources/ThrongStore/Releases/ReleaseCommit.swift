package import ThrongRelease

/// What came of a decision that was to be released.
package enum ReleaseCommit: Sendable {
    /// It is released, and its period closed for good.
    case released
    /// Another process had released the period, or given it up because the plan no longer asks for it.
    case elsewhere
    /// What it was decided on has changed, so nothing happened. Carries what there is now.
    case changed(ReleaseEvidence)
}
