/// An identifier of one purpose's window that nobody can invent.
public struct AttestedIdentifier: Sendable, Hashable {
    /// A batch's `id`: 44 characters.
    public let id: String
    /// A batch's `proof`, until one with it was answered by 202 in this window: 390 characters.
    public let proof: String

    /// Creates an identifier with its proof.
    public init(id: String, proof: String) { (self.id, self.proof) = (id, proof) }
}

/// Makes identifiers that nobody can invent, for purposes whose floors count proved devices (`floor: attested`).
public protocol IdentifierSource: Sendable {
    /// The time at which ``renew(by:)`` next has something to do, in Unix seconds.
    var nextAsking: Int64 { get async }

    /// Asks for what identifiers are made with, if its time has come.
    ///
    /// - Returns: true if identifiers of this month can be made.
    @discardableResult func renew(by transport: any CredentialTransport) async throws -> Bool

    /// Returns the identifier of a purpose's window, the same each time, and its proof; nil if none can be made.
    func identifier(of purpose: String, window: Int64, rotationSeconds: Int64) async -> AttestedIdentifier?

    /// Returns the proof that the device is in a cell of a metric in a period, once (`reach: attested`); nil if that
    /// can't be proved, or not yet.
    ///
    /// - Parameters:
    ///   - cell: a bucket for each dimension of one of the metric's `provedFirsts.groupings`, and of its `partition`.
    ///   - calendar: the app's, by its plan's time zone.
    func first(
        in cell: [DimensionName: BucketLabel], of metric: PublicPlan.Metric, period: Period, calendar: PeriodCalendar
    ) async -> ProvedFirst?
}

/// Reaches the daemon. If an app's plan hides addresses, the app hands in a transport that seals requests and sends
/// them through a relay: otherwise the daemon could tell by time and address who presents the credentials that it issued.
public protocol CredentialTransport: Sendable {
    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - path: from the daemon's root on, such as `/v1/credentials`.
    ///   - body: JSON for a `POST`; nil for a `GET`.
    /// - Returns: the status, and the body.
    func send(path: String, body: [UInt8]?) async throws -> (status: Int, body: [UInt8])
}
