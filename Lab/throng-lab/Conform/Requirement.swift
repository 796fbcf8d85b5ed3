/// A requirement of the wire protocol on a client, by the name under which `throng conform` tells whether it is kept.
package enum Requirement: String, Sendable, CaseIterable {
    case counted
    case planned
    case coarsened
    case windows
    case identifiers
    case noIdentifier = "no-identifier"
    case sameBytes = "same-bytes"
    case exactlyOnce = "exactly-once"
    case patience
    case refused
    case expired
    case consent
    case consentVersion = "consent-version"
    case optOut = "opt-out"
    case takenBack = "taken-back"
    case clock

    /// The words for what it asks for.
    package var words: String {
        switch self {
        case .counted: "what is recorded is sent and counted"
        case .planned: "no event and no field leaves the device that the plan does not name"
        case .coarsened: "a field that is not added up leaves the device as a bucket, the right one"
        case .windows: "a batch names the window in which it is sent"
        case .identifiers:
            "one random identifier in a window of a purpose, another one in each other window and purpose"
        case .noIdentifier: "no identifier where the purpose has none"
        case .sameBytes: "a batch without an answer is sent again byte for byte"
        case .exactlyOnce: "each event counts once, through lost answers, 503 and kill -9"
        case .patience: "after 503 nothing is sent before Retry-After is over"
        case .refused: "a batch that was refused is not sent again"
        case .expired: "a batch that may have been counted is not moved into another window"
        case .consent: "nothing is sent without consent where it is needed, or of the time before"
        case .consentVersion:
            "a batch says which version the person agreed to, and who agreed to an earlier one sends nothing"
        case .optOut: "nothing is sent for a purpose that honours a signal that is on"
        case .takenBack: "who takes consent back withdraws the identifiers of open windows"
        case .clock: "a clock that is wrong by days is put right by the daemon's Date, and so are the events' times"
        }
    }
}
