/// Paces sign-ins that fail, so that nobody tries many tokens, and nobody keeps others out by trying.
///
/// Three bounds, of which each sign-in meets one or two:
/// - whoever shows the public part of a token that has opened the pages before has a bucket of that token's own:
///   nobody else can fill it who does not know that part;
/// - all others have a bucket of their network;
/// - and one of two that all networks share: those that have failed lately fill another one than those that have not,
///   so that a few that go on failing don't take the room of those that come for the first time.
///
/// A sign-in that succeeds costs nothing. Its memory never grows, and has neither addresses nor tokens: places of a
/// table, by a hash that is another one in each process.
struct SignInThrottle: Sendable {
    /// Empties at a steady pace.
    private struct Bucket {
        private var level = 0.0
        /// Unit: seconds.
        private var at = 0.0

        func level(_ pace: Pace, _ now: Double) -> Double { max(level - max(now - at, 0) * pace.perSecond, 0) }

        mutating func add(_ amount: Double, _ pace: Pace, _ now: Double) {
            (level, at) = (max(level(pace, now) + amount, 0), max(at, now))
        }
    }

    /// A limit: so many at once, and so many a second from then on.
    private struct Pace {
        let burst: Double
        let perSecond: Double

        static let one = Pace(burst: 10, perSecond: 1.0 / 6)
        static let failing = Pace(burst: 30, perSecond: 3)
        static let fresh = Pace(burst: 100, perSecond: 10)

        /// Returns the time until there is room again; 0 where there is. Unit: seconds.
        func wait(_ level: Double) -> Double { max(level + 1 - burst, 0) / perSecond }
    }

    /// The number of the table's places. Each token or network has two, and shares each of them with few others.
    private static let places = 4096
    private var buckets = [Bucket](repeating: Bucket(), count: places)
    private var (failing, fresh) = (Bucket(), Bucket())
    /// Hashes of public parts of tokens that have opened the pages; 0 is none.
    private var known = [Int](repeating: 0, count: places)

    /// Notes a sign-in by its token's public part, as it came, before the token is looked at; returns the seconds until
    /// there is room for it again, and nil if it is admitted. Sign-ins without a network share one. The clock is never
    /// set. Unit: seconds.
    mutating func refuse(_ part: String, from network: [UInt8], at now: Double) -> Int? {
        let isKnown = isKnown(part)
        let own = Self.places(of: part, network, isKnown: isKnown)
        let level = own.map { buckets[$0].level(.one, now) }.min() ?? 0
        // Less than one is a failure that is long over.
        let isFailing = level >= 1
        let pace: Pace = isFailing ? .failing : .fresh
        let shared = isKnown ? 0 : pace.wait((isFailing ? failing : fresh).level(pace, now))
        let wait = max(Pace.one.wait(level), shared)
        guard wait == 0 else { return Int(wait.rounded(.up)) }
        for place in own { buckets[place].add(1, .one, now) }
        guard !isKnown else { return nil }
        if isFailing { failing.add(1, pace, now) } else { fresh.add(1, pace, now) }
        return nil
    }

    /// The token of a sign-in that was admitted opens the pages.
    mutating func succeed(_ part: String, from network: [UInt8], at now: Double) {
        for place in Self.places(of: part, network, isKnown: isKnown(part)) { buckets[place].add(-1, .one, now) }
        // A link has no such part; if none were known, all who show none would share one bucket, and anyone could fill it.
        guard !part.isEmpty else { return }
        known[Self.place(part, 2)] = Self.hash(part, 3)
    }

    private func isKnown(_ part: String) -> Bool { known[Self.place(part, 2)] == Self.hash(part, 3) }

    private static func places(of part: String, _ network: [UInt8], isKnown: Bool) -> [Int] {
        (0..<2).map { isKnown ? place(part, $0) : place(network, $0) }
    }

    private static func place(_ value: some Hashable, _ turn: Int) -> Int {
        Int((UInt(bitPattern: hash(value, turn)) >> 1) % UInt(places))
    }

    private static func hash(_ value: some Hashable, _ turn: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(turn)
        hasher.combine(value)
        return hasher.finalize() | 1
    }
}
