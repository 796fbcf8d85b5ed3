/// Something that an app's developer should know, and that nothing throws: see ``ThrongOptions/notice``.
public enum ThrongNotice: Sendable, Hashable, CustomStringConvertible {
    /// Events were not sent, or not counted. The name is nil if events of several names went at once.
    case dropped(event: String?, reason: DropReason, count: Int)
    /// The person's answers could not be read. Everything counts as refused until they are given anew.
    case consentLost
    /// The device's memory was damaged: it goes on as another device, and what waited is lost.
    case memoryLost
    /// The stored documents are another device's, as after a backup was restored. This one goes on as a device of its
    /// own: refusals stay, and the person is asked again about what they agreed to.
    case anotherDevice
    /// There is no plan yet, or no newer one, and why.
    case noPlan(ThrongError)
    /// The device could get nothing by which to prove its identifiers, and why. It is tried again.
    case noCredential(String)

    /// The message: what was found and what to do.
    public var description: String {
        switch self {
        case .dropped(let event, let reason, let count):
            "\(count) of \(event.map { "event \($0.prefix(64))" } ?? "several events") not counted: \(reason.rawValue)."
        case .consentLost:
            "What the person said about purposes could not be read. All of them count as refused; ask again."
        case .memoryLost: "What the device remembered was damaged; it goes on as another device."
        case .anotherDevice:
            "What is stored is another device's. This one goes on as its own; refusals hold, and agreement is asked for again."
        case .noPlan(let error): "\(error)"
        case .noCredential(let reason): "The device can't prove its identifiers yet: \(reason)"
        }
    }
}

/// The reason why an event was not sent, or not counted. A closed list.
public enum DropReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is no plan yet, or was none when the app ended.
    case noPlan
    /// The plan has no such event, or only devices themselves may say it.
    case unknownEvent
    /// The plan has no use for one of its fields.
    case unknownField
    /// A field that is summed is missing or no number.
    case invalidValue
    /// No label says what several dimensions make of one field.
    case ambiguousField
    /// Its buckets can't occur together, as the plan says.
    case impossibleCombination
    /// Every metric that counts it has expired.
    case metricExpired
    /// No purpose that it would be counted for is allowed.
    case notAllowed
    /// It was not among the share that the plan asks for.
    case notSampled
    /// The device has added all that it may add in this window.
    case contributionBound
    /// The queue was full, and it was the oldest; or too much was recorded at once.
    case queueFull
    /// It waited too long for a connection.
    case tooOld
    /// Its batch got no answer as long as the daemon would have known it again; it may have been counted.
    case unanswered
    /// The daemon refused it.
    case refused
    /// Its purpose was withdrawn before it was sent.
    case withdrawn
}

/// The reason why a ``Throng`` could not be started, has no plan, or could not keep a person's answer.
public enum ThrongError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The plan's address does not end with `/v1/plan/APP`.
    case planAddress
    /// The plan's address is `http` to another machine, where everybody on the way could read what is sent.
    case unencrypted(host: String)
    /// There is no plan: none is stored or bundled, and why the daemon gave none.
    case noPlan(String)
    /// The plan can't be followed on this device.
    case plan(String)
    /// The storage can't be used, or could not keep something.
    case storage(String)

    /// The message: what was found and what to do.
    public var description: String {
        switch self {
        case .planAddress: "The plan's address must be an https URL that ends with /v1/plan/APP."
        case .unencrypted(let host):
            """
            The plan's address is http to \(host.prefix(64)), where everybody on the way could read what is sent. Allowed are \
            https, and http to 127.0.0.0/8, ::1 and localhost. Use the https address of the proxy before the daemon.
            """
        case .noPlan(let reason): "The daemon gave no plan: \(reason) It is asked again; an app may bundle one."
        case .plan(let reason): "The plan can't be followed: \(reason)"
        case .storage(let reason): reason
        }
    }
}

/// The state of a ``Throng``, in numbers.
public struct ThrongStatus: Sendable, Hashable {
    /// Events that wait in the queue, or for a plan.
    public let waiting: Int
    /// Events in batches that wait for an answer.
    public let unanswered: Int
    /// Withdrawals that the daemon does not know of yet, or that it refused in a window that is open.
    public let withdrawing: Int
    /// Events that were not sent or not counted since the library first started, by reason.
    public let dropped: [DropReason: Int]
    /// True if everything that was recorded is on disk.
    public let isSaved: Bool
    /// True if the person's answers about purposes are known and on disk. If they were lost, all purposes count as
    /// refused until the person answers anew.
    public let isConsentKept: Bool
    /// The SHA-256 of the plan that is followed; nil as long as there is none.
    public let planVersion: String?
    /// The reason why the last request for the daemon's plan failed; nil if it did not.
    public let planProblem: ThrongError?
}

/// The result of ``Throng/flush()``.
public struct FlushResult: Sendable, Hashable {
    /// Events that the daemon counted.
    public var counted = 0
    /// Events of a test that the plan takes; the daemon counted nothing of them.
    public var tested = 0
    /// Events that the daemon refused; ``Throng/sent`` has the reasons.
    public var refused = 0
    /// Events that still wait, for an answer or for the next window of their purpose.
    public var waiting = 0
    /// Withdrawals that the daemon does not know of yet, or that it refused in a window that is open.
    public var withdrawing = 0
    /// The reason why some of them wait, if there is one.
    public var problem: Problem?

    /// Nothing was sent and nothing waits.
    public init() {}

    /// A reason why events wait.
    public enum Problem: Sendable, Hashable {
        /// The daemon could not be reached, or gave no answer of its own.
        case unreachable
        /// There is no plan, without which nothing can be sent.
        case noPlan(ThrongError)
        /// The daemon asked to come again later. Unit: seconds from now.
        case busy(seconds: Int64)
        /// The daemon refused a whole batch, which is not sent again: an HTTP status, and its word for the reason.
        case rejected(status: Int, error: String)
        /// The storage could not note what is to be sent; unless it is noted first, a crash could count it twice.
        case storage
    }
}
