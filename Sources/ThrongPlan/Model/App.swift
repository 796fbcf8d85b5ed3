package import ThrongWire

package struct App: Sendable, Hashable {
    /// The name that clients send as `app`.
    package let name: AppName
    package internal(set) var title: String
    /// The person or team that answers for the plan inside the organization.
    package let owner: String
    /// The contact for the public: a mail address or a page.
    package let contact: String
    /// The expected audience, in devices per day; the linter weighs k and the cubes against it.
    package let audience: Int
    /// The number of devices that a published number stands for at least, unless a metric asks for more.
    package let threshold: Threshold
    /// The most ρ that everything drawn of a device and day may cost; nil if margins follow from k alone.
    package internal(set) var budget: Double?
    /// The time zone in which the app's days begin: a name from the IANA time zone database.
    package var timeZone: String
    /// The time after a period's end for which its release waits for late events.
    package let grace: Duration
    /// The audience that the app is directed to: children, others, or both.
    package var directedTo: DirectedTo = .general
    /// The relay that oblivious purposes go through; nil if there is none.
    package var relay: RelayAddress?
    /// The evaluator of revealed dimensions' values before they are hashed; nil if nobody evaluates them.
    package var evaluator: Evaluator?
    package var keys: KeyRule = .optional

    /// The rule on app keys, by which an operator can tell clients apart and turn some of them away.
    package enum KeyRule: String, Sendable, Hashable, CaseIterable {
        /// A client needs no key, but one that it sends has to be good.
        case optional
        case required
    }
}
