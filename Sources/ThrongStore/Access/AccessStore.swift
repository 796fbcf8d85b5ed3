package import ThrongPlan

/// Access tokens, and the reports that partners download, as `throng_reporter`.
package final class AccessStore: Sendable {
    let connection: Connection

    package init(_ settings: ConnectionSettings) { connection = .reporting(settings) }

    package func close() { connection.close() }

    package func close(within length: Duration) { connection.close(within: length) }

    // MARK: Tokens

    package func add(_ token: AccessToken, _ secret: AccessSecret) async throws {
        try await connection.run(Query.insertToken(token: token, hash: secret.hash))
    }

    /// Returns all tokens ever given, in the order of their making.
    package func tokens() async throws -> [AccessToken] {
        try await connection.run(Query.selectTokens(id: nil)).map(\.token)
    }

    /// Finds a token by its public part; nil where there is none.
    package func token(_ id: String) async throws -> AccessToken? {
        try await connection.first(Query.selectTokens(id: id))?.token
    }

    /// Finds the token that a secret belongs to; nil if the public part is unknown or the secret is wrong.
    package func token(of secret: AccessSecret) async throws -> AccessToken? {
        let known = try await connection.first(Query.selectTokens(id: secret.id))
        return known.flatMap { secret.matches($0.hash) ? $0.token : nil }
    }

    /// Takes a token back, and ends its sessions; false where there is none.
    package func revoke(_ id: String, now: UnixSeconds) async throws -> Bool {
        try await connection.transaction { session in
            let isKnown = try session.run(Query.revokeToken(id: id, now: now)) == 1
            try session.run(Query.endSessions(token: id, left: 0))
            return isKnown
        }
    }

    // MARK: Reports

    /// Returns the files of a partner, by report, the latest period first.
    package func files(of partner: PartnerName, app: AppName) async throws -> [KeptReportFile] {
        try await connection.run(Query.selectPartnerFiles(app: app, partner: partner))
    }

    /// Returns a file's bytes; nil where the partner has no such file.
    package func contents(
        of name: String, report: ReportName, partner: PartnerName, app: AppName
    ) async throws -> [UInt8]? {
        let found = try await connection.run(
            Query.selectPartnerFile(app: app, partner: partner, report: report, name: name))
        return found.count == 1 ? found.first : nil
    }

    // MARK: Health

    /// Returns the last releases of all apps, the latest first.
    package func lastReleases(_ count: Int) async throws -> [ReleaseNote] {
        try await connection.run(Query.selectLastReleases(most: count))
    }
}

/// A file of a report as its partner finds it, without its bytes.
package struct KeptReportFile: Sendable, Hashable {
    package let report: ReportName
    package let period: Period
    package let name: String
    /// Its size. Unit: bytes.
    package let bytes: Int
    package let madeAt: UnixSeconds
}

/// A note that a release was made, without its numbers.
package struct ReleaseNote: Sendable, Hashable {
    package let app: AppName
    package let metric: MetricName
    package let period: Period
    package let madeAt: UnixSeconds
}
