internal import HTTPTypes

extension MemberUnreachable {
    var answer: IntakeAnswer {
        switch self {
        case .unreachable: IntakeAnswer(.unreachable)
        case .changing: IntakeAnswer(.changing)
        case .crowded: .crowded
        }
    }
}

extension Problem {
    /// The problem of an identifier whose daemon does not answer.
    static let unreachable = Problem(
        .serviceUnavailable, "unreachable", retrySeconds: 5,
        "The daemon that counts this identifier can't be reached now; send the same batch again.")
    /// The problem of an identifier whose daemon is being changed.
    static let changing = Problem(
        .serviceUnavailable, "changing", retrySeconds: 2,
        "Who counts this identifier is being changed; send the same batch again.")
    /// The problem of a request that was handed on to the wrong daemon.
    static let misdirected = Problem(
        .misdirectedRequest, "misdirected", "Another daemon counts this identifier.")
    /// The problem of a request to a port that only answers daemons.
    static let notAMember = Problem(
        .misdirectedRequest, "members_only",
        "Only daemons of the same PostgreSQL are answered at this port; clients post to that of --listen.")
}
