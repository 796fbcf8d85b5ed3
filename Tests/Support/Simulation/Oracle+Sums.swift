import ThrongCounting
import ThrongPlan

extension Oracle {
    /// A sum holds no more than was sent, and in the end no less than was acknowledged.
    func checkSums(_ state: DatabaseState, isFinal: Bool) -> Violation? {
        for cell in 0..<Town.cells {
            let found = state.counters[.init(metric: Town.paid, measure: 1, cell: UInt32(cell))] ?? 0
            if found > possibleSum[cell] {
                return Violation(
                    promise: .doubled, detail: "cell \(cell) adds up to \(found), sent \(possibleSum[cell])")
            }
            if isFinal, found < certainSum[cell] {
                return Violation(
                    promise: .lost, detail: "cell \(cell) adds up to \(found), acknowledged \(certainSum[cell])")
            }
        }
        return nil
    }

    /// The two largest contributions to a whole period are never larger than what two devices sent, and in the end no smaller
    /// than what of theirs was acknowledged; nothing is said where something was late, or where a copy met other devices.
    func checkLargest(_ state: DatabaseState, isFinal: Bool) -> Violation? {
        guard state.released.isEmpty else { return nil }
        struct Place: Hashable {
            let window: Int64
            let periodStart: UnixSeconds
        }
        var (may, must): ([Place: [Int: Int64]], [Place: [Int: Int64]]) = ([:], [:])
        for post in posts where post.amount > 0 && isPossible(post, state, isFinal: isFinal) {
            let place = Place(window: post.window.number.value, periodStart: post.periodStart)
            let amount = post.amount * Int64(post.spread)
            may[place, default: [:]][post.who, default: 0] += amount
            if isCertain(post) { must[place, default: [:]][post.who, default: 0] += amount }
        }
        func pair(_ amounts: [Int: Int64]?) -> DatabaseState.Pair {
            let largest = (amounts ?? [:]).values.sorted(by: >) + [0, 0]
            return DatabaseState.Pair(largest: largest[0], second: largest[1])
        }
        func violation(_ place: Place, _ found: DatabaseState.Pair, _ word: String, _ bound: DatabaseState.Pair)
            -> Violation
        {
            Violation(
                promise: .largest,
                detail: "window \(place.window) period \(place.periodStart): \(found), \(word) \(bound)")
        }
        var found: [Place: DatabaseState.Pair] = [:]
        for (key, pair) in state.largest where key.metric == Town.paid && key.margin == 0 {
            found[Place(window: key.window, periodStart: key.periodStart)] = pair
        }
        let places = Set(found.keys).union(must.keys).sorted {
            ($0.window, $0.periodStart) < ($1.window, $1.periodStart)
        }
        for place in places {
            let (here, most, least) = (
                found[place] ?? .init(largest: 0, second: 0), pair(may[place]), pair(must[place])
            )
            if here.largest > most.largest || here.second > most.second {
                return violation(place, here, "at most", most)
            }
            guard isFinal, !hasCopies else { continue }
            if here.largest < least.largest || here.second < least.second {
                return violation(place, here, "at least", least)
            }
        }
        return nil
    }
}
