package import ThrongPlan

// A checkpoint is the state of open windows, part by part. Each part is of another moment, because counting goes on
// between two of them. A restart takes the parts over and replays the journal from before the first of them. A record's
// effect on a part that was made after it is not repeated. The result is the same as a replay of the whole journal.

/// A walk over the state of all open windows.
package struct WindowWalk: Sendable {
    /// The position that every part includes.
    package let from: JournalPosition
    /// The windows, in the order of their parts.
    package let windows: [WindowID]
    /// Windows that take no more batches and may have keys, with the place of their last record.
    package let closing: [WindowID: JournalPosition]

    fileprivate struct Step: Sendable {
        let window: WindowID
        let kind: WindowPart.Kind
        let metric: Int
    }

    fileprivate let endings: Int
    fileprivate var steps: ArraySlice<Step>
    /// The start of the next part of a table or of refusals.
    fileprivate var place: WindowPart.Place
    fileprivate var refusalBytes = 0

    package enum Next: Sendable {
        case part(WindowPart)
        /// The end: every record that any part includes is at most this one.
        case end(JournalPosition)
        /// A window has ended meanwhile: a restart can't use what was read of it.
        case windowEnded
    }
}

extension Counting {
    /// Begins a walk; nil while a window is being closed.
    ///
    /// - Parameter partBytes: the approximate size of parts. Unit: bytes.
    /// - Complexity: O(open windows and metrics).
    package func walk(partBytes: Int = WindowPart.standardBytes) -> WindowWalk? {
        guard closing.values.allSatisfy({ $0 < .end }) else { return nil }
        let ids = windows.open.sorted()
        var steps: [WindowWalk.Step] = []
        for id in ids {
            guard let window = windows.window(of: id) else { continue }
            func add(_ kinds: WindowPart.Kind..., metric: Int = 0) {
                for kind in kinds { steps.append(.init(window: id, kind: kind, metric: metric)) }
            }
            add(.head, .refusals, .batches, .pairs, .proved, .contributions)
            for metric in window.progress.keys.sorted() { add(.progress, .progressPeriods, metric: metric) }
            add(.withdrawn, .end)
        }
        return WindowWalk(
            from: position, windows: ids, closing: closing, endings: windows.endings, steps: steps[...],
            place: .init(bytes: partBytes))
    }

    /// Returns the next part of a walk.
    ///
    /// - Complexity: O(1), plus a copy of a few hundred kilobytes of refusals; ``WindowPart/bytes`` does the work.
    ///   While a part of a table is held, counting copies what it changes of it.
    package func next(of walk: inout WindowWalk) -> WindowWalk.Next {
        guard walk.endings == windows.endings else { return .windowEnded }
        while let step = walk.steps.first {
            guard let window = windows.window(of: step.window) else { return .windowEnded }
            let place = walk.place.start
            guard let contents = contents(of: step, in: window, &walk) else { continue }
            return .part(
                WindowPart(
                    window: step.window, kind: step.kind, metric: step.metric,
                    section: contents.sections > 0 ? place : 0, through: position, contents: contents))
        }
        return .end(position)
    }

    /// Returns the content at a step of a walk, nil if it is empty, and moves on.
    private func contents(
        of step: WindowWalk.Step, in window: OpenWindow, _ walk: inout WindowWalk
    ) -> WindowPart.Contents? {
        let place = walk.place
        func end() {
            walk.steps.removeFirst()
            walk.place.start = 0
        }
        switch step.kind {
        case .head:
            walk.refusalBytes = window.batches.refusalBytes
            end()
            return window.batches.part(.head, from: place, refusalBytes: 0)
        case .refusals:
            guard place.start < walk.refusalBytes else {
                end()
                return nil
            }
            walk.place.start += place.bytes
            return window.batches.part(.refusals, from: place, refusalBytes: walk.refusalBytes)
        case .withdrawn:
            let withdrawn = window.withdrawn
            end()
            return withdrawn.isEmpty ? nil : .withdrawn(withdrawn)
        case .end:
            end()
            return .numbers([Int64(bitPattern: window.lastPosition.value)])
        case .progressPeriods:
            end()
            return window.part(step.kind, of: step.metric, from: place)
        case .batches, .pairs, .proved, .contributions, .progress:
            let contents = window.part(step.kind, of: step.metric, from: place)
            walk.place.start += contents?.sections ?? WindowPart.sectionCount
            if walk.place.start >= WindowPart.sectionCount { end() }
            return contents
        }
    }

