internal import Crypto
internal import Foundation

/// The secret that noise is derived from, so that a question has the same noise whenever it is drawn.
///
/// The bits of a draw are HMAC-SHA-256 under the secret, counted up, of everything that the draw depends on; a restored database
/// and a daemon that starts again repeat it, which tells nobody anything new.
///
/// The promise of the noise then holds against anybody who can't tell HMAC from chance. The secret and a published
/// number are enough to try out what was counted. So the secret is kept like the counters, and never in the database.
package struct DrawSecret: Sendable {
    let key: SymmetricKey

    /// Derives noise from 32 secret bytes or more. Other uses of the same bytes are told apart by ``label``.
    package init(bytes: some Sequence<UInt8>) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Self.label, using: SymmetricKey(data: Array(bytes))))
    }

    /// The use of an installation's secret here, which separates it from its other uses.
    private static let label = Data("throng noise 1".utf8)

    /// Returns the noise of one layer of a question: a whole number for each cell of its table, the empty cells too.
    ///
    /// The same question, layer, variance and period, and for the fresh layer the same counted table, have the same noise
    /// whenever and wherever it is drawn. Anything else has noise that is independent of it.
    /// - Parameter cells: the number of cells of the question's table, at least 1; a part of what the draw depends on.
    /// - Returns: the noise. Unit: the measure's.
    /// - Throws: ``NoiseError/emptyUniverse``.
    /// - Complexity: O(cells) for each draw of the layer, about half a microsecond a number.
    package func noise(of question: QuestionKey, _ layer: Layer, cells: Int) throws(NoiseError) -> [Int64] {
        guard cells > 0 else { throw .emptyUniverse }
        switch layer {
        case .fresh(let variance, let period, let counted):
            let lines = ["fresh", question.hex, "\(variance.drawn.variance)", "\(cells)", counted.hex, period]
            return draw(variance.drawn, by: lines, cells: cells)
        case .kept(let noise):
            var sum: [Int64] = []
            for (rung, distribution) in zip(noise.rungs, noise.draws) {
                let lines = ["kept", question.hex, "\(rung)", "\(cells)"]
                let drawn = draw(distribution, by: lines, cells: cells)
                sum = sum.isEmpty ? drawn : zip(sum, drawn).map { Int64(clamping: Int128($0) + Int128($1)) }
            }
            return sum
        }
    }

    /// Returns the digest of a counted table, which a draw of the fresh layer depends on.
    ///
    /// - Parameter table: one number for each cell.
    package func digest(of table: [Int64]) -> CountedDigest {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data("question 1\ncounted\n".utf8))
        table.map(\.bigEndian).withUnsafeBytes { hash.update(data: $0) }
        return CountedDigest(bytes: Array(hash.finalize()))
    }

    /// Draws by a text of lines that is no other draw's: only the last line may hold anything.
    private func draw(_ distribution: DiscreteGaussian, by lines: [String], cells: Int) -> [Int64] {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data((["question 1"] + lines).joined(separator: "\n").utf8))
        var bits = RandomBits(KeyedGenerator(key: SymmetricKey(data: hash.finalize())))
        return (0..<cells).map { _ in Int64(clamping: distribution.sample(using: &bits)) }
    }
}

/// The key that a question's noise is drawn by: the SHA-256 of all that the question means, as one canonical text.
///
/// The text holds events, buckets, sampling and instants by extension, and no name of a metric or a partner. Two texts
/// are the same question only if they are the same bytes, so code that writes them sorts first.
package struct QuestionKey: Hashable, Sendable {
    /// The digest: 32 bytes.
    package let bytes: [UInt8]

    package init(of canonicalText: String) { bytes = Array(SHA256.hash(data: Data(canonicalText.utf8))) }

    var hex: String { bytes.lowerHex }
}

/// A counted table as the fresh layer sees it: equal tables have equal digests, and only the secret can tell which table it was.
package struct CountedDigest: Hashable, Sendable {
    /// The digest: 32 bytes.
    package let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    var hex: String { bytes.lowerHex }
}

extension [UInt8] { fileprivate var lowerHex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() } }
