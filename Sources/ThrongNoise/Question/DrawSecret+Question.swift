internal import Crypto
internal import Foundation

extension DrawSecret {
    /// The noise of one layer of a question, a whole number for each cell of its table, the empty cells too.
    ///
    /// The same question, layer, variance and period, and for the fresh layer the same counted table, have the same noise
    /// whenever and wherever it is drawn. Anything else has noise that is independent of it.
    /// - Parameter cells: of the question's table, at least 1; a part of what the draw depends on.
    /// - Returns: Unit: the measure's.
    /// - Throws: ``NoiseError/emptyUniverse``.
    /// - Complexity: O(cells) for each draw of the layer, about half a microsecond a number.
    package func noise(of question: QuestionKey, _ layer: Layer, cells: Int) throws(NoiseError) -> [Int64] {
        guard cells > 0 else { throw .emptyUniverse }
        switch layer {
        case .fresh(let variance, let period, let counted):
            let lines = [
                "fresh", Self.hex(question.bytes), "\(variance.drawn.variance)", "\(cells)", Self.hex(counted.bytes),
                period,
            ]
            return draw(variance.drawn, by: lines, cells: cells)
        case .kept(let rises):
            var sum: [Int64] = []
            var before = Rational.zero
            for (variance, distribution) in zip(rises.variances, rises.draws) {
                let lines = ["kept", Self.hex(question.bytes), "\(before)", "\(variance)", "\(cells)"]
                let noise = draw(distribution, by: lines, cells: cells)
                sum = sum.isEmpty ? noise : zip(sum, noise).map { Int64(clamping: Int128($0) + Int128($1)) }
                before = variance
            }
            return sum
        }
    }

    /// The digest of a counted table, which a draw of the fresh layer depends on.
    ///
    /// - Parameter table: one number a cell.
    package func digest(of table: [Int64]) -> CountedDigest {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data("question 1\ncounted\n".utf8))
        table.map(\.bigEndian).withUnsafeBytes { hash.update(data: $0) }
        return CountedDigest(bytes: Array(hash.finalize()))
    }

    /// A text of lines is no other draw's: only the last line may hold anything, and none of a release's begins like it.
    private func draw(_ distribution: DiscreteGaussian, by lines: [String], cells: Int) -> [Int64] {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data((["question 1"] + lines).joined(separator: "\n").utf8))
        var bits = RandomBits(KeyedGenerator(key: SymmetricKey(data: hash.finalize())))
        return (0..<cells).map { _ in Int64(clamping: distribution.sample(using: &bits)) }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
