/// The public part of a plan, as clients and readers get it: everything but the places where reports are put.
///
/// Arrays keep the plan's order unless they stand for sets, which are sorted. Keys of its JSON are in snake_case. The
/// initializers take parts that the plan's reader has checked.
public struct PublicPlan: Codable, Sendable, Hashable {
    /// The app's name, which clients send as `app`.
    public let app: AppName
    /// The title that people read.
    public let title: String
    /// The contact for questions.
    public let contact: String
    /// The time zone in which days begin: a name from the IANA time zone database.
    public let timeZone: String
    /// The SHA-256 of the plan's text, in hexadecimal.
    public let version: String
    /// The app's k. Unit: devices.
    public let threshold: Int64
    /// The purposes for which things are counted.
    public let purposes: [Purpose]
    /// The dimensions: how fields are coarsened.
    public let dimensions: [Dimension]
    /// Coarser dimensions that are made of the buckets of others.
    public let derivedDimensions: [DerivedDimension]
    /// The metrics: what is counted.
    public let metrics: [Metric]
    /// The recipients and what each receives.
    public let recipients: [Recipient]
    /// The plan's word on whether children use the app; nil stands for ``DirectedTo/general``.
    public let directedTo: DirectedTo?
    /// Texts in the plan's languages: by language tag, then by place in the plan, such as
    /// `purposes.product.explanation`. Nil if all texts are in one language.
    public let translations: [String: [String: String]]?
    /// The relay for purposes whose ``Purpose/transport`` is ``PurposeTransport/oblivious``; nil if there is no such purpose.
    public let relay: RelayAddress?
    /// The evaluator of values whose buckets are learned, asked before they are hashed; nil if there is none.
    public let evaluator: Evaluator?

    /// A purpose with the events that may be sent for it.
    public struct Purpose: Codable, Sendable, Hashable {
        /// The purpose's name, which clients send as `purpose`.
        public let name: PurposeName
        /// The explanation of what the numbers are for.
        public let explanation: String
        /// True if the person has to agree first.
        public let needsConsent: Bool
        /// The opt-out signals that refuse it, sorted.
        public let refusedBy: [OptOutSignal]
        /// The lifetime of an identifier; if there are no identifiers, the length of the windows that batches name. Unit: seconds.
        public let rotationSeconds: Int64
        /// The time for which numbers are kept. Unit: seconds.
        public let retentionSeconds: Int64
        /// The fields that a batch's `context` may hold, sorted.
        public let contextFields: [FieldName]
        /// The events that it counts, sorted by name.
        public let events: [Event]
        /// The use of the numbers, if the plan names one.
        public let use: PurposeUse?
        /// True if the consent is a parent's for a child; nil if everybody agrees for themselves.
        public let consentOfParent: Bool?
        /// The version that people are asked about now; nil stands for 1. A person who agreed to an earlier one is asked again.
        public let consentVersion: Int?
        /// The kind of identifier that devices show; nil stands for ``PurposeIdentifier/rotating``.
        public let identifier: PurposeIdentifier?
        /// The devices that its floors count; nil stands for ``FloorKind/any``.
        public let floor: FloorKind?
        /// The way in which it is sent; nil stands for ``PurposeTransport/direct``.
        public let transport: PurposeTransport?
        /// The senders whose batches are taken; nil stands for ``PurposeSenders/anybody``.
        public let senders: PurposeSenders?

        package init(
            name: PurposeName, explanation: String, needsConsent: Bool, refusedBy: [OptOutSignal],
            rotationSeconds: Int64, retentionSeconds: Int64, contextFields: [FieldName], events: [Event],
            use: PurposeUse? = nil, consentOfParent: Bool? = nil, consentVersion: Int? = nil,
            identifier: PurposeIdentifier? = nil, floor: FloorKind? = nil, transport: PurposeTransport? = nil,
            senders: PurposeSenders? = nil
        ) {
            (self.name, self.explanation, self.needsConsent) = (name, explanation, needsConsent)
            (self.refusedBy, self.rotationSeconds) = (refusedBy, rotationSeconds)
            (self.retentionSeconds, self.contextFields, self.events) = (retentionSeconds, contextFields, events)
            (self.use, self.consentOfParent, self.consentVersion) = (use, consentOfParent, consentVersion)
            (self.identifier, self.floor, self.transport, self.senders) = (identifier, floor, transport, senders)
        }
    }

    /// An event with the fields that it may carry.
    public struct Event: Codable, Sendable, Hashable {
        /// The event's name, which clients send as `event`.
        public let name: EventName
        /// The fields that metrics use, sorted.
        public let fields: [FieldName]

        package init(name: EventName, fields: [FieldName]) { (self.name, self.fields) = (name, fields) }
    }

