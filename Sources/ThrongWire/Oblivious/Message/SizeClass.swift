/// The sizes to which messages are padded before they are sealed: 1, 4, 16, 64 and 256 KiB, 1 MiB, and whole MiB from there on.
///
/// A relay knows the address, and sees how long what it forwards is. Steps of four leave it six sizes for all that a daemon
/// takes by default: a reveal, a withdrawal and a batch of a few events are all of the first, a batch of a hundred of the third.
package enum SizeClass {
    /// The smallest class. Unit: bytes.
    static let least = 1 << 10
    /// The largest of the steps of four; further ones are its multiples. Unit: bytes.
    static let most = 1 << 20

    /// The smallest class that holds so many bytes.
    package static func bytes(holding count: Int) -> Int {
        var size = least
        while size < count, size < most { size *= 4 }
        return size >= count ? size : (count + most - 1) / most * most
    }
}
