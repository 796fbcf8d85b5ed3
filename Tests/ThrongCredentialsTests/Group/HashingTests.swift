import Testing

@testable import ThrongAttestation

@Suite("Hashing to P-256: the vectors of RFC 9380")
struct HashingTests {
    /// The messages of appendices J.1.1 and K.1.
    private static let messages = [
        "", "abc", "abcdef0123456789", "q128_" + String(repeating: "q", count: 128),
        "a512_" + String(repeating: "a", count: 512),
    ]

    /// Appendix J.1.1, a message each: u[0] and u[1], then x and y of Q0, of Q1 and of P.
    private static let curve = [
        [
            "ad5342c66a6dd0ff080df1da0ea1c04b96e0330dd89406465eeba11582515009",
            "8c0f1d43204bd6f6ea70ae8013070a1518b43873bcd850aafa0a9e220e2eea5a",
            "ab640a12220d3ff283510ff3f4b1953d09fad35795140b1c5d64f313967934d5",
            "dccb558863804a881d4fff3455716c836cef230e5209594ddd33d85c565b19b1",
            "51cce63c50d972a6e51c61334f0f4875c9ac1cd2d3238412f84e31da7d980ef5",
            "b45d1a36d00ad90e5ec7840a60a4de411917fbe7c82c3949a6e699e5a1b66aac",
            "2c15230b26dbc6fc9a37051158c95b79656e17a1a920b11394ca91c44247d3e4",
            "8a7a74985cc5c776cdfe4b1f19884970453912e9d31528c060be9ab5c43e8415",
        ],
        [
            "afe47f2ea2b10465cc26ac403194dfb68b7f5ee865cda61e9f3e07a537220af1",
            "379a27833b0bfe6f7bdca08e1e83c760bf9a338ab335542704edcd69ce9e46e0",
            "5219ad0ddef3cc49b714145e91b2f7de6ce0a7a7dc7406c7726c7e373c58cb48",
            "7950144e52d30acbec7b624c203b1996c99617d0b61c2442354301b191d93ecf",
            "019b7cb4efcfeaf39f738fe638e31d375ad6837f58a852d032ff60c69ee3875f",
            "589a62d2b22357fed5449bc38065b760095ebe6aeac84b01156ee4252715446e",
            "0bb8b87485551aa43ed54f009230450b492fead5f1cc91658775dac4a3388a0f",
            "5c41b3d0731a27a7b14bc0bf0ccded2d8751f83493404c84a88e71ffd424212e",
        ],
        [
            "0fad9d125a9477d55cf9357105b0eb3a5c4259809bf87180aa01d651f53d312c",
            "b68597377392cd3419d8fcc7d7660948c8403b19ea78bbca4b133c9d2196c0fb",
            "a17bdf2965eb88074bc01157e644ed409dac97cfcf0c61c998ed0fa45e79e4a2",
            "4f1bc80c70d411a3cc1d67aeae6e726f0f311639fee560c7f5a664554e3c9c2e",
            "7da48bb67225c1a17d452c983798113f47e438e4202219dd0715f8419b274d66",
            "b765696b2913e36db3016c47edb99e24b1da30e761a8a3215dc0ec4d8f96e6f9",
            "65038ac8f2b1def042a5df0b33b1f4eca6bff7cb0f9c6c1526811864e544ed80",
            "cad44d40a656e7aff4002a8de287abc8ae0482b5ae825822bb870d6df9b56ca3",
        ],
        [
            "3bbc30446f39a7befad080f4d5f32ed116b9534626993d2cc5033f6f8d805919",
            "76bb02db019ca9d3c1e02f0c17f8baf617bbdae5c393a81d9ce11e3be1bf1d33",
            "c76aaa823aeadeb3f356909cb08f97eee46ecb157c1f56699b5efebddf0e6398",
            "776a6f45f528a0e8d289a4be12c4fab80762386ec644abf2bffb9b627e4352b1",
            "418ac3d85a5ccc4ea8dec14f750a3a9ec8b85176c95a7022f391826794eb5a75",
            "fd6604f69e9d9d2b74b072d14ea13050db72c932815523305cb9e807cc900aff",
            "4be61ee205094282ba8a2042bcb48d88dfbb609301c49aa8b078533dc65a0b5d",
            "98f8df449a072c4721d241a3b1236d3caccba603f916ca680f4539d2bfb3c29e",
        ],
        [
            "4ebc95a6e839b1ae3c63b847798e85cb3c12d3817ec6ebc10af6ee51adb29fec",
            "4e21af88e22ea80156aff790750121035b3eefaa96b425a8716e0d20b4e269ee",
            "d88b989ee9d1295df413d4456c5c850b8b2fb0f5402cc5c4c7e815412e926db8",
            "bb4a1edeff506cf16def96afff41b16fc74f6dbd55c2210e5b8f011ba32f4f40",
            "a281e34e628f3a4d2a53fa87ff973537d68ad4fbc28d3be5e8d9f6a2571c5a4b",
            "f6ed88a7aab56a488100e6f1174fa9810b47db13e86be999644922961206e184",
            "457ae2981f70ca85d8e24c308b14db22f3e3862c5ea0f652ca38b5e49cd64bc5",
            "ecb9f0eadc9aeed232dabc53235368c1394c78de05dd96893eefa62b0f4757dc",
        ],
    ]

