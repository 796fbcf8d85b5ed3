internal import ThrongWire

/// The identifiers used in windows that may be open, as what makes them again from the secret, and the withdrawals that
/// the daemon is to be told of. Shape, as JSON: the members below, by their names.
struct TakingBack: Codable, Sendable {
    /// The identifiers that batches were made under, by purpose; oldest first.
    private var used: [String: [UsedIdentifier]] = [:]
    /// The number of times that a purpose's identifiers were withdrawn, by purpose; later ones are others.
    private var times: [String: Int] = [:]
    /// The withdrawals that the daemon does not know of yet.
    private(set) var waiting: [OwedWithdrawal] = []
    /// The last window, by purpose, whose attested identifier was taken back or not accepted.
    private var spent: [String: RotationWindow] = [:]
    /// The identifiers made with the process's secret, by purpose. Not written down.
    private var passing: [String: [PassingIdentifier]] = [:]

    private enum CodingKeys: String, CodingKey { case used, times, waiting, spent }

    /// The most windows that are open at once, also after clocks were set.
    private static let mostUsed = 16

    // MARK: What was used

    /// Returns the mark that tells a purpose's identifiers before and after a withdrawal apart.
    func mark(of purpose: String) -> String { times[purpose].map { "\u{1f}w\($0)" } ?? "" }

    /// Notes that a batch was made under an identifier.
    mutating func use(_ identifier: UsedIdentifier, for purpose: String) {
        Self.note(identifier, in: &used[purpose, default: []])
    }

    /// Notes the same of an identifier that can't be made again after the process.
    mutating func use(_ identifier: PassingIdentifier, for purpose: String) {
        Self.note(identifier, in: &passing[purpose, default: []])
    }

    private static func note<Identifier: Equatable>(_ identifier: Identifier, in known: inout [Identifier]) {
        known = (known.filter { $0 != identifier } + [identifier]).suffix(mostUsed)
    }

    /// Keeps what is not written down.
    mutating func keepPassing(of other: TakingBack) { passing = other.passing }

    /// Forgets windows that are over at the daemon, by one of which it took a batch.
    mutating func forget(beyond counted: Int64, of purpose: String, rotation: Rotation) {
        // The daemon takes the window after its own, too.
        let earliest = rotation.start(of: WindowNumber(counted - 1))
        used[purpose]?.removeAll { $0.place.isOver(at: earliest) }
        passing[purpose]?.removeAll { $0.place.isOver(at: earliest) }
    }

    /// Takes out what is to be taken back of a purpose; from here on its identifiers are others.
    mutating func takeUsed(of purpose: String) -> (used: [UsedIdentifier], passing: [PassingIdentifier]) {
        (used.removeValue(forKey: purpose) ?? [], passing.removeValue(forKey: purpose) ?? [])
    }

    /// The purposes of which something could be taken back.
    var purposes: Set<String> { Set(used.keys).union(passing.keys) }

    /// Says whether an attested identifier may be used in a window, in which the device is no other.
    func mayAttest(_ purpose: String, at place: RotationWindow) -> Bool {
        spent[purpose] != place && !(used[purpose] ?? []).contains { $0.place == place && $0.attested == nil }
    }

    /// Notes that a window's attested identifier is of no use any more.
    mutating func spend(_ place: RotationWindow, of purpose: String) { spent[purpose] = place }

    // MARK: What the daemon is to be told

    /// Notes what the daemon is to be told of a purpose.
    mutating func tell(_ withdrawals: [OwedWithdrawal], of purpose: String) {
        waiting += withdrawals.filter { new in
            !waiting.contains { $0.purpose == purpose && $0.place == new.place && $0.body == new.body }
        }
        times[purpose, default: 0] += 1
    }

    /// Goes on as another device, which still has to tell what the former one had to.
    func handedOver() -> TakingBack {
        var heir = TakingBack()
        heir.spent = spent
        heir.waiting = waiting.map { withdrawal in
            var withdrawal = withdrawal
            // The log is another one.
            withdrawal.log = nil
            return withdrawal
        }
        return heir
    }

    /// Returns the withdrawals that may be sent now, oldest first.
    ///
    /// - Parameter isAsked: true if the app asks, which waits only as long as the daemon said.
    func ready(at now: UnixSeconds, isAsked: Bool) -> [OwedWithdrawal] {
        waiting.filter {
            !$0.isRefused && (isAsked ? $0.patience.retryAfter : max($0.due, $0.patience.notBefore)) <= now
        }
    }

    /// The time when the next one is due by itself; nil for none.
    var nextDue: UnixSeconds? { waiting.filter { !$0.isRefused }.map { max($0.due, $0.patience.notBefore) }.min() }

    /// Says whether batches wait for the next window: with another identifier in this one, the device is two.
    func holdsBack(_ purpose: String, window: Int64, rotation: Rotation) -> Bool {
        let place = RotationWindow(window: window, rotation: rotation)
        return waiting.contains { $0.purpose == purpose && $0.place == place }
    }

    subscript(id: String) -> OwedWithdrawal? {
        get { waiting.first { $0.id == id } }
        set {
            guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
            if let newValue { waiting[place] = newValue } else { waiting.remove(at: place) }
        }
    }

    /// Forgets what can't be taken back any more, at a time that the daemon has just confirmed.
    mutating func forgetOver(at now: UnixSeconds) { waiting.removeAll { $0.place.isOver(at: now) } }

    /// Goes by another clock: withdrawals may go at once, as nobody knows how long they waited.
    mutating func follow(clock now: UnixSeconds) {
        for place in waiting.indices {
            waiting[place].due = now
            waiting[place].patience = Patience()
        }
    }
}

struct RotationWindow: Codable, Sendable, Hashable {
    /// floor(unix time / rotation).
    let window: Int64
    let rotation: Rotation

    /// Says whether the daemon takes nothing of it any more: the window after the next one has begun.
    func isOver(at now: UnixSeconds) -> Bool { rotation.window(at: now).value >= window + 2 }
}

/// An identifier of which there are batches, without the identifier.
struct UsedIdentifier: Codable, Sendable, Hashable {
    let place: RotationWindow
    /// The mark that it was made with, besides the secret, the purpose and the window.
    let mark: String
    /// True if it was shown sealed only.
    let isSealed: Bool
    /// The identifier, where it is not made from the secret: one that nobody can invent.
    var attested: String?
}

/// An identifier by a secret that goes with the process.
struct PassingIdentifier: Sendable, Hashable {
    let place: RotationWindow
    let id: String
    /// True if it was shown sealed only.
    let isSealed: Bool
}

/// A withdrawal to tell the daemon of: an identifier's contributions in a window go.
struct OwedWithdrawal: Codable, Sendable {
    /// A random name, on the device only.
    let id: String
    let purpose: String
    let place: RotationWindow
    /// The body of `POST /v1/withdraw`.
    let body: String
    /// The earliest time at which it goes by itself.
    var due: UnixSeconds
    var patience = Patience()
    /// Its place in the log, once it was sent.
    var log: Int?
    /// True if the daemon does not take it: what it counted stays, and the window has no room for another identifier.
    var isRefused = false
    /// True if the identifier was shown sealed only, and so goes in no other way.
    let isSealed: Bool
}
