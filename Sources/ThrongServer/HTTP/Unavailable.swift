internal import HTTPTypes

/// The reason why a request is not taken now; its client may send it again.
enum Unavailable: Error {
    /// The journal is too far ahead of PostgreSQL, or of its disk.
    case overloaded
    /// Open windows take all the memory that they may; there may be more after `retrySeconds`.
    case full(retrySeconds: Int)
    case crowded
    case starting
    case failed
    /// The daemon that counts the identifier does not answer.
    case unreachable
    /// The daemon that counts the identifier is being changed.
    case changing

    var problem: Problem {
        switch self {
        case .overloaded: .busy("No room now: PostgreSQL has not caught up, or the disk is full or slow.")
        case .full(let seconds):
            .busy("No room now: memory for open windows is full until some are over.", retrySeconds: seconds)
        case .crowded: .busy("No room now: too many large requests at once.")
        case .starting: .busy("Not started yet: the disk is full, or PostgreSQL has to be asked first.")
        case .failed: .busy("The journal failed; the batch was not counted.")
        case .unreachable:
            Problem(
                .serviceUnavailable, "unreachable", retrySeconds: 5,
                "The daemon that counts this identifier can't be reached now; send the same batch again.")
        case .changing:
            Problem(
                .serviceUnavailable, "changing", retrySeconds: 2,
                "Who counts this identifier is being changed; send the same batch again.")
        }
    }
}
