/// Something that an app's developer should know, and that nothing throws: see ``ThrongOptions/notice``.
public enum ThrongNotice: Sendable, Hashable {
    /// Events were not sent, or not counted. The name is nil where events of several names went at once.
    case dropped(event: String?, reason: DropReason, count: Int)
    /// What the person said could not be read. Everything counts as refused until it is said anew.
    case consentLost
    /// What the device remembered was damaged: it goes on as another device, and what waited is lost.
    case memoryLost
    /// There is no plan yet, or no newer one, and why.
    case noPlan(ThrongError)
}

extension ThrongNotice: CustomStringConvertible {
    /// What was found and what to do.
    public var description: String {
        switch self {
        case .dropped(let event, let reason, let count):
            "\(count) of \(event.map { "event \($0.prefix(64))" } ?? "several events") not counted: \(reason.rawValue)."
        case .consentLost:
            "What the person said about purposes could not be read. All of them count as refused; ask again."
        case .memoryLost: "What the device remembered was damaged; it goes on as another device."
        case .noPlan(let error): "\(error)"
        }
    }
}
