internal import Foundation

/// The header of an encapsulated request: the key's number, and the three algorithms. Source: RFC 9458, section 4.3.
struct EncapsulationHeader {
    let id: UInt8
    let mechanism: UInt16
    let derivation: UInt16
    let sealing: UInt16

    /// Unit: bytes.
    static let byteCount = 7

    /// - Parameter bytes: as many as it has, or more.
    init(_ bytes: ArraySlice<UInt8>) {
        let first = bytes.startIndex
        func number(_ place: Int) -> UInt16 { UInt16(bytes[first + place]) << 8 | UInt16(bytes[first + place + 1]) }
        id = bytes[first]
        (mechanism, derivation, sealing) = (number(1), number(3), number(5))
    }

    init(id: UInt8, mechanism: KeyMechanism, sealing: Sealing) {
        self.id = id
        self.mechanism = mechanism.rawValue
        derivation = KeyMechanism.derivation
        self.sealing = sealing.rawValue
    }

    var bytes: [UInt8] { [id] + [mechanism, derivation, sealing].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } }

    /// The bytes that bind a sealed request to it.
    var info: Data { Data("message/bhttp request".utf8) + [0] + bytes }
}