    /// A dimension with all of its buckets.
    public struct Dimension: Codable, Sendable, Hashable {
        /// Its name in metrics.
        public let name: DimensionName
        /// The title that people read.
        public let title: String
        /// The field that is coarsened.
        public let field: FieldName
        /// The rule that makes a bucket of the field; with it a device can do so before anything leaves.
        public let rule: BucketingRule
        /// The buckets: all that is ever kept of the field.
        public let buckets: [BucketLabel]
        /// True if a device is in only one bucket.
        public let partitionsDevices: Bool

        package init(
            name: DimensionName, title: String, field: FieldName, rule: BucketingRule, buckets: [BucketLabel],
            partitionsDevices: Bool
        ) {
            (self.name, self.title, self.field, self.rule) = (name, title, field, rule)
            (self.buckets, self.partitionsDevices) = (buckets, partitionsDevices)
        }
    }

    /// A dimension that is made of the buckets of another.
    public struct DerivedDimension: Codable, Sendable, Hashable {
        /// Its name in insights.
        public let name: DimensionName
        /// The title that people read.
        public let title: String
        /// The dimension that it is made of.
        public let of: DimensionName
        /// Its buckets, each with those that it holds; the rest goes to `other`.
        public let groups: [BucketGroup]
        /// True if a device is in only one bucket.
        public let partitionsDevices: Bool

        package init(
            name: DimensionName, title: String, of: DimensionName, groups: [BucketGroup], partitionsDevices: Bool
        ) {
            (self.name, self.title, self.of) = (name, title, of)
            (self.groups, self.partitionsDevices) = (groups, partitionsDevices)
        }
    }

    /// A partner with what its reports hold.
    public struct Recipient: Codable, Sendable, Hashable {
        /// Its name.
        public let name: PartnerName
        /// The title that people read.
        public let title: String
        /// The partner's contact for questions.
        public let contact: String
        /// The titles of the insights that it receives, in the order of its reports.
        public let insights: [String]

        package init(name: PartnerName, title: String, contact: String, insights: [String]) {
            (self.name, self.title, self.contact, self.insights) = (name, title, contact, insights)
        }
    }

    package init(
        app: AppName, title: String, contact: String, timeZone: String, version: String, threshold: Int64,
        purposes: [Purpose], dimensions: [Dimension], derivedDimensions: [DerivedDimension], metrics: [Metric],
        recipients: [Recipient], directedTo: DirectedTo? = nil, translations: [String: [String: String]]? = nil,
        relay: RelayAddress? = nil, evaluator: Evaluator? = nil
    ) {
        (self.app, self.title, self.contact, self.timeZone, self.version) = (app, title, contact, timeZone, version)
        (self.threshold, self.purposes, self.dimensions) = (threshold, purposes, dimensions)
        (self.derivedDimensions, self.metrics, self.recipients) = (derivedDimensions, metrics, recipients)
        (self.directedTo, self.translations, self.relay, self.evaluator) = (directedTo, translations, relay, evaluator)
    }
}

/// The app's audience in the words of 16 CFR 312.2 (COPPA): whether children use it.
public enum DirectedTo: String, Sendable, Hashable, CaseIterable, Codable {
    /// A general audience.
    case general
    /// Directed to children: everybody is treated as a child.
    case children
    /// A mixed audience: everybody is treated as a child unless the client knows better.
    case mixed
}

/// The use that a purpose's numbers are put to.
public enum PurposeUse: String, Sendable, Hashable, CaseIterable, Codable {
    /// Making the app better.
    case product
    /// Finding out what is slow or broken.
    case performance
    /// Keeping people and the app safe.
    case security
    /// Learning something of general interest.
    case research
    /// Advertising, selling, or winning and keeping customers.
    case marketing
}

/// A way in which a person's software says no.
public enum OptOutSignal: String, Sendable, Hashable, CaseIterable, Codable {
    /// The header `Sec-GPC: 1`.
    case globalPrivacyControl = "global_privacy_control"
    /// The header `DNT: 1`.
    case doNotTrack = "do_not_track"
    /// The operating system's setting; the client library honours it.
    case limitAdTracking = "limit_ad_tracking"
    /// The client has not been told that the person is grown up.
    case ageSignal = "age_signal"
}

/// The service that makes a plan's hashes of open vocabularies unguessable. Like the relay, it is run by somebody other
/// than the daemon's operator.
///
/// A device has each value evaluated before it hashes it. The evaluator learns nothing of the value (RFC 9497, VOPRF
/// over P-256 and SHA-256), and nobody can tell what a hash was made of without asking the evaluator.
public struct Evaluator: Sendable, Hashable, Codable {
    /// The evaluator's address; blinded values go to `/v1/evaluations` there.
    public let url: RelayAddress
    /// The public key against which its answers are checked.
    public let key: EvaluatorKey

    /// Creates an evaluator with its address and key.
    public init(url: RelayAddress, key: EvaluatorKey) { (self.url, self.key) = (url, key) }

    /// The numbers of blinded values that a request may hold. A device fills a request up with others, so that the
    /// evaluator learns little of how many it has.
    public static let sizes = [4, 16]
}

