/// RFC 9497, appendix A.3.2: P256-SHA256 in the verifiable mode.
enum EvaluationVectors {
    /// One request, with as many inputs as it holds.
    struct Vector: Sendable, CustomStringConvertible {
        let inputs, blinds, blinded, evaluated, outputs: [String]
        let proof, random: String

        var description: String { "\(inputs.count) of \(inputs[0].count / 2) bytes" }
    }

    static let seed = String(repeating: "a3", count: 32)
    /// "test key".
    static let info = "74657374206b6579"
    static let secret = "ca5d94c8807817669a51b196c34c1b7f8442fde4334a7121ae4736364312fca6"
    static let key = "03e17e70604bcabe198882c0a1f27a92441e774224ed9c702e51dd17038b102462"

    private static let short = "00"
    private static let long = String(repeating: "5a", count: 17)
    private static let first = "3338fa65ec36e0290022b48eb562889d89dbfa691d1cde91517fa222ed7ad364"
    private static let second = "f9db001266677f62c095021db018cd8cbb55941d4073698ce45c405d1348b7b1"

    static let all = [
        Vector(
            inputs: [short], blinds: [first],
            blinded: ["02dd05901038bb31a6fae01828fd8d0e49e35a486b5c5d4b4994013648c01277da"],
            evaluated: ["0209f33cab60cf8fe69239b0afbcfcd261af4c1c5632624f2e9ba29b90ae83e4a2"],
            outputs: ["0412e8f78b02c415ab3a288e228978376f99927767ff37c5718d420010a645a1"],
            proof: "e7c2b3c5c954c035949f1f74e6bce2ed539a3be267d1481e9ddb178533df4c26"
                + "64f69d065c604a4fd953e100b856ad83804eb3845189babfa5a702090d6fc5fa",
            random: second),
        Vector(
            inputs: [long], blinds: [first],
            blinded: ["03cd0f033e791c4d79dfa9c6ed750f2ac009ec46cd4195ca6fd3800d1e9b887dbd"],
            evaluated: ["030d2985865c693bf7af47ba4d3a3813176576383d19aff003ef7b0784a0d83cf1"],
            outputs: ["771e10dcd6bcd3664e23b8f2a710cfaaa8357747c4a8cbba03133967b5c24f18"],
            proof: "2787d729c57e3d9512d3aa9e8708ad226bc48e0f1750b0767aaff73482c44b8d"
                + "2873d74ec88aebd3504961acea16790a05c542d9fbff4fe269a77510db00abab",
            random: second),
        Vector(
            inputs: [short, long], blinds: [first, second],
            blinded: [
                "02dd05901038bb31a6fae01828fd8d0e49e35a486b5c5d4b4994013648c01277da",
                "03462e9ae64cae5b83ba98a6b360d942266389ac369b923eb3d557213b1922f8ab",
            ],
            evaluated: [
                "0209f33cab60cf8fe69239b0afbcfcd261af4c1c5632624f2e9ba29b90ae83e4a2",
                "02bb24f4d838414aef052a8f044a6771230ca69c0a5677540fff738dd31bb69771",
            ],
            outputs: [
                "0412e8f78b02c415ab3a288e228978376f99927767ff37c5718d420010a645a1",
                "771e10dcd6bcd3664e23b8f2a710cfaaa8357747c4a8cbba03133967b5c24f18",
            ],
            proof: "bdcc351707d02a72ce49511c7db990566d29d6153ad6f8982fad2b435d6ce4d6"
                + "0da1e6b3fa740811bde34dd4fe0aa1b5fe6600d0440c9ddee95ea7fad7a60cf2",
            random: "350e8040f828bf6ceca27405420cdf3d63cb3aef005f40ba51943c8026877963"),
    ]
}
