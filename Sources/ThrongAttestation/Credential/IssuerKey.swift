package import ThrongWire

/// The public key by which a daemon issues credentials: commitments to its secrets x₀, x₁ and x₂ (section 4.1 of the draft).
///
/// A daemon with a key for each device could tell devices apart by it. So a client has to see the key that all others see.
///
/// Raw representation, 99 bytes: X0 33, X1 33, X2 33, compressed points each.
package struct IssuerKey: Sendable {
    let x0, x1, x2: Point

    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .issuerKey)
        try self.init(&reader)
    }

    init(_ reader: inout ByteReader) throws(AttestationError) {
        x0 = try reader.point("X0")
        x1 = try reader.point("X1")
        x2 = try reader.point("X2")
    }

    package var rawRepresentation: [UInt8] { x0.compressed + x1.compressed + x2.compressed }
}

/// A daemon's secrets, as far as it needs them to check a presentation without stopping at a hostile one.
///
/// Raw representation, 128 bytes, as that of swift-crypto's `P256._ARCV1.PrivateKey`: x0, x1, x2 and x0Blinding, 32 each, the
/// highest byte first.
package struct IssuerSecrets: Sendable {
    let x0, x1, x2: Scalar
    let keyX1: Point

    /// Reads them.
    ///
    /// - Throws: an ``AttestationError`` for any bytes but four numbers from 1 to below the group's order.
    package init(rawRepresentation bytes: some Collection<UInt8>) throws(AttestationError) {
        var reader = try ByteReader(bytes, of: .issuerSecrets)
        x0 = try reader.secret("x0")
        x1 = try reader.secret("x1")
        x2 = try reader.secret("x2")
        _ = try reader.secret("x0Blinding")
        keyX1 = x1 * Suite.h
    }

    /// 128 bytes, the raw representation of secrets drawn from 192 random ones: 48 each, 2⁻¹²⁸ away from uniform.
    package static func rawRepresentation(drawnFrom random: [UInt8]) -> [UInt8] {
        precondition(random.count == 4 * 48, "48 random bytes a number")
        return (0..<4).flatMap { place in
            let number = Scalar(wide: random[(48 * place)..<(48 * place + 48)])
            // None of them may be 0, which one of 2²⁵⁶ is.
            return (number.isZero ? Scalar.one : number).bytes
        }
    }
}

/// A calendar month of UTC. A daemon issues by one key in each, and a credential is good in one alone.
package struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let first: CalendarDate

    package init(containing time: UnixSeconds) { self.init(containing: PeriodCalendar.utc.date(at: time)) }

    private init(containing date: CalendarDate) { first = date.adding(days: 1 - Int64(date.day)) }

    /// Takes a number of months since January 1970; nil for none of the years 1970 to 9999.
    package init?(number: Int64) {
        guard (0..<12 * 8030).contains(number),
            let date = CalendarDate(year: 1970 + Int(number / 12), month: 1 + Int(number % 12), day: 1)
        else { return nil }
        first = date
    }

    /// The month in which a window begins: by its credentials the window's identifiers are made, also after its end.
    package init(of window: WindowNumber, rotation: Rotation) { self.init(containing: rotation.start(of: window)) }

    /// The month of a period's last day in its app's calendar: by its credentials the period's firsts are proved.
    /// Devices that join later have one of that month; in a week of two months all wait for the second.
    package init(of period: Period, in calendar: PeriodCalendar) {
        self.init(containing: calendar.date(at: UnixSeconds(period.end.value - 1)))
    }

    /// Reads what ``description`` writes, from January 1970 on; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard let date = CalendarDate("\(text)-01"), date.year >= 1970 else { return nil }
        first = date
    }

    /// Whole months since January 1970.
    package var number: Int64 { Int64(first.year - 1970) * 12 + Int64(first.month) - 1 }

    /// `2026-11`.
    package var description: String { String(first.description.dropLast(3)) }

    package var start: UnixSeconds { UnixSeconds(first.daysSince1970 * 86_400) }

    package var end: UnixSeconds { next.start }

    package var next: Epoch { Epoch(containing: first.adding(days: 31)) }

    /// The instant from which no batch of any of its windows is taken: the last one begins before its end, lasts a day
    /// at most, and batches of it come for as long again.
    package var over: UnixSeconds { end + 2 * Rotation.longest.seconds }

    /// The months for which credentials are issued at an instant: its own and, in the last days before it, the next one, so
    /// that not all devices ask in the same hour.
    package static func issued(at time: UnixSeconds) -> [Epoch] {
        let present = Epoch(containing: time)
        return present.end - time <= lead ? [present, present.next] : [present]
    }

    /// The time before its beginning in which credentials of an epoch are issued already. Unit: seconds.
    package static let lead: Int64 = 3 * 86_400

    /// Returns the context that issuer and device agree on: `throng-arc-1`, `epoch`, app and the month's number, as in
    /// ``PresentationContext``.
    package func requestContext(of app: AppName) throws(AttestationError) -> [UInt8] {
        try ContextParts.bytes(["epoch", app.text], number)
    }

    package static func < (left: Self, right: Self) -> Bool { left.first < right.first }
}

/// The statement that somebody knows secrets by which points are sums of others, such as A = x · G + y · H.
///
/// It is proved by a Schnorr proof over all equations at once, made non-interactive by Fiat and Shamir's transform. The
/// order of points and equations is the transcript's, so it is part of the protocol (sections 5.1 to 5.4 of draft-yun-cfrg-arc).
struct ProofStatement: Sendable {
    /// A secret, by its place among the responses.
    struct Secret: Sendable { fileprivate let place: Int }

