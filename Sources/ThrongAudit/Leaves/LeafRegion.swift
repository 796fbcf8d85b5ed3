/// A set of leaves: one set number an axis, −1 being the whole axis.
struct LeafRegion: Hashable {
    var sets: [Int32]
}
