/// What became of a client's answer to a request for a value. A closed list: labels of a metric are made of it.
enum RevealOutcome: String, CaseIterable {
    /// The label is known now; also where it was before.
    case learned
    /// The dimension has a label in every slot; the value goes on counting as `other`.
    case full
    /// Not enough devices have sent its hash in the window, or none has: it was not asked for.
    case notAsked = "not_asked"
    /// It can't be a label: ``UnfitValue``.
    case unfit
    /// The request carries an opt-out signal that the purpose honours.
    case optedOut = "opted_out"
    /// PostgreSQL can't be asked now, or not any more.
    case unavailable
}
