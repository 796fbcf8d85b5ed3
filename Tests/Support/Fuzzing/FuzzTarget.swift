/// A decoder of what comes from outside, that can be given anything.
package protocol FuzzTarget: Sendable {
    /// Reads bytes as the daemon does.
    ///
    /// - Throws: ``FuzzFinding`` where what came of them can't be true. What the decoder refuses is no finding.
    func read(_ bytes: [UInt8]) throws(FuzzFinding)
}

/// What a decoder made of bytes, and what can't be.
package enum FuzzFinding: Error, Sendable, Hashable {
    /// Bytes that were read are written in another way.
    case written(what: String)
    /// Read in two ways, they came to two things.
    case twoReadings(what: String)
    /// More came out than may.
    case tooMuch(what: String, found: Int, limit: Int)
    /// Two parts of what came out do not fit together.
    case mismatch(what: String)
}

extension FuzzFinding {
    /// Throws where something is not so.
    static func check(_ isSo: Bool, _ finding: @autoclosure () -> FuzzFinding) throws(FuzzFinding) {
        if !isSo { throw finding() }
    }
}
