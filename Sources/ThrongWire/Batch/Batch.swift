/// A batch of events as a client sends it: the body of `POST /v1/batches`.
///
/// The daemon does not decode into this type; it reads the bytes in place (`ThrongIntake`).
public struct Batch: Sendable, Hashable, Codable {
    /// The version of the protocol: the `1` of `/v1/batches` and all other addresses of clients.
    package static let protocolVersion = 1

    /// The app's name in its plan.
    public var app: String
    /// 32 hexadecimal digits, random; the same for every retry.
    public var batch: String
    /// The purpose's name in the plan.
    public var purpose: String
    /// floor(unix time / the purpose's rotation) when the batch is sent; where there are no identifiers, by
    /// ``Rotation/batches``.
    public var window: Int64
    /// The identifier for this purpose and window: 1 to 64 characters; nil where the purpose has none.
    public var id: String?
    /// Fields that all events share.
    public var context: [String: Scalar]
    /// What happened.
    public var events: [Event]
    /// Which version of the purpose the person agreed to; 1 where absent.
    public var consentVersion: Int?
    /// The app key that the client has; nil where it has none.
    public var key: String?
    /// What proves ``id``, where the purpose's floors count proved devices; nil where nothing does, or it was proved before.
    public var proof: String?

    private enum CodingKeys: String, CodingKey {
        case app, batch, purpose, window, id, context, events, key, proof
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
        /// How often it happened; 1 where absent.
        public var count: Int?
        /// For which groupings this is the device's first contribution in a period: metric, then period, then those of
        /// the plan's `first_groupings`, each by its dimensions.
        public var firsts: [String: [String: [[String]]]]?

        /// Puts an event together.
        public init(
            event: String, at: String, fields: [String: Scalar]? = nil, count: Int? = nil,
            firsts: [String: [String: [[String]]]]? = nil
        ) {
            self.event = event
            self.at = at
            self.fields = fields
            self.count = count
            self.firsts = firsts
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

    /// Puts a batch together.
    public init(
        app: String,
        batch: BatchID = .random(),
        purpose: String,
        window: Int64,
        id: String?,
        context: [String: Scalar] = [:],
        events: [Event],
        consentVersion: Int? = nil,
        key: String? = nil,
        proof: String? = nil
    ) {
        self.app = app
        self.batch = batch.description
        self.purpose = purpose
        self.window = window
        self.id = id
        self.context = context
        self.events = events
        self.consentVersion = consentVersion
        self.key = key
        self.proof = proof
    }
}

extension Batch.Scalar: Codable {
    /// Reads a JSON scalar.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // What is not of one type may be of the next; the last one throws.
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
