/// Why the engine hid a merged column.
enum HidingReason: Hashable, Sendable {
    /// It is sensitive itself.
    case sensitive
    /// With what is published already it would give away this sensitive merged column.
    case wouldReveal(UInt32)
    /// With what is published already it would bound a sensitive cell too closely.
    case wouldBound
    /// It would relate singletons only, each of whom knows its own part, or hand a sensitive cell to one of them.
    case singletonsOnly
    /// A relation's hidden children would have a union under k.
    case closesUnion(relation: Int)
    /// It bounds this sensitive merged column from above or below.
    case bounds(UInt32)
}
