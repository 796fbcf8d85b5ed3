internal import Crypto
internal import Foundation
package import ThrongPlan

/// The operator's record of a token that was given to somebody.
package struct AccessToken: Sendable, Hashable {
    /// Its public part: eight hexadecimal digits.
    package let id: String
    package let role: AccessRole
    /// The recipient, in the operator's words.
    package let note: String?
    package let createdAt: UnixSeconds
    /// The time from which on it is worth nothing.
    package let expiresAt: UnixSeconds
    /// The time it was revoked; nil if it was not.
    package let revokedAt: UnixSeconds?

    package init(
        id: String, role: AccessRole, note: String?, createdAt: UnixSeconds, expiresAt: UnixSeconds,
        revokedAt: UnixSeconds? = nil
    ) {
        (self.id, self.role, self.note) = (id, role, note)
        (self.createdAt, self.expiresAt, self.revokedAt) = (createdAt, expiresAt, revokedAt)
    }

    /// True if it opens anything at `now`: neither revoked nor expired.
    package func isGood(at now: UnixSeconds) -> Bool { revokedAt == nil && now < expiresAt }
}

/// The pages that a token opens.
package enum AccessRole: Sendable, Hashable {
    /// The reports of one partner of one app.
    case partner(PartnerName, of: AppName)
    /// The daemon's health.
    case operations
    /// All that was released, of every app in the database: what the role `throng_analyst` sees.
    case analysis

    package var word: String {
        switch self {
        case .partner: "partner"
        case .operations: "operator"
        case .analysis: "analyst"
        }
    }
}

/// A token as its owner holds it: `throng_1f2e3d4c_` and 43 letters, digits, hyphens or underscores.
///
/// The letters are 256 random bits, so that a single SHA-256 keeps them: there is nothing to guess.
package struct AccessSecret: Sendable {
    /// Its public part: eight hexadecimal digits.
    package let id: String
    private let secret: [UInt8]

    package init() {
        id = (0..<4).map { _ in UInt8.random(in: .min ... .max) }.lowerHex
        secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Reads one; nil for anything else.
    package init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let parts = trimmed.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "throng", parts[1].utf8.count == 8, [UInt8](hex: String(parts[1])) != nil,
            let bytes = Base64URL.bytes(of: parts[2].utf8), bytes.count == 32
        else { return nil }
        id = String(parts[1])
        secret = bytes
    }

    /// The whole token, which its owner gets once.
    package var text: String { "throng_\(id)_\(Base64URL.text(of: secret))" }

    /// The hash that is kept: SHA-256 of the secret, 32 bytes.
    var hash: [UInt8] { Array(SHA256.hash(data: secret)) }

    /// True if the kept hash is of this secret; takes the same time for any hash of 32 bytes.
    func matches(_ kept: [UInt8]) -> Bool { kept.count == 32 && zip(kept, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 }
}

/// A link's secret, by which a token's owner signs in once: 43 letters, digits, hyphens or underscores, 256 random bits.
package struct SignInLink: Sendable {
    /// The time for which it is good. Unit: seconds.
    package static let seconds: Int64 = 7 * 86_400
    private let secret: [UInt8]

    package init() {
        var random = SystemRandomNumberGenerator()
        secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Reads one; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard let bytes = Base64URL.bytes(of: text.utf8), bytes.count == 32 else { return nil }
        secret = bytes
    }

    package var text: String { Base64URL.text(of: secret) }

    /// The hash that is kept: SHA-256, 32 bytes.
    var hash: [UInt8] { Array(SHA256.hash(data: secret)) }
}