    private struct Equation: Sendable {
        let result: Point
        let terms: [(secret: Secret, point: Point)]
    }

    private let name: String
    private var secretCount = 0
    private let points: [Point]
    private let transcript: [UInt8]
    private var equations: [Equation] = []

    /// The draft's name separates the challenges of one statement from those of another; the points are in the order of the transcript.
    init(_ name: String, of points: [Point]) {
        (self.name, self.points) = (name, points)
        transcript = points.flatMap(Self.encoding)
    }

    mutating func secret() -> Secret {
        secretCount += 1
        return Secret(place: secretCount - 1)
    }

    mutating func require(_ result: Point, equals terms: [(secret: Secret, point: Point)]) {
        equations.append(Equation(result: result, terms: terms))
    }

    /// Proves it with fresh blindings, a secret's each, in the order in which secrets were declared.
    func prove(_ secrets: [Scalar], using generator: inout some RandomNumberGenerator) -> Proof {
        let blindings = HedgedRandomness.scalars(
            secrets.count, for: name, secrets: secrets, public: transcript, using: &generator)
        return prove(secrets, blindings: blindings)
    }

    /// Proves it with given blindings. Two proofs with the same blindings and different challenges give the secrets away.
    func prove(_ secrets: [Scalar], blindings: [Scalar]) -> Proof {
        precondition(secrets.count == secretCount && blindings.count == secretCount, "a value and a blinding a secret")
        let challenge = challenge(equations.map { commitment($0, blindings) })
        return Proof(challenge: challenge, responses: zip(blindings, secrets).map { $0 - challenge * $1 })
    }

    /// Says whether a proof holds; one that leads to a point at infinity, which has no encoding in the draft, does not.
    func isProved(by proof: Proof) -> Bool {
        guard proof.responses.count == secretCount else { return false }
        let commitments = equations.map { commitment($0, proof.responses, and: (proof.challenge, $0.result)) }
        guard !(points + commitments).contains(where: \.isIdentity.isYes) else { return false }
        return challenge(commitments) == proof.challenge
    }

    private func commitment(
        _ equation: Equation, _ scalars: [Scalar], and last: (scalar: Scalar, point: Point)? = nil
    ) -> Point {
        var terms = equation.terms.map { (scalar: scalars[$0.secret.place], point: $0.point) }
        if let last { terms.append(last) }
        return Point.sum(terms)
    }

    private func challenge(_ commitments: [Point]) -> Scalar {
        Scalar(hashing: transcript + commitments.flatMap(Self.encoding), domain: Suite.challengeDomain(name))
    }

    /// A point after its length, two bytes.
    private static func encoding(of point: Point) -> [UInt8] { [0, UInt8(Point.byteCount)] + point.compressed }
}

/// A Schnorr proof of a ``ProofStatement``: the challenge, and a response for each secret (section 5.1 of draft-yun-cfrg-arc).
struct Proof: Sendable, Equatable {
    let challenge: Scalar
    let responses: [Scalar]

    /// The challenge, then the responses; 32 bytes each.
    var bytes: [UInt8] { challenge.bytes + responses.flatMap(\.bytes) }
}

/// Random scalars that stay secret, and differ from statement to statement, even where the device's random numbers are bad.
///
/// They are hashed from 32 random bytes, from secrets of the device, and from what they are used for. With good random numbers
/// they are as good as those; with constant ones they are as in a deterministic signature (RFC 6979's idea; the hedge is
/// that of draft-irtf-cfrg-det-sigs-with-noise).
enum HedgedRandomness {
    /// Returns up to 170, for a use, from the device's secrets and all that makes this use differ from others of them.
    static func scalars(
        _ count: Int, for use: String, secrets: [Scalar], public: [UInt8],
        using generator: inout some RandomNumberGenerator
    ) -> [Scalar] {
        var message: [UInt8] = []
        for _ in 0..<4 { withUnsafeBytes(of: generator.next() as UInt64) { message.append(contentsOf: $0) } }
        message += secrets.flatMap(\.bytes) + `public`
        let bytes = MessageExpansion.expand(
            message, domain: Array("throng-arc-1 blinding \(use)".utf8), count: 48 * count)
        return (0..<count).map { Scalar(wide: bytes[(48 * $0)..<(48 * $0 + 48)]) }
    }
}

/// The suite ARCV1-P256 of draft-yun-cfrg-arc, as swift-crypto's `P256._ARCV1` has it: generators and hash domains.
///
/// Throng calls what it does with it `throng-arc-1`, because a draft may change.
enum Suite {
    private static let name = "ARCV1-P256"

    static let g = Point.generator

    /// A second generator, of which nobody knows the logarithm (section 4.1 of the draft).
    static let h = Point(hashing: g.compressed, domain: groupDomain("generatorH"))

    /// m₂ of the draft: the attribute that issuer and device agree on.
    static func attribute(of requestContext: [UInt8]) -> Scalar {
        Scalar(hashing: requestContext, domain: scalarDomain("requestContext"))
    }

    /// T of the draft: what a context's tags are multiples of.
    static func tagBase(of presentationContext: [UInt8]) -> Point {
        Point(hashing: presentationContext, domain: groupDomain("Tag"))
    }

    /// The domain of a proof's challenge, with the suite's name twice: the draft's label of a proof begins with it.
    static func challengeDomain(_ statement: String) -> [UInt8] { scalarDomain(name + statement) }

    private static func scalarDomain(_ use: String) -> [UInt8] { Array("HashToScalar-\(name)\(use)".utf8) }

    private static func groupDomain(_ use: String) -> [UInt8] { Array("HashToGroup-\(name)\(use)".utf8) }
}
