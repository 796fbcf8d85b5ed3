/// A sum over leaves that must not become computable, though no cell shows it.
struct ForbiddenCombination {
    /// The sum; leaves ascending.
    let vector: [Term]
    /// Why a cell is hidden that would make it computable.
    let reason: HidingReason
}
