/// The reason why a whole batch was refused: nothing of it was counted.
///
/// Pointers are JSON pointers (RFC 6901) made of the protocol's own words and of places, never of a client's words.
package enum IntakeError: Error, Sendable, Hashable {
    case notJSON
    case foreign(ForeignBody)
    case notUTF8
    case notGzip
    case unknownEncoding
    case numberOutOfRange
    case tooDeep(limit: Int)
    case duplicateKey(pointer: String)
    case nul(pointer: String)
    case wrongShape(pointer: String, expected: String)
    case stringTooLong(pointer: String, bytes: Int, limit: Int)
    case bodyTooLarge(limit: Int)
    case tooManyEvents(found: Int, limit: Int)
    case recordTooLarge(bytes: Int, limit: Int)
    case unknownApp
    case unknownPurpose
    case identifierUnwanted
    case unproved
    case nothingToTellApart
    case noFirsts
    case periodNotOpen
    case unknownCell
    case unprovedFirst
    case obliviousOnly
    case windowOutOfRange(current: Int64)
    case originNotAllowed
    case keyRequired
    case unknownKey
    case revokedKey
    case secretRequired
    case unknownSecret
    /// The client's network brings more than one network may at once; the time after which it may bring more. Unit: seconds.
    case networkQuota(retrySeconds: Int)
    case noMemory

    /// A stable word for programs.
    package var code: String { facts.code }

    /// The place in the document, if there is one.
    package var pointer: String? { facts.pointer }

    private var facts: (code: String, pointer: String?) {
        switch self {
        case .notJSON: ("not_json", nil)
        case .foreign(let found): (found.isOtherFormat ? "unsupported_media_type" : "not_json", nil)
        case .notUTF8: ("not_utf8", nil)
        case .notGzip: ("not_gzip", nil)
        case .unknownEncoding: ("unknown_encoding", nil)
        case .numberOutOfRange: ("number_out_of_range", nil)
        case .tooDeep: ("too_deep", nil)
        case .duplicateKey(let pointer): ("duplicate_key", pointer)
        case .nul(let pointer): ("nul", pointer)
        case .wrongShape(let pointer, _): ("wrong_shape", pointer)
        case .stringTooLong(let pointer, _, _): ("string_too_long", pointer)
        case .bodyTooLarge: ("body_too_large", nil)
        case .tooManyEvents: ("too_many_events", "/events")
        case .recordTooLarge: ("record_too_large", "/events")
        case .unknownApp: ("unknown_app", "/app")
        case .unknownPurpose: ("unknown_purpose", "/purpose")
        case .identifierUnwanted: ("identifier_unwanted", "/id")
        case .unproved: ("unproved", "/proof")
        case .nothingToTellApart: ("nothing_to_tell_apart", "/purpose")
        case .noFirsts: ("no_firsts", "/metric")
        case .periodNotOpen: ("period_not_open", "/start")
        case .unknownCell: ("unknown_cell", "/cell")
        case .unprovedFirst: ("unproved_first", "/proof")
        case .obliviousOnly: ("oblivious_only", "/purpose")
        case .windowOutOfRange: ("window_out_of_range", "/window")
        case .originNotAllowed: ("origin_not_allowed", nil)
        case .keyRequired: ("key_required", "/key")
        case .unknownKey: ("unknown_key", "/key")
        case .revokedKey: ("revoked_key", "/key")
        case .secretRequired: ("secret_required", nil)
        case .unknownSecret: ("unknown_secret", nil)
        case .networkQuota: ("network_quota", nil)
        case .noMemory: ("no_memory", nil)
        }
    }

    /// Every ``code``, for metric labels.
    package static let codes = [
        "not_json", "unsupported_media_type", "not_utf8", "not_gzip", "unknown_encoding", "number_out_of_range",
        "too_deep", "duplicate_key", "nul", "wrong_shape", "string_too_long", "body_too_large", "too_many_events",
        "record_too_large", "unknown_app", "unknown_purpose", "identifier_unwanted", "unproved",
        "nothing_to_tell_apart", "no_firsts", "period_not_open", "unknown_cell", "unproved_first", "oblivious_only",
        "window_out_of_range", "origin_not_allowed", "key_required", "unknown_key", "revoked_key", "secret_required",
        "unknown_secret", "network_quota", "no_memory",
    ]

    /// The finding, the limit and the remedy.
    package var message: String {
        switch self {
        case .notJSON: "The body is not one JSON document."
        case .foreign(let found): found.message
        case .notUTF8: "The body is not UTF-8."
        case .notGzip: "The body is announced as gzip but can't be unpacked."
        case .unknownEncoding: "The body's Content-Encoding is not known; send it plain or as gzip."
        case .numberOutOfRange: "A number does not fit a 64-bit integer or a finite double."
        case .tooDeep(let limit): "The document is nested more than \(limit) levels deep."
        case .duplicateKey: "An object here has a member twice; send each once."
        case .nul: "A string here holds U+0000; leave it out."
        case .wrongShape(_, let expected): "Expected \(expected)."
        case .stringTooLong(_, let bytes, let limit): "The string has \(bytes) bytes; \(limit) are allowed."
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes; send smaller batches."
        case .tooManyEvents(let found, let limit): "The batch has \(found) events; \(limit) are allowed."
        case .recordTooLarge(let bytes, let limit):
            "What these events add could take \(bytes) bytes; \(limit) are allowed. Send smaller batches."
        case .unknownApp: "No plan on this server is for that app."
        case .unknownPurpose: "The app's plan has no such purpose; GET /v1/plan/APP lists them."
        case .identifierUnwanted: "The purpose is counted without identifiers; leave id out, and make none."
        case .unproved:
            """
            The proof does not hold for this id, app, purpose and window. Prove with a credential of the month in which the \
            window begins; or leave proof out, and the batch adds to values, and to no number of devices.
            """
        case .nothingToTellApart:
            "The purpose is counted without identifiers: nothing that was sent can be told apart, so nothing can be taken back."
        case .noFirsts:
            "Of this metric devices prove no firsts in such a length of time; GET /v1/plan/APP says in proved_firsts of which they do."
        case .periodNotOpen:
            "Firsts of this period are not taken: none begins there, it has not begun yet, or its release is due. "
                + "Forget it, or check the clock."
        case .unknownCell:
            "The cell has to name a bucket for each dimension of one of the metric's proved_firsts.groupings, and for "
                + "each of its partition, and no combination that the plan calls impossible. GET /v1/plan/APP has them."
        case .unprovedFirst:
            "The proof does not hold for this cell, metric and period, with a credential of the month of the period's "
                + "last day. Make it anew by the plan that holds now, or forget it."
        case .obliviousOnly:
            "The purpose is taken sealed and through a relay only: send it to /v1/ohttp of the relay that GET /v1/plan/APP names."
        case .windowOutOfRange(let current):
            "The window must be \(current) or its neighbour: floor(unix time / rotation). Check the clock."
        case .originNotAllowed: "Pages of this origin may not send here; the operator lists those that may."
        case .keyRequired: "The app's clients need a key in the body's key; the operator has it."
        case .unknownKey: "Nobody made this key for the app; the operator has the ones that are good."
        case .revokedKey: "The key was revoked: nothing counts that comes with it. A later client has another."
        case .secretRequired: "The purpose takes batches of backends only: send Authorization: Bearer and the secret."
        case .unknownSecret: "The bearer secret is none of the app's, or was revoked; the operator makes new ones."
        case .networkQuota:
            "The client's network brings more new identifiers, or events, than one may at once; send it again after Retry-After."
        case .noMemory: "The server has no memory for this document right now."
        }
    }
}
