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

/// The progress of each identifier of a window in one metric that counts identifiers, by a hash of both, which must be
/// uniform. A collision makes two identifiers one, so that a count is smaller, never larger.
///
/// - Cost: 20 to 25 bytes an identifier.
struct WindowProgress: Sendable {
    private struct Reached: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        /// The cell of the first event.
        var cell: UInt32 = 0
        /// The ordinal of that event's period.
        var period: UInt16 = 0
        /// The progress; 0 before the first event, and after it was forgotten.
        var progress: UInt16 = 0

        /// Adds a later slot's progress; a later slot without progress forgets what came before it.
        mutating func takeIn(_ later: Self) {
            if progress == 0 || later.progress == 0 { (cell, period) = (later.cell, later.period) }
            guard later.progress > 0 else {
                progress = 0
                return
            }
            let (sum, overflow) = progress.addingReportingOverflow(later.progress)
            progress = overflow ? .max : sum
        }
    }

    private var table = OrderedTable<Reached>()
    private var periods = Ordinals<Int64>()

    /// The number of identifiers with progress, and of those whose progress was forgotten.
    var count: Int { table.count }

    subscript(key: UInt64) -> Int { mutating get { Int(table.slot(like: Reached(order: max(key, 1)))?.progress ?? 0) } }

    mutating func advance(_ key: UInt64, by advance: CountedBatch.Advance) {
        let slot = slot(key, advance)
        if !table.insert(slot) { table.update(slot) { $0.takeIn(slot) } }
    }

    /// Advances a key that nobody reads before ``settle()``.
    mutating func advanceLater(_ key: UInt64, by advance: CountedBatch.Advance, at position: JournalPosition = .end) {
        table.insertLater(slot(key, advance), at: position)
    }

    private mutating func slot(_ key: UInt64, _ advance: CountedBatch.Advance) -> Reached {
        Reached(
            order: max(key, 1), cell: advance.cell.value,
            // A window lives for three rotations and takes events of two days before: its periods are some hundred days.
            period: UInt16(clamping: periods.ordinal(of: advance.periodStart.value)), progress: advance.progress)
    }

    /// Forgets a key's progress; true if it had any.
    mutating func forget(_ key: UInt64) -> Bool {
        guard self[key] > 0 else { return false }
        table.update(Reached(order: max(key, 1))) { $0.progress = 0 }
        return true
    }

    /// Forgets a key's progress, which nobody reads before ``settle()``.
    mutating func forgetLater(_ key: UInt64, at position: JournalPosition = .end) {
        table.insertLater(Reached(order: max(key, 1)), at: position)
    }

    /// Merges the slots that wait.
    mutating func settle() { table.settle() }

    /// Calls `body` for each identifier with progress, after merging the slots that wait.
    mutating func forEach(_ body: (_ cell: UInt32, _ periodStart: UnixSeconds, _ progress: Int) -> Void) {
        settle()
        table.forEach { if $0.progress > 0 { body($0.cell, UnixSeconds(periods[Int($0.period)]), Int($0.progress)) } }
    }

    func part(_ kind: WindowPart.Kind, from place: WindowPart.Place) -> WindowPart.Contents? {
        switch kind {
        case .progress: .sections(of: table, from: place)
        case .progressPeriods: .numbers(periods.all)
        default: nil
        }
    }

    /// Takes a part over; false if it is malformed.
    mutating func load(_ part: WindowPart.Loaded) -> Bool {
        switch part.kind {
        case .progress: return part.fill(&table)
        case .progressPeriods:
            periods = Ordinals(part.numbers)
            return true
        default: return false
        }
    }
}

/// The identifiers' progress in a window that is over, on its way to a ``WindowClosing``.
///
/// It is apart from ``Counting`` so that counting does not wait while millions of identifiers are added up.
package struct EndedWindow: Sendable {
    let id: WindowID
    let progress: [Int: WindowProgress]
    let space: CellSpace

    /// Returns the number of identifiers with each progress.
    ///
    /// - Complexity: O(identifiers and metrics).
    package consuming func tallied() -> TalliedWindow {
        var counts: [WindowPlace: UInt32] = [:]
        for (metric, progress) in progress {
            guard let within = space.metrics[metric].within else { continue }
            var progress = progress
            var cells = FlatTable<UInt32>(initial: 0)
            var periods = Ordinals<Int64>()
            progress.forEach { cell, periodStart, progress in
                let bucket = UInt32(within.bucket(of: progress))
                cells[UInt64(cell + bucket) << 32 | periods.ordinal(of: periodStart.value)] += 1
            }
            cells.forEach { key, identifiers in
                let start = UnixSeconds(periods[Int(key & 0xFFFF_FFFF)])
                counts[WindowPlace(metric: metric, periodStart: start, cell: UInt32(key >> 32))] = identifiers
            }
        }
        return TalliedWindow(id: id, counts: counts)
    }
}

/// The number of identifiers with each progress in a window that is over; about nobody.
package struct TalliedWindow: Sendable {
    let id: WindowID
    /// Unit: identifiers.
    let counts: [WindowPlace: UInt32]
}

/// A leaf cell of a metric in a period, in the order of a closing's additions.
struct WindowPlace: Hashable, Comparable, Sendable {
    let metric: Int
    var periodStart: UnixSeconds
    let cell: UInt32

    static func < (left: Self, right: Self) -> Bool {
        (left.metric, left.periodStart, left.cell) < (right.metric, right.periodStart, right.cell)
    }
}
