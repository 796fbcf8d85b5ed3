package import ThrongPlan
package import ThrongWire

/// What became of events, and where identifiers came from: totals of a whole app, about nobody.
package enum CoverageKind: Hashable, Sendable {
    /// They changed a counter.
    case accepted
    /// Of these, events of an identifier that was proved by then.
    case proved
    /// They counted into a later period, because their own was released; once a metric.
    case late
    /// They changed none.
    case refused(RefusalReason)
    /// Not events: windows of which the largest network brought such a share of the identifiers.
    case windows(NetworkShare)

    /// From here on codes are of windows.
    private static let firstShare: UInt8 = 200
    private static let provedCode: UInt8 = 254

    /// A stable number for files.
    package var code: UInt8 {
        switch self {
        case .accepted: 0
        case .proved: Self.provedCode
        case .late: 255
        case .refused(let reason): reason.code
        case .windows(let share): Self.firstShare + share.rawValue
        }
    }

    /// The kind with that number; nil for a number that this version does not know.
    package init?(code: UInt8) {
        switch code {
        case 0: self = .accepted
        case Self.provedCode: self = .proved
        case 255: self = .late
        case Self.firstShare..<Self.provedCode:
            guard let share = NetworkShare(rawValue: code - Self.firstShare) else { return nil }
            self = .windows(share)
        default:
            guard let reason = RefusalReason(code: code) else { return nil }
            self = .refused(reason)
        }
    }

    /// What the schema stores.
    package var name: String {
        switch self {
        case .accepted: "accepted"
        case .proved: "proved"
        case .late: "late"
        case .refused(let reason): reason.rawValue
        case .windows(let share): share.kind
        }
    }
}

/// What is added to one total of an app.
package struct CoverageDelta: Hashable, Sendable {
    /// The app.
    package let app: AppName
    /// The hour, by UTC, in which the batch's window began; of late events the first that begins in the period that took
    /// them; of opt-outs, and of what nobody agreed to, the one in which they came.
    package let hour: UnixSeconds
    /// What became of them.
    package let kind: CoverageKind
    /// Unit: events, or windows.
    package let events: Int64

    /// Puts a delta together.
    package init(app: AppName, hour: UnixSeconds, kind: CoverageKind, events: Int64) {
        self.app = app
        self.hour = hour
        self.kind = kind
        self.events = events
    }

    /// The first hour that begins in a period.
    package static func hour(ofPeriod start: UnixSeconds) -> UnixSeconds { hour(holding: start + 3599) }

    /// The hour, by UTC, that holds an instant.
    static func hour(holding time: UnixSeconds) -> UnixSeconds {
        UnixSeconds(time.flooredQuotient(by: 3600) * 3600)
    }
}

/// Totals of apps that PostgreSQL does not have yet.
struct PendingCoverage: Sendable {
    private struct Key: Hashable {
        let app: AppName
        let hour: UnixSeconds
        let kind: UInt8
    }

    private var totals: [Key: Int64] = [:]

    var isEmpty: Bool { totals.isEmpty }

    mutating func add(_ delta: CoverageDelta) {
        let key = Key(app: delta.app, hour: delta.hour, kind: delta.kind.code)
        totals[key] = (totals[key] ?? 0).saturatingAdd(delta.events)
    }

    /// By app, hour and kind, so that all daemons lock rows in one order.
    var deltas: [CoverageDelta] {
        totals.compactMap { key, events in
            CoverageKind(code: key.kind).map {
                CoverageDelta(app: key.app, hour: key.hour, kind: $0, events: events)
            }
        }
        .sorted { ($0.app, $0.hour, $0.kind.code) < ($1.app, $1.hour, $1.kind.code) }
    }
}

extension CountedBatch {
    /// What it adds to the totals of its app.
    func forEachCoverage(_ body: (CoverageDelta) -> Void) {
        let hour = CoverageDelta.hour(holding: window.rotation.start(of: window.number))
        func add(_ kind: CoverageKind, _ events: Int64, _ hour: UnixSeconds) {
            body(CoverageDelta(app: window.app, hour: hour, kind: kind, events: events))
        }
        if answer.accepted > 0 {
            add(.accepted, Int64(answer.accepted), hour)
            if isProved { add(.proved, Int64(answer.accepted), hour) }
        }
        if !answer.refused.isEmpty {
            var reasons: [RefusalReason: Int64] = [:]
            for refusal in answer.refused { reasons[refusal.reason, default: 0] += 1 }
            for (reason, events) in reasons { add(.refused(reason), events, hour) }
        }
        for addition in additions where addition.isLate {
            add(.late, addition.count, CoverageDelta.hour(ofPeriod: addition.periodStart))
        }
    }
}

extension Counting {
    /// Notes events that were refused for want of consent. Nothing of them is journalled: those since the last flush are
    /// not noted where the process dies.
    ///
    /// - Parameter reason: `optedOut` or `consentOutdated`.
    package mutating func noteUnwanted(
        _ events: Int, _ reason: RefusalReason = .optedOut, app: AppName, now: UnixSeconds
    ) {
        pending.coverage.add(
            CoverageDelta(
                app: app, hour: CoverageDelta.hour(holding: now), kind: .refused(reason), events: Int64(events)))
    }

    /// Notes how much the largest network of a window brought. Nothing of it is journalled: it is not noted where the process dies
    /// before the next flush.
    package mutating func note(_ share: NetworkShare, of window: WindowID) {
        pending.coverage.add(
            CoverageDelta(
                app: window.app, hour: CoverageDelta.hour(holding: window.rotation.start(of: window.number)),
                kind: .windows(share), events: 1))
    }
}