/// An evaluator's public key: a compressed point of P-256, 33 bytes, on the wire and in plans as base64url.
public struct EvaluatorKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The point.
    public let bytes: [UInt8]

    /// Reads base64url; nil for anything that does not look like a compressed point. Code that computes with the key
    /// checks whether it is one.
    public init?(text: some Collection<UInt8>) {
        guard let bytes = Base64URL.bytes(of: text), bytes.count == 33, bytes[0] == 2 || bytes[0] == 3 else {
            return nil
        }
        self.bytes = bytes
    }

    /// Takes bytes that are known to be a compressed point.
    package init(point bytes: [UInt8]) { self.bytes = bytes }

    /// The key in base64url, as it is written.
    public var description: String { Base64URL.text(of: bytes) }

    /// Reads its text.
    ///
    /// - Throws: `DecodingError` if it is not a key.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("no evaluator's key; 33 bytes in base64url are allowed") { EvaluatorKey(text: $0) }
    }

    /// Writes its text.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// The length of a window, in whole seconds: 60 seconds to one day.
public struct Rotation: Hashable, Sendable, Codable, Comparable {
    /// The length. Unit: seconds.
    public let seconds: Int64

    /// 15 minutes: the rotation of a purpose that names none.
    public static let standard = Rotation(seconds: 900)
    /// One hour: the windows of purposes without identifiers, within which a repeated batch is recognized by its name.
    public static let batches = Rotation(seconds: 3600)
    /// One day; no identifier lives longer.
    public static let longest = Rotation(seconds: 86_400)

    /// Wraps a length that the plan's reader has checked.
    public init(seconds: Int64) { self.seconds = seconds }

    /// The window that holds an instant: floor(unix time / rotation).
    public func window(at time: UnixSeconds) -> WindowNumber { WindowNumber(time.flooredQuotient(by: seconds)) }

    /// The instant at which a window begins.
    public func start(of window: WindowNumber) -> UnixSeconds { UnixSeconds(window.asOpened.value * seconds) }

    /// Orders by length.
    public static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

/// The number of one rotation of the identifier: floor(unix time / rotation).
public struct WindowNumber: Hashable, Sendable, Comparable, Codable {
    /// The windows since 1970-01-01T00:00:00Z, in units of the purpose's rotation.
    public let value: Int64
    /// Wraps a window's number.
    public init(_ value: Int64) { self.value = value }
    /// The base of the numbers of windows that were taken over while open: above every number that a clock shows.
    private static let takeover: Int64 = 1 << 40

    /// Returns the number of this window for those who count in it in place of a daemon that was lost while it was
    /// open. It names another window at the same time.
    ///
    /// - Parameter epoch: the number of the epoch that gave it to them, from 1.
    public func taken(over epoch: Int64) -> WindowNumber { WindowNumber(asOpened.value + epoch * Self.takeover) }

    /// The number by which clients know the window.
    public var asOpened: WindowNumber { value < Self.takeover ? self : WindowNumber(value & (Self.takeover - 1)) }

    /// The epoch of the takeover that the window is of; 0 for none.
    public var takenOver: Int64 { value < Self.takeover ? 0 : value >> 40 }

    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// The address of a relay: `https://HOST` or `https://HOST:PORT`, without a path; `http` only for the same machine.
///
/// Sealed requests go to `/v1/ohttp` there, and the keys for sealing are at `/v1/ohttp-keys`.
public struct RelayAddress: Sendable, Hashable, Codable {
    /// The address without a slash at its end.
    public let text: String
    /// Its host, without brackets and port.
    public let host: String

    private static let longest = 300

    /// Reads an address; nil for anything else.
    public init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://"), text.utf8.count <= Self.longest else { return nil }
        let authority = text.dropFirst(isSecure ? 8 : 7)
        guard !authority.isEmpty, authority.utf8.allSatisfy(Self.isAllowed) else { return nil }
        var name = authority
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            let digits = authority[authority.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
                (1...65_535).contains(port)
            else { return nil }
            name = authority[..<colon]
        }
        if name.hasPrefix("["), name.hasSuffix("]"), name.contains(":") {
            name = name.dropFirst().dropLast()
        } else if name.contains(where: { ":[]".contains($0) }) {
            return nil
        }
        guard !name.isEmpty, isSecure || Self.isLoopback(String(name)) else { return nil }
        self.text = text
        host = String(name)
    }

    /// True if traffic to a host stays on the machine: 127.0.0.0/8, ::1 and localhost, in their usual spellings.
    public static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// True for the bytes of a host and a port: small letters, digits, and the signs between them.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || "-.:[]".utf8.contains(byte)
    }

    /// Reads its text.
    ///
    /// - Throws: `DecodingError` if it is no such address.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("no relay's address; https://HOST[:PORT] is allowed") {
            RelayAddress(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Writes its text.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}
