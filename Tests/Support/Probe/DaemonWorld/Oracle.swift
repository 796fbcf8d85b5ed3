import ThrongIngest
import ThrongPlan

/// Knows what clients sent and were told, and what may come of it.
struct Oracle {
    private(set) var posts: [Post] = []
    /// By metric and cell: posts that must be counted, and that may be.
    private var certain: [[Int]] = Array(repeating: Array(repeating: 0, count: Town.cells), count: Town.visits.count)
    private var possible: [[Int]] = Array(repeating: Array(repeating: 0, count: Town.cells), count: Town.visits.count)
    /// The same of the sum of the metric that has one, by cell.
    private(set) var certainSum = [Int64](repeating: 0, count: Town.cells)
    private(set) var possibleSum = [Int64](repeating: 0, count: Town.cells)
    private(set) var acknowledged = 0
    /// Who asked to be taken out, and who was told that it will be.
    private var askedToGo: Set<Post.Sender> = []
    private var gone: Set<Post.Sender> = []

    mutating func add(_ post: Post) { posts.append(post) }

    /// A copy is made: what nobody was told of is not on it, as far as anybody can tell.
    mutating func copies() {
        for number in posts.indices where posts[number].fate == .unknown { posts[number].isApart = true }
    }

    /// A copy takes over: what it had open when it was copied it does not close where that is over.
    ///
    /// - Parameter now: the latest time that any process may have believed.
    mutating func takesOver(now: UnixSeconds) {
        for number in posts.indices where posts[number].window.over <= now { posts[number].isBetween = true }
    }

    /// Notes that a post goes to a line of processes, of which some more were copied; false where a client must not send it
    /// there: it went to one that this one doesn't know of.
    mutating func sends(_ number: Int, to line: Int, of lines: Int) -> Bool {
        let post = posts[number]
        let isKnown = post.line < line && !post.isApart && post.fate == .acknowledged
        guard post.line == line || isKnown else { return false }
        posts[number].line = line
        posts[number].isApart = line < lines
        return true
    }

    /// A client asked to be taken out: nothing of it must be there any more.
    mutating func mayWithdraw(_ sender: Post.Sender) {
        guard askedToGo.insert(sender).inserted else { return }
        for post in posts where post.sender == sender && post.fate == .acknowledged {
            for cell in post.cells {
                certain[post.place][cell] -= 1
                certainSum[cell] -= post.amount
            }
        }
    }

    /// A client was told that it will be taken out.
    mutating func withdraws(_ sender: Post.Sender) { gone.insert(sender) }

    /// Whether a post must be there in the end.
    func isCertain(_ post: Post) -> Bool { post.fate == .acknowledged && !askedToGo.contains(post.sender) }

    /// Whether a post may be there; in the end nothing is of those who were taken out, where nothing was released.
    func isPossible(_ post: Post, _ state: DatabaseState, isFinal: Bool) -> Bool {
        post.fate != .refused && !(isFinal && state.released.isEmpty && gone.contains(post.sender))
    }

    /// Nobody counts who was told to be taken out.
    func checkCounted(_ number: Int) -> Violation? {
        let post = posts[number]
        guard post.fate == .refused, gone.contains(post.sender) else { return nil }
        return Violation(promise: .withdrawn, detail: "post \(number) counts, although its sender withdrew before")
    }

    /// Nothing is left of those who were told to be taken out.
    private func checkWithdrawn(_ state: DatabaseState) -> Violation? {
        guard state.released.isEmpty else { return nil }
        var possible = possible
        var possibleSum = possibleSum
        for post in posts where post.fate != .refused && gone.contains(post.sender) {
            for cell in post.cells {
                possible[post.place][cell] -= 1
                possibleSum[cell] -= post.amount
            }
        }
        for (place, metric) in Town.visits.enumerated() {
            for cell in 0..<Town.cells {
                let found = state.counters[.init(metric: metric, measure: 0, cell: UInt32(cell))] ?? 0
                let sum = state.counters[.init(metric: metric, measure: 1, cell: UInt32(cell))] ?? 0
                let most = Int64(possible[place][cell])
                guard found > most || metric == Town.paid && sum > possibleSum[cell] else { continue }
                return Violation(
                    promise: .withdrawn,
                    detail: "\(metric) cell \(cell) holds \(found) and \(sum), without those who withdrew \(most)")
            }
        }
        return nil
    }

    /// The client was not told that its batch counts, and it may.
    mutating func mayCount(_ number: Int) {
        guard posts[number].fate == .refused else { return }
        posts[number].fate = .unknown
        for cell in posts[number].cells {
            possible[posts[number].place][cell] += 1
            possibleSum[cell] += posts[number].amount
        }
    }