    /// Takes a part over. Parts come in the order in which they were made, before any record is replayed.
    ///
    /// - Parameter metrics: the ordinal in ``space`` for each ordinal of the checkpoint; nil for a layout that is gone.
    /// - Returns: false if the bytes are not a part.
    package mutating func restore(
        _ bytes: UnsafeRawBufferPointer, of id: WindowID, metrics: [Int?], now: UnixSeconds
    ) -> Bool {
        guard let part = WindowPart.Loaded(bytes) else { return false }
        if id.over <= now, part.kind.isOfIdentifiers { return true }
        guard part.metric == 0 || part.metric < metrics.count else { return false }
        let metric = part.metric < metrics.count ? metrics[part.metric] : nil
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        // The replay then finds as much room for refusals as the first count had.
        let before = window.batches.refusalBytes
        defer {
            refusalBytes += window.batches.refusalBytes - before
            windows.putBack(window, at: place)
        }
        return window.load(part, metric: metric)
    }

    /// Restores a window that takes no more batches and may have a key.
    package mutating func restore(closing id: WindowID, at position: JournalPosition) { closing[id] = position }
}

extension OpenWindow {
    /// Returns part of a table, or of the periods that it refers to.
    fileprivate func part(_ kind: WindowPart.Kind, of metric: Int, from place: WindowPart.Place) -> WindowPart.Contents?
    {
        switch kind {
        case .batches: batches.part(kind, from: place, refusalBytes: 0)
        case .pairs: .sections(of: pairs, from: place)
        case .proved: .sections(of: proved, from: place)
        case .contributions: .sections(of: contributions, from: place)
        case .progress, .progressPeriods: progress[metric]?.part(kind, from: place)
        case .head, .refusals, .withdrawn, .end: nil
        }
    }

    /// Takes a part over; false if it is malformed.
    fileprivate mutating func load(_ part: WindowPart.Loaded, metric: Int?) -> Bool {
        switch part.kind {
        case .head, .refusals, .batches: return batches.load(part)
        case .pairs: return part.fill(&pairs)
        case .proved: return part.fill(&proved)
        case .contributions: return part.fill(&contributions)
        case .progress, .progressPeriods:
            guard let metric else { return true }
            return progress[metric, default: WindowProgress()].load(part)
        case .withdrawn:
            let numbers = part.numbers.map { UInt64(bitPattern: $0) }
            for place in stride(from: 0, to: numbers.count - numbers.count % 4, by: 4) {
                let identifier = KeyedIdentifier(high: numbers[place], low: numbers[place + 1])
                withdrawn[identifier] = .init(
                    position: JournalPosition(numbers[place + 2]), isDone: numbers[place + 3] != 0)
            }
            return numbers.count % 4 == 0
        case .end:
            guard let last = part.numbers.first else { return false }
            lastPosition = max(lastPosition, JournalPosition(UInt64(bitPattern: last)))
            return true
        }
    }
}

extension WindowPart.Contents {
    /// Returns the part that holds requests for removal.
    fileprivate static func withdrawn(_ withdrawn: [KeyedIdentifier: OpenWindow.Withdrawn]) -> Self {
        Self { head in
            var numbers: [Int64] = []
            numbers.reserveCapacity(4 * withdrawn.count)
            for (identifier, request) in withdrawn {
                numbers += [identifier.high, identifier.low, request.position.value, request.isDone ? 1 : 0]
                    .map { Int64(bitPattern: $0) }
            }
            return Self.numbers(numbers).bytes(head)
        }
    }
}
