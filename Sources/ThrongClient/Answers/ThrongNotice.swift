/// Something that an app's developer should know, and that nothing throws: see ``ThrongOptions/notice``.
public enum ThrongNotice: Sendable, Hashable {
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
public enum ThrongError: Error, Sendable, Hashable {
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
}

extension ThrongNotice: CustomStringConvertible {
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

extension ThrongError: CustomStringConvertible {
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
