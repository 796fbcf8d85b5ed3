/// The rules of an app's credentials: who vouches for its devices, and how much they get.
package struct CredentialRules: Sendable {
    package let most: Int
    /// The attesters that vouch for devices, by what clients call them.
    package let attesters: [any Attester]

    /// The number that a device gets unless told otherwise: one, and another one if it lost that.
    package static let standardMost = 2

    package init(most: Int = standardMost, attesters: [any Attester]) {
        (self.most, self.attesters) = (most, attesters)
    }
}
