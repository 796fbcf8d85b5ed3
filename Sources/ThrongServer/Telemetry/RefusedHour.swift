internal import Logging
internal import ThrongWire

/// The events of the hour under way that changed no counter, by reason, and one example of each: for one line of the log
/// an hour where they are many, and for the operator's page.
///
/// An example has names of the plan and shapes, and nothing that a client sent.
struct RefusedHour {
    private let began: ContinuousClock.Instant
    private var accepted = 0
    private var refused: [RefusalReason: Int] = [:]
    private var examples: [RefusalReason: String] = [:]
    private let former: [RefusalReason: String]

    init(began: ContinuousClock.Instant = .now, former: [RefusalReason: String] = [:]) {
        self.began = began
        self.former = former
    }

    mutating func add(_ answer: BatchAnswer) {
        accepted += answer.accepted
        for refusal in answer.refused {
            refused[refusal.reason, default: 0] += 1
            guard examples[refusal.reason] == nil, let detail = refusal.detail else { continue }
            examples[refusal.reason] = Self.example(detail)
        }
    }

    /// The latest example of a reason; nil where the reason says all.
    func example(of reason: RefusalReason) -> String? { examples[reason] ?? former[reason] }

    /// Begins the next hour where this one is over; returns what is to be said of it.
    mutating func end(at now: ContinuousClock.Instant) -> Logger.Metadata? {
        guard now - began >= .seconds(3600) else { return nil }
        defer { self = RefusedHour(began: now, former: former.merging(examples) { $1 }) }
        let faults = refused.filter { !$0.key.isWish }
        guard Self.areMany(faults, beside: accepted), let most = faults.max(by: { $0.value < $1.value }) else {
            return nil
        }
        let sum = faults.values.reduce(0, +)
        var facts: Logger.Metadata = ["percent": "\(100 * sum / (sum + accepted))", "most": "\(most.key.rawValue)"]
        if let example = examples[most.key] { facts["example"] = "\(example)" }
        return facts
    }

    /// Returns true if of a hundred events or more every twentieth was refused, but for wishes: clients and the plan differ.
    static func areMany(_ refused: [RefusalReason: Int], beside accepted: Int) -> Bool {
        let faults = refused.filter { !$0.key.isWish }.values.reduce(0, +)
        return faults + accepted >= 100 && faults * 20 > faults + accepted
    }

    /// `price: text with a comma`, `a name like channel`, `at: not an RFC 3339 time`.
    private static func example(_ detail: RefusalDetail) -> String {
        let last = detail.pointer.split(separator: "/").last.map { Int($0) == nil ? String($0) : "event" }
        let place = detail.field ?? detail.nearest.map { "a name like \($0)" } ?? last ?? "batch"
        let shape = detail.found ?? detail.expected.map { "not \($0)" }
        return place + (shape.map { ": \($0)" } ?? "")
    }
}

extension RefusalReason {
    /// True if a person wants it so: then nothing is at fault.
    fileprivate var isWish: Bool { self == .optedOut || self == .consentOutdated }
}
