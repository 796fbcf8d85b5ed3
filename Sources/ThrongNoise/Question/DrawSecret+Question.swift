internal import Crypto
internal import Foundation

extension DrawSecret {
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
            let lines = [
                "fresh", question.hex, "\(variance.drawn.variance)", "\(cells)", counted.hex,
                period,
            ]
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
