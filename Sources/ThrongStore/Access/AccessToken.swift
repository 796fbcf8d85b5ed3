package import ThrongPlan

/// What the operator knows of a token that was given to somebody.
package struct AccessToken: Sendable, Hashable {
    /// Its public part: eight hexadecimal digits.
    package let id: String
    /// What it opens.
    package let role: AccessRole
    /// Whom it was given to, in the operator's words.
    package let note: String?
    /// When it was made. Unit: Unix seconds.
    package let createdAt: Int64
    /// From when on it is worth nothing. Unit: Unix seconds.
    package let expiresAt: Int64
    /// When it was taken back. Unit: Unix seconds; nil while nobody did.
    package let revokedAt: Int64?

    /// Puts a token's facts together.
    package init(
        id: String, role: AccessRole, note: String?, createdAt: Int64, expiresAt: Int64, revokedAt: Int64? = nil
    ) {
        self.id = id
        self.role = role
        self.note = note
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    /// Whether it opens anything.
    ///
    /// - Parameter now: Unit: Unix seconds.
    package func isGood(at now: Int64) -> Bool { revokedAt == nil && now < expiresAt }
}

/// What somebody may look at.
package enum AccessRole: Sendable, Hashable {
    /// The reports of one partner of one app.
    case partner(PartnerName, of: AppName)
    /// The daemon's health.
    case operations
    /// Whatever was released, of every app in the database: what the role `throng_analyst` sees.
    case analysis

    /// The word for it: partner, operator or analyst.
    package var word: String {
        switch self {
        case .partner: "partner"
        case .operations: "operator"
        case .analysis: "analyst"
        }
    }
}
