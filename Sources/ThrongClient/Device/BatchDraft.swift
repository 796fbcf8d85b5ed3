internal import ThrongWire

/// A batch while events are put into it.
struct BatchDraft {
    /// Its window: floor(unix time / rotation).
    let window: Int64
    /// The amounts spent in the window before this batch.
    let spentBefore: Spending
    /// The amounts spent in the window with this batch.
    var spending: Spending
    /// The identifier that nobody can invent under which it goes; nil for one of the device's own.
    let attested: (place: RotationWindow, identifier: AttestedIdentifier)?
    /// The events that wait on.
    var rest: [QueuedEvent] = []
    /// The events that go.
    var taken: [QueuedEvent] = []
    /// The same events, as they are sent.
    var wire: [Batch.Event] = []
    /// The contributions that each event makes for the first time.
    var marks: [[FirstsMemory.Contribution]] = []
    /// The firsts of each event that are proved once it is counted.
    var proved: [[PendingFirst]] = []
    /// The keys of all contributions that the batch makes for the first time.
    var marked: Set<UInt64> = []

    init(
        in window: Int64, after spent: Spending, attested: (place: RotationWindow, identifier: AttestedIdentifier)?
    ) {
        var spending = spent
        spending.open(window)
        self.window = window
        self.attested = attested
        self.spending = spending
        spentBefore = spending
    }
}
