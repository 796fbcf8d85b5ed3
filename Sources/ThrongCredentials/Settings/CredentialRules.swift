/// Who vouches for an app's devices, and how much they get.
package struct CredentialRules: Sendable {
    /// How many credentials a device gets in a calendar month.
    package let most: Int
    /// Those who vouch for devices, by what clients call them.
    package let attesters: [any Attester]

    /// What a device gets unless told otherwise: one, and another one for who lost it.
    package static let standardMost = 2

    /// Puts rules together.
    package init(most: Int = standardMost, attesters: [any Attester]) {
        self.most = most
        self.attesters = attesters
    }
}
