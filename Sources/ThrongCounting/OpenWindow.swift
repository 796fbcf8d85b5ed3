internal import ThrongPlan

/// What a daemon remembers of one window while batches of it may still come: who was seen where, as keyed hashes.
struct OpenWindow: Sendable {
    /// (identifier, tracked cell, period) that were seen.
    var pairs = FlatSet()
    /// Identifiers that are proved; none where no floor asks for that.
    var proved = FlatSet()
    /// Per (identifier, metric): what it has added, and in which part of the devices it is.
    var contributions = Contributions()
    /// By metric: what identifiers have added to the sums of its tracked cells. A metric without sums has none.
    var totals: [Int: ContributionTotals] = [:]
    /// By metric that counts identifiers: how far each has come. Other metrics have none.
    var progress: [Int: WindowProgress] = [:]
    /// The batches of this window, with what their clients were told.
    var batches = AnsweredBatches()
    /// Who asked to be taken out of it, by the place of the request, and whether that was done.
    var withdrawn: [KeyedIdentifier: Withdrawn] = [:]
    /// The place of its last record.
    var lastPosition = JournalPosition.start

    /// About what all of this takes; tables are half to four fifths full. Unit: bytes.
    var bytes: Int {
        (pairs.count + proved.count) * 12 + contributions.count * 24 + totals.values.reduce(0) { $0 + $1.count * 24 }
            + progress.values.reduce(0) { $0 + $1.count * 24 } + batches.count * 36 + batches.refusalBytes
            + withdrawn.count * 64
    }

    /// A request to be taken out.
    struct Withdrawn: Sendable {
        let position: JournalPosition
        var isDone = false
    }

    /// Whether somebody is still to be taken out of it: so long it can't be forgotten.
    var awaitsRemoval: Bool { withdrawn.values.contains { !$0.isDone } }

    /// Brings in what a replay left waiting.
    mutating func settle() {
        pairs.settle()
        proved.settle()
        contributions.settle()
        batches.settle()
        for metric in progress.keys { progress[metric]?.settle() }
    }
}

/// The windows of which batches may still come, each in a place of its own while it is open.
///
/// Most batches are of the same window as the one before, which is found without hashing its name.
struct OpenWindows: Sendable {
    /// Nil where a window is taken out, or a place is free.
    private var windows: [OpenWindow?] = []
    private var ids: [WindowID?] = []
    private var places: [WindowID: Int] = [:]
    private var recent = 0
    /// How often any were forgotten.
    private(set) var endings = 0

    /// Every window that is here.
    var all: some Sequence<OpenWindow> { windows.lazy.compactMap { $0 } }

    /// Which they are.
    var open: some Collection<WindowID> { places.keys }

    var count: Int { places.count }

    func contains(_ id: WindowID) -> Bool { places[id] != nil }

    /// A window that is here and not lent.
    func window(of id: WindowID) -> OpenWindow? { places[id].flatMap { windows[$0] } }

    /// The place of a window; an empty one is opened where there is none.
    mutating func place(of id: WindowID) -> Int {
        if recent < ids.count, ids[recent] == id { return recent }
        if let known = places[id] {
            recent = known
        } else {
            recent = ids.firstIndex { $0 == nil } ?? ids.count
            if recent == ids.count {
                ids.append(id)
                windows.append(OpenWindow())
            } else {
                ids[recent] = id
                windows[recent] = OpenWindow()
            }
            places[id] = recent
        }
        return recent
    }

    /// Lends a window, so that it changes in place; ``putBack(_:at:)`` it before anything else is done here.
    mutating func takeOut(_ place: Int) -> OpenWindow {
        guard let window = windows[place].take() else { preconditionFailure("a window is lent once at a time") }
        return window
    }

    mutating func putBack(_ window: consuming OpenWindow, at place: Int) { windows[place] = window }

    /// Brings in what a replay left waiting.
    mutating func settle() {
        for place in windows.indices { windows[place]?.settle() }
    }

    /// Forgets windows; returns them.
    mutating func remove(where isOver: (WindowID, OpenWindow) -> Bool) -> [(id: WindowID, window: OpenWindow)] {
        var removed: [(WindowID, OpenWindow)] = []
        for place in ids.indices {
            guard let id = ids[place], windows[place].map({ isOver(id, $0) }) == true,
                let window = windows[place].take()
            else { continue }
            removed.append((id, window))
            places[id] = nil
            ids[place] = nil
        }
        endings += removed.count
        return removed
    }
}

extension OpenWindow {
    /// Tells what is known of an identifier as a whole apart from what is known of it in metrics.
    private static let ownSeed: UInt64 = 0x7068_7265_6564_4F4E

    /// Whether an identifier is proved, from now on if this batch of it has a proof.
    mutating func isProved(_ identifier: KeyedIdentifier, now hasProof: Bool) -> Bool {
        let key = identifier.hash(with: Self.ownSeed, 0)
        if hasProof { _ = proved.insert(key) }
        return hasProof || proved.count > 0 && proved.contains(key)
    }

    /// Learns again that an identifier is proved, of which nobody has to know yet.
    mutating func replayProof(of identifier: KeyedIdentifier) {
        proved.insertLater(identifier.hash(with: Self.ownSeed, 0))
    }
}