    /// The client was told that its batch counts.
    mutating func counts(_ number: Int) {
        mayCount(number)
        guard posts[number].fate == .unknown else { return }
        posts[number].fate = .acknowledged
        acknowledged += 1
        guard !askedToGo.contains(posts[number].sender) else { return }
        for cell in posts[number].cells {
            certain[posts[number].place][cell] += 1
            certainSum[cell] += posts[number].amount
        }
    }

    /// Nothing was counted more often than it was sent: true at any time.
    func checkUpper(_ state: DatabaseState) -> Violation? {
        for (place, metric) in Town.visits.enumerated() {
            for cell in 0..<Town.cells {
                let found = state.counters[.init(metric: metric, measure: 0, cell: UInt32(cell))] ?? 0
                guard found > Int64(possible[place][cell]) else { continue }
                return Violation(
                    promise: .doubled, detail: "\(metric) cell \(cell) holds \(found), sent \(possible[place][cell])")
            }
        }
        return checkSums(state, isFinal: false) ?? checkIdentifiers(state, isFinal: false)
    }

    /// Everything that was acknowledged is there: true once all faults have ceased.
    func checkFinal(_ state: DatabaseState) -> Violation? {
        if let upper = checkUpper(state) { return upper }
        for (place, metric) in Town.visits.enumerated() {
            for cell in 0..<Town.cells {
                let found = state.counters[.init(metric: metric, measure: 0, cell: UInt32(cell))] ?? 0
                guard found < Int64(certain[place][cell]) else { continue }
                return Violation(
                    promise: .lost,
                    detail: "\(metric) cell \(cell) holds \(found), acknowledged \(certain[place][cell])")
            }
        }
        return checkWithdrawn(state) ?? checkSums(state, isFinal: true) ?? checkIdentifiers(state, isFinal: true)
    }

    private struct Seen: Hashable {
        let place: Int
        let window: Int64
        let periodStart: UnixSeconds
    }

    /// Distinct counts of all cells together: never more than there were, and no fewer where nothing was late.
    private func checkIdentifiers(_ state: DatabaseState, isFinal: Bool) -> Violation? {
        var found: [Seen: Int64] = [:]
        var often: [Int64: Int64] = [:]
        for (key, count) in state.distinct {
            if key.metric == Town.often {
                often[key.window, default: 0] += count
            } else if key.margin == 0, let place = Town.visits.firstIndex(of: key.metric) {
                found[Seen(place: place, window: key.window, periodStart: key.periodStart), default: 0] += count
            }
        }
        var (may, must): ([Seen: Set<Int>], [Seen: Set<Int>]) = ([:], [:])
        var (mayOften, mustOften): ([Int64: Set<Int>], [Int64: Set<Int>]) = ([:], [:])
        for post in posts where isPossible(post, state, isFinal: isFinal) {
            let seen = Seen(place: post.place, window: post.window.number.value, periodStart: post.periodStart)
            may[seen, default: []].insert(post.who)
            if post.place == 0 { mayOften[seen.window, default: []].insert(post.who) }
            guard isCertain(post) else { continue }
            must[seen, default: []].insert(post.who)
            // What the process counted after it was copied goes with it.
            if post.place == 0, !post.isApart, !post.isBetween { mustOften[seen.window, default: []].insert(post.who) }
        }
        // Late events count into another period of the same window.
        let isLate = !state.released.isEmpty
        for (seen, count) in found.sorted(by: {
            ($0.key.window, $0.key.periodStart) < ($1.key.window, $1.key.periodStart)
        }) {
            let most =
                isLate
                ? may.filter { $0.key.place == seen.place && $0.key.window == seen.window }
                    .reduce(into: Set<Int>()) { $0.formUnion($1.value) }.count
                : may[seen]?.count ?? 0
            guard count > most else { continue }
            return Violation(
                promise: .identifiers,
                detail:
                    "\(Town.visits[seen.place]) window \(seen.window) period \(seen.periodStart): \(count) of \(most)")
        }
        for (window, count) in often.sorted(by: { $0.key < $1.key }) where count > mayOften[window]?.count ?? 0 {
            return Violation(
                promise: .identifiers, detail: "often window \(window): \(count) of \(mayOften[window]?.count ?? 0)")
        }
        guard isFinal, !isLate else { return nil }
        for (seen, who) in must.sorted(by: { ($0.key.window, $0.key.periodStart) < ($1.key.window, $1.key.periodStart) }
        )
        where (found[seen] ?? 0) < who.count {
            return Violation(
                promise: .identifiers,
                detail: "\(Town.visits[seen.place]) window \(seen.window): \(found[seen] ?? 0), at least \(who.count)")
        }
        for (window, who) in mustOften.sorted(by: { $0.key < $1.key }) where (often[window] ?? 0) < who.count {
            return Violation(
                promise: .identifiers, detail: "often window \(window): \(often[window] ?? 0), at least \(who.count)")
        }
        return nil
    }
}
