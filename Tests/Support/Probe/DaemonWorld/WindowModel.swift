/// The life of one window, as small as it can be: what is journalled, remembered, closed and flushed of one identifier whose
/// client sends its batch again and again, while processes end and the clock is wrong.
///
/// Abstracts `Counting`, `KeyRing` and a start. Every state that any order of steps leads to is looked at.
package struct WindowModel: Hashable, Sendable {
    /// What can happen.
    package enum Step: String, CaseIterable, Sendable {
        case count, flush, tidy, attach, detach, kill, replay, clockAhead, clockBack, windowEnds
    }

    /// Whether the machine's clock is beyond the window's end although the window is not over.
    private var isAhead = false
    /// Whether the window is truly over.
    private var isOver = false
    /// Records on disk, and how many of them PostgreSQL has.
    private var journalled = 0
    private var flushed = 0
    private var hasKey = false
    /// On disk: nobody is counted in the window any more.
    private var isClosed = false
    /// How often PostgreSQL counts the identifier.
    private var counted = 0
    /// What the process knows; nil while there is none.
    private var process: Memory? = Memory()

    private struct Memory: Hashable {
        var isAttached = false
        /// Whether the identifier, and its batch, were seen.
        var remembers = false
        var isClosed = false
    }

    /// Whether a start closes windows that it finds to be over: the rule that item 2 of the faults turns off.
    private let closesReplayed: Bool

    /// Nothing has happened.
    package init(closesReplayed: Bool) { self.closesReplayed = closesReplayed }

    /// Whether the identifier is counted at most once, with what is still to be flushed.
    package var isRight: Bool { counted + (journalled - flushed) <= 1 }

    private var looksOver: Bool { isOver || isAhead }

    /// What a step leads to; nil where it can't happen.
    package func after(_ step: Step) -> WindowModel? {
        var next = self
        switch step {
        case .count:
            // The client sends while the window lasts by its own, right clock.
            guard let memory = process, !isOver, !looksOver, !memory.isClosed, !isClosed, !memory.remembers else {
                return nil
            }
            next.journalled += 1
            next.hasKey = true
            next.process?.remembers = true
        case .flush:
            guard process?.isAttached == true, flushed < journalled else { return nil }
            next.counted += journalled - flushed
            next.flushed = journalled
        case .tidy:
            guard process != nil, looksOver else { return nil }
            next.process?.remembers = false
            if hasKey { next.process?.isClosed = true }
            if hasKey, flushed == journalled {
                next.hasKey = false
                next.isClosed = true
            }
        case .attach:
            guard process?.isAttached == false else { return nil }
            next.process?.isAttached = true
        case .detach:
            guard process?.isAttached == true else { return nil }
            next.process?.isAttached = false
        case .kill:
            guard process != nil else { return nil }
            next.process = nil
        case .replay:
            guard process == nil else { return nil }
            next.process = Memory()
            next.process?.remembers = hasKey && journalled > 0 && !looksOver
            if closesReplayed, looksOver, hasKey { next.isClosed = true }
        case .clockAhead:
            guard !isAhead else { return nil }
            next.isAhead = true
        case .clockBack:
            guard isAhead else { return nil }
            next.isAhead = false
        case .windowEnds:
            guard !isOver else { return nil }
            next.isOver = true
        }
        return next
    }

    /// What a search of all states found.
    package struct Search: Sendable {
        /// How many there are.
        package let states: Int
        /// The shortest way to one that is wrong; nil where none is.
        package let counterexample: [Step]?
    }

    /// Looks at every state, nearest first.
    package static func search(closesReplayed: Bool) -> Search {
        let first = WindowModel(closesReplayed: closesReplayed)
        var ways: [WindowModel: [Step]] = [first: []]
        var row = [first]
        while !row.isEmpty {
            var following: [WindowModel] = []
            for state in row {
                let way = ways[state] ?? []
                for step in Step.allCases {
                    guard let next = state.after(step), ways[next] == nil else { continue }
                    ways[next] = way + [step]
                    guard next.isRight else { return Search(states: ways.count, counterexample: way + [step]) }
                    following.append(next)
                }
            }
            row = following
        }
        return Search(states: ways.count, counterexample: nil)
    }
}
