internal import HTTPTypes

extension Unheard {
    /// What the client is told.
    var answer: IntakeAnswer {
        switch self {
        case .unreachable: IntakeAnswer(.unreachable)
        case .changing: IntakeAnswer(.changing)
        case .crowded: .crowded
        }
    }
}

extension Problem {
    /// The daemon whose an identifier is does not answer.
    static let unreachable = Problem(
        .serviceUnavailable, "unreachable", retrySeconds: 5,
        "The daemon that counts this identifier can't be reached now; send the same batch again.")
    /// Who counts an identifier is being changed.
    static let changing = Problem(
        .serviceUnavailable, "changing", retrySeconds: 2,
        "Who counts this identifier is being changed; send the same batch again.")
    /// Handed on to a daemon whose it is not.
    static let misdirected = Problem(
        .misdirectedRequest, "misdirected", "Another daemon counts this identifier.")
    /// Posted where only daemons are answered.
    static let notAMember = Problem(
        .misdirectedRequest, "members_only",
        "Only daemons of the same PostgreSQL are answered at this port; clients post to that of --listen.")
}
