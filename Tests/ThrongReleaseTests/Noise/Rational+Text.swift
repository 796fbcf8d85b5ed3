internal import Testing
internal import ThrongNoise

extension Rational {
    /// Reads `1/2`, `0.5` or `3`, as golden numbers are written.
    init(parsing text: String) throws {
        let sides = text.split(separator: "/")
        let parts = sides[0].split(separator: ".")
        let decimals = parts.dropFirst().joined()
        let above = try #require(Int128(String(parts[0]) + decimals))
        let below =
            sides.count > 1 ? try #require(Int128(String(sides[1]))) : decimals.reduce(1) { tens, _ in tens * 10 }
        try self.init(above, over: below)
    }
}
