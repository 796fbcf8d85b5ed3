package import ThrongPlan

/// A daemon's state of one window while its batches may still come: identifiers and their cells, as keyed hashes.
struct OpenWindow: Sendable {
    /// The (identifier, tracked cell, period) triples that were seen.
    var pairs = FlatSet()
    /// The proved identifiers; none if no floor asks for proof.
    var proved = FlatSet()
    /// The contribution of each (identifier, metric), and the part of the devices that the identifier is in.
    var contributions = Contributions()
    /// The progress of identifiers, by metric that counts them. Other metrics have none.
    var progress: [Int: WindowProgress] = [:]
    /// The batches of this window, and the answers to their clients.
    var batches = AnsweredBatches()
    /// The identifiers to be removed, with the place of each request and whether it was carried out.
    var withdrawn: [KeyedIdentifier: Withdrawn] = [:]
    var lastPosition = JournalPosition.start

    /// The approximate size of the window; tables are half to four fifths full. Unit: bytes.
    var bytes: Int {
        (pairs.count + proved.count) * 12 + contributions.count * 24 + progress.values.reduce(0) { $0 + $1.count * 24 }
            + batches.count * 36 + batches.refusalBytes + withdrawn.count * 64
    }

    /// A request for removal.
    struct Withdrawn: Sendable {
        let position: JournalPosition
        var isDone = false
    }

    /// True if a removal is still to be made: until then the window can't be forgotten.
    var awaitsRemoval: Bool { withdrawn.values.contains { !$0.isDone } }

    /// Merges what a replay left waiting.
    mutating func settle() {
        pairs.settle()
        proved.settle()
        contributions.settle()
        batches.settle()
        for metric in progress.keys { progress[metric]?.settle() }
    }

    /// A number that tells an identifier's own state apart from its state in metrics.
    private static let ownSeed: UInt64 = 0x7068_7265_6564_4F4E

    /// True if an identifier is proved; a proof in this batch holds from now on.
    mutating func isProved(_ identifier: KeyedIdentifier, now hasProof: Bool) -> Bool {
        let key = identifier.hash(with: Self.ownSeed, 0)
        if hasProof { _ = proved.insert(key) }
        return hasProof || proved.count > 0 && proved.contains(key)
    }

    /// Forgets an identifier's progress in all metrics that count identifiers; true if it had any.
    mutating func forgetProgress(of identifier: KeyedIdentifier, in space: CellSpace) -> Bool {
        var hasCome = false
        for metric in progress.keys {
            let key = identifier.hash(with: space.metrics[metric].seed, 0)
            hasCome = progress[metric]?.forget(key) == true || hasCome
        }
        return hasCome
    }

    /// Forgets an identifier's progress, which nobody reads before ``settle()``.
    mutating func forgetProgressLater(
        of identifier: KeyedIdentifier, in space: CellSpace, at position: JournalPosition
    ) {
        for metric in progress.keys {
            progress[metric]?.forgetLater(identifier.hash(with: space.metrics[metric].seed, 0), at: position)
        }
    }

    /// Replays a proof of an identifier, which nobody reads before ``settle()``.
    mutating func replayProof(of identifier: KeyedIdentifier) {
        proved.insertLater(identifier.hash(with: Self.ownSeed, 0))
    }
}

/// The windows that may still get batches, each in a place of its own while it is open.
///
/// Most batches are of the same window as the one before, which is found without hashing its name.
struct OpenWindows: Sendable {
    /// The windows by place; nil if one is taken out, or the place is free.
    private var windows: [OpenWindow?] = []
    private var ids: [WindowID?] = []
    private var places: [WindowID: Int] = [:]
    private var recent = 0
    /// The number of windows that were forgotten.
    private(set) var endings = 0

    /// Every window that is not taken out.
    var all: some Sequence<OpenWindow> { windows.lazy.compactMap { $0 } }

    var open: some Collection<WindowID> { places.keys }

    func contains(_ id: WindowID) -> Bool { places[id] != nil }

    /// Returns a window that is not taken out; nil if there is none.
    func window(of id: WindowID) -> OpenWindow? { places[id].flatMap { windows[$0] } }

    /// Returns the place of a window; opens an empty one if there is none.
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

    /// Takes a window out, so that it changes in place; call ``putBack(_:at:)`` before anything else is done here.
    mutating func takeOut(_ place: Int) -> OpenWindow {
        guard let window = windows[place].take() else { preconditionFailure("a window is lent once at a time") }
        return window
    }

    mutating func putBack(_ window: consuming OpenWindow, at place: Int) { windows[place] = window }

    /// Merges what a replay left waiting.
    mutating func settle() { for place in windows.indices { windows[place]?.settle() } }

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

/// A period of a layout that has been released.
package struct ClosedPeriod: Hashable, Sendable {
    package let layout: LayoutID
    package let periodStart: UnixSeconds

    package init(layout: LayoutID, periodStart: UnixSeconds) { (self.layout, self.periodStart) = (layout, periodStart) }
}

/// The rule of the period that an event counts in: its own or, once that was released, the one that holds the present.
/// A release never changes.
///
/// The daemon knows what was released by the last flush. Of later releases only PostgreSQL knows, which moves what a
/// flush brings for them (`PendingFlush.redirect`).
struct Lateness: Sendable {
    var released: Set<ClosedPeriod> = []

    func isReleased(_ start: UnixSeconds, of metric: Int, in space: CellSpace) -> Bool {
        !released.isEmpty && released.contains(ClosedPeriod(layout: space.ids[metric], periodStart: start))
    }

    /// Returns the start of the period that takes what belongs to another one.
    func start(taking start: UnixSeconds, of metric: Int, now: UnixSeconds, in space: CellSpace) -> UnixSeconds {
        guard isReleased(start, of: metric, in: space) else { return start }
        return space.metrics[metric].calendar.period(space.layouts[metric].period, containing: now).start
    }
}
