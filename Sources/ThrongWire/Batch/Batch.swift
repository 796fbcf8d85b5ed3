/// A batch of events as a client sends it: the body of `POST /v1/batches`.
///
/// The daemon does not decode into this type; it reads the bytes in place (`ThrongIngest`).
public struct Batch: Sendable, Hashable, Codable {
    /// The version of the protocol: the `1` of `/v1/batches` and all other addresses of clients.
    package static let protocolVersion = 1

    /// The app's name in its plan.
    public var app: String
    /// 32 hexadecimal digits, random; the same for every retry.
    public var batch: String
    /// The purpose's name in the plan.
    public var purpose: String
    /// floor(unix time / the purpose's rotation) when the batch is sent; if there are no identifiers,
    /// ``Rotation/batches`` takes the rotation's place.
    public var window: Int64
    /// The identifier for this purpose and window: 1 to 64 characters; nil where the purpose has none.
    public var id: String?
    /// Fields that all events share.
    public var context: [String: Scalar]
    /// The events of the batch.
    public var events: [Event]
    /// The version of the purpose that the person agreed to; 1 if absent.
    public var consentVersion: Int?
    /// The client's app key; nil if it has none.
    public var key: String?
    /// The proof of ``id``, where the purpose's floors count proved devices; nil if there is none, or ``id`` was proved before.
    public var proof: String?
    /// True if the batch is a test's, so that nothing of it counts; nil for any other.
    public var test: Bool?

    private enum CodingKeys: String, CodingKey {
        case app, batch, purpose, window, id, context, events, key, proof, test
        case consentVersion = "consent_version"
    }

    /// One thing that happened.
    public struct Event: Sendable, Hashable, Codable {
        /// The event's name in the plan.
        public var event: String
        /// RFC 3339, such as `2026-11-21T10:02:11Z`.
        public var at: String
        /// Fields of this event alone.
        public var fields: [String: Scalar]?
        /// The number of times that it happened; 1 if absent.
        public var count: Int?
        /// The groupings for which this is the device's first contribution in a period: by metric, then by period, the
        /// entries of the plan's `first_groupings`, each as its list of dimensions.
        public var firsts: [String: [String: [[String]]]]?

        /// Creates an event with its name, time, fields, count and firsts.
        public init(
            event: String, at: String, fields: [String: Scalar]? = nil, count: Int? = nil,
            firsts: [String: [String: [[String]]]]? = nil
        ) {
            (self.event, self.at, self.fields, self.count, self.firsts) = (event, at, fields, count, firsts)
        }
    }

    /// A field's value.
    public enum Scalar: Sendable, Hashable {
        case text(String)
        case integer(Int64)
        case number(Double)
        case flag(Bool)
        case null
    }

    /// Creates a batch of events with the fields that they share; draws a random name unless one is given.
    public init(
        app: String, batch: BatchID = .random(), purpose: String, window: Int64, id: String?,
        context: [String: Scalar] = [:], events: [Event], consentVersion: Int? = nil, key: String? = nil,
        proof: String? = nil, isTest: Bool = false
    ) {
        self.app = app
        self.batch = batch.description
        (self.purpose, self.window, self.id, self.context, self.events) = (purpose, window, id, context, events)
        (self.consentVersion, self.key, self.proof) = (consentVersion, key, proof)
        test = isTest ? true : nil
    }
}

extension Batch.Scalar: Codable {
    /// Reads a JSON scalar.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value that is not of one type may be of the next; the last one throws.
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Writes a JSON scalar.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .null: try container.encodeNil()
        }
    }
}

/// A device's request to take back what one of its identifiers added: the body of `POST /v1/withdraw`.
public struct WithdrawRequest: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: String
    /// The purpose's name in the plan.
    public let purpose: String
    /// The window in which the identifier was sent.
    public let window: Int64
    /// The identifier.
    public let id: String

    /// Creates a request with the app, the purpose, the window and the identifier.
    public init(app: String, purpose: String, window: Int64, id: String) {
        (self.app, self.purpose, self.window, self.id) = (app, purpose, window, id)
    }
}
