/// The reason why bytes are no part of an evaluation, or it is not believed. No case holds any of the bytes.
package enum EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A request or an answer has more or fewer bytes than any that is allowed.
    case length(found: Int)
    /// 33 bytes are no compressed point of P-256.
    case point
    /// 32 bytes are no number below the group's order, or are 0 if that is not allowed.
    case scalar
    /// The answer's proof does not hold for this request and this key.
    case unproved
    /// There are no inputs, more than one request holds, or one that is too long.
    case inputs(found: Int)

    package var description: String {
        switch self {
        case .length(let found):
            """
            an evaluation has \(found) bytes; a request has 4 or 16 points of 33 bytes, an answer as many and a proof of 64. \
            Check that it came whole.
            """
        case .point:
            """
            33 bytes are no point of P-256: allowed are such that begin with 2 or 3 and have an x that is on the curve. Refuse \
            it.
            """
        case .scalar: "32 bytes are no number from 1 to below the group's order. Refuse it, or make a new key."
        case .unproved:
            """
            the answer is not what the plan's key makes of the request. The evaluator may have another key by now: compare it \
            with the plan's.
            """
        case .inputs(let found):
            "a request was asked to hold \(found) inputs; 1 to 16 of at most 65535 bytes are allowed. Ask in several requests."
        }
    }
}