    /// Appendix K.1, 32 bytes.
    private static let short = [
        "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235",
        "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615",
        "eff31487c770a893cfb36f912fbfcbff40d5661771ca4b2cb4eafe524333f5c1",
        "b23a1d2b4d97b2ef7785562a7e8bac7eed54ed6e97e29aa51bfe3f12ddad1ff9",
        "4623227bcc01293b8c130bf771da8c298dede7383243dc0993d2d94823958c4c",
    ]

    /// Appendix K.1, 128 bytes.
    private static let long = [
        "af84c27ccfd45d41914fdff5df25293e221afc53d8ad2ac06d5e3e29485dadbe"
            + "e0d121587713a3e0dd4d5e69e93eb7cd4f5df4cd103e188cf60cb02edc3edf18"
            + "eda8576c412b18ffb658e3dd6ec849469b979d444cf7b26911a08e63cf31f9dc"
            + "c541708d3491184472c2c29bb749d4286b004ceb5ee6b9a7fa5b646c993f0ced",
        "abba86a6129e366fc877aab32fc4ffc70120d8996c88aee2fe4b32d6c7b6437a"
            + "647e6c3163d40b76a73cf6a5674ef1d890f95b664ee0afa5359a5c4e07985635"
            + "bbecbac65d747d3d2da7ec2b8221b17b0ca9dc8a1ac1c07ea6a1e60583e2cb00"
            + "058e77b7b72a298425cd1b941ad4ec65e8afc50303a22c0f99b0509b4c895f40",
        "ef904a29bffc4cf9ee82832451c946ac3c8f8058ae97d8d629831a74c6572bd9"
            + "ebd0df635cd1f208e2038e760c4994984ce73f0d55ea9f22af83ba4734569d4b"
            + "c95e18350f740c07eef653cbb9f87910d833751825f0ebefa1abe5420bb52be1"
            + "4cf489b37fe1a72f7de2d10be453b2c9d9eb20c7e3f6edc5a60629178d9478df",
        "80be107d0884f0d881bb460322f0443d38bd222db8bd0b0a5312a6fedb49c1bb"
            + "d88fd75d8b9a09486c60123dfa1d73c1cc3169761b17476d3c6b7cbbd727acd0"
            + "e2c942f4dd96ae3da5de368d26b32286e32de7e5a8cb2949f866a0b80c58116b"
            + "29fa7fabb3ea7d520ee603e0c25bcaf0b9a5e92ec6a1fe4e0391d1cdbce8c68a",
        "546aff5444b5b79aa6148bd81728704c32decb73a3ba76e9e75885cad9def1d0"
            + "6d6792f8a7d12794e90efed817d96920d728896a4510864370c207f99bd4a608"
            + "ea121700ef01ed879745ee3e4ceef777eda6d9e5e38b90c86ea6fb0b36504ba4"
            + "a45d22e86f6db5dd43d98a294bebb9125d5b794e9d2a81181066eb954966a487",
    ]

    @Test("a message is expanded as in appendix K.1")
    func expansion() {
        let domain = Array("QUUX-V01-CS02-with-expander-SHA256-128".utf8)
        for (place, message) in Self.messages.enumerated() {
            let bytes = Array(message.utf8)
            #expect(MessageExpansion.expand(bytes, domain: domain, count: 32) == Bytes.of(Self.short[place]))
            #expect(MessageExpansion.expand(bytes, domain: domain, count: 128) == Bytes.of(Self.long[place]))
        }
    }

    @Test("a message is hashed to the curve as in appendix J.1.1, step by step")
    func curve() throws {
        let domain = Array("QUUX-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_".utf8)
        for (message, vector) in zip(Self.messages, Self.curve) {
            let numbers = vector.map { Bytes.of($0) }
            let uniform = MessageExpansion.expand(Array(message.utf8), domain: domain, count: 96)
            let u = [FieldElement(wide: uniform[..<48]), FieldElement(wide: uniform[48...])]
            #expect(u.map(\.bytes) == Array(numbers[..<2]))
            for half in 0..<2 {
                #expect(try Point(mapping: u[half]) == Self.point(numbers[2 + 2 * half], numbers[3 + 2 * half]))
            }
            #expect(try Point(hashing: Array(message.utf8), domain: domain) == Self.point(numbers[6], numbers[7]))
        }
    }

    @Test("the map takes 0, and numbers that differ in sign to opposite points")
    func exceptions() throws {
        let zero = Point(mapping: .zero)
        #expect(Point(compressed: zero.compressed) == zero)
        for _ in 0..<20 {
            let u = FieldElement(wide: Bytes.random(48))
            #expect(Point(mapping: u) == -Point(mapping: -u))
            #expect(Point(compressed: Point(mapping: u).compressed) == Point(mapping: u))
        }
    }

    private static func point(_ x: [UInt8], _ y: [UInt8]) throws -> Point {
        try #require(Point(compressed: [2 | y[31] & 1] + x))
    }
}
